"""Admit and retire: changes to files of a source tree, which a person reviews and commits.

    mcp_tools/<app>/<function>.py         the draft as it was reviewed, byte for byte
    tests/desktop/test_made_<tool>.py     its tests
    toolgen/admitted/<tool>.json          its provenance and its reviewers

These are the tests that ran in the trial; from now on they run with all others.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from ambidex.host.errors import UsageError
from ambidex.toolgen import Admission, Retirement
from ambidex.toolgen.gate.tools_text import existing_tools, tool_file, tool_name
from ambidex.toolgen.store import Folder, folders, now
from ambidex.toolgen.verdicts import (
    counted_reviews,
    current_draft,
    decision_on,
    read_reviews,
    why_not_ready,
)
from ambidex.vm.whole_files import write_whole

__all__ = ["ADMITTED", "admit", "provenance", "retire"]

ADMITTED, RETIRED = Path("toolgen") / "admitted", Path("toolgen") / "retired"


def admit(folder: Folder, root: Path, by: str) -> Admission:
    """Write the accepted draft into the tree at `root`. Repeating an interrupted call has the same
    result. `UsageError` if the draft is not accepted, or the tree already has such a tool."""
    if why := why_not_ready(folder):
        raise UsageError(f"{folder.path.name} cannot be admitted: {why}")
    decision = decision_on(folder)
    if not decision.accepted:
        raise UsageError(f"{folder.path.name} cannot be admitted: {decision.why}")
    draft = current_draft(folder)
    assert draft is not None
    tool, test = folder.text(draft.n)
    name = tool_name(tool, folder.candidate().app)
    existing = {declared.name: declared for declared in existing_tools(root)}.get(name)
    files = _files(name)
    if existing is not None and existing.module != ".".join(files[0].with_suffix("").parts[1:]):
        raise UsageError(f"the tree already has a tool {name}, in mcp_tools.{existing.module}")
    for path, text in ((files[0], tool), (files[1], test)):
        if (root / path).exists() and (root / path).read_text(encoding="utf-8") != text:
            raise UsageError(f"file exists with other content: {root / path}")
    write_whole(root / files[1], test.encode())
    write_whole(root / files[2], _json(provenance(folder, name)))
    write_whole(root / files[0], tool.encode())
    admission = Admission(
        tool=name,
        draft=draft.n,
        sha256=draft.sha256,
        reviewers=decision.reviewers,
        by=by,
        at=now(),
        files=tuple(map(str, files)),
        root=str(root.resolve()),
        why=decision.why,
    )
    folder.add_admission(admission)
    return admission


def retire(foundry: Path, tool: str, root: Path, why: str, by: str) -> Retirement:
    """Remove an admitted tool from the tree at `root` and record why. `UsageError` for a tool that
    was not admitted there."""
    if not why.strip():
        raise UsageError("a tool is not retired without a reason", hint="--why TEXT")
    files = _files(tool)
    record = root / files[2]
    if not record.exists():
        known = sorted(path.stem for path in (root / ADMITTED).glob("*.json"))
        hint = f"Admitted tools: {', '.join(known) or 'none'}. The others were written by hand."
        raise UsageError(f"no tool {tool} was admitted into {root}", hint=hint)
    origin: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
    retired = {"why": why, "by": by, "at": now()}
    target = RETIRED / f"{tool}.json"
    write_whole(root / target, _json({**origin, "retired": retired}))
    for path in files:
        (root / path).unlink(missing_ok=True)
    retirement = Retirement(
        tool=tool,
        files=tuple(map(str, (*files, target))),
        root=str(root.resolve()),
        **retired,
    )
    for folder in folders(foundry):
        admission = folder.admission()
        if admission and admission.tool == tool:
            folder.add_retirement(retirement)
    return retirement


def provenance(folder: Folder, tool: str) -> dict[str, object]:
    """The origin of an accepted draft: enough to find and verify every piece of its evidence."""
    candidate, draft = folder.candidate(), current_draft(folder)
    assert draft is not None
    reviews = counted_reviews(read_reviews(folder), draft)
    exchanges = folder.exchanges()
    return {
        "tool": tool,
        "candidate": candidate.name,
        "origin": candidate.origin,
        "wish": candidate.wish,
        "task": Path(candidate.task).name if candidate.task else "",
        "task_hash": candidate.task_hash,
        "source": candidate.source,
        "model": candidate.model,
        "prompts": sorted({exchange["prompts"] for exchange in exchanges}),
        "draft": draft.n,
        "sha256": draft.sha256,
        "reviewers": {review.reviewer: review.verdict.value for review in reviews},
        "evidence": {
            result.stage: {"outcome": result.outcome.value, "reason": result.reason}
            for result in folder.results()
        },
        "files": {
            str(path.relative_to(folder.path)): sha256(path.read_bytes()).hexdigest()
            for part in ("stages", "exchanges", "reviews")
            for path in sorted(folder.path.glob(f"{part}/*.json"))
        },
    }


def _files(tool: str) -> tuple[Path, Path, Path]:
    """The files of an admitted tool: the tool, its tests, its provenance."""
    return (
        tool_file(tool),
        Path("tests") / "desktop" / f"test_made_{tool}.py",
        ADMITTED / f"{tool}.json",
    )


def _json(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=False, indent=1).encode() + b"\n"
