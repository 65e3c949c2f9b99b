"""Admit and retire: a change of files in a tree, which a person looks at and commits.

    mcp_tools/<app>/<function>.py         the draft as it was reviewed, byte for byte
    tests/desktop/test_made_<tool>.py     its tests
    toolgen/admitted/<tool>.json          where it comes from, and who accepted it

The same tests ran in the trial, and run with all others from now on.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from ambidex.host.errors import UsageError
from ambidex.toolgen import Admission, Retirement
from ambidex.toolgen.gate.tools_text import file_of, house_tools, tool_name
from ambidex.toolgen.store import Folder, folders, now, write_whole
from ambidex.toolgen.verdicts import counted, current, decided, not_yet, read_reviews

__all__ = ["ADMITTED", "admit", "provenance", "retire"]

ADMITTED, RETIRED = Path("toolgen") / "admitted", Path("toolgen") / "retired"


def admit(folder: Folder, root: Path, by: str) -> Admission:
    """Write the accepted draft into the tree; `UsageError` where it is not accepted, or where the
    tree has such a tool. Killed and called again, it comes to the same."""
    if why := not_yet(folder):
        raise UsageError(f"{folder.path.name} cannot be admitted: {why}")
    decision = decided(folder)
    if not decision.accepted:
        raise UsageError(f"{folder.path.name} cannot be admitted: {decision.why}")
    draft = current(folder)
    assert draft is not None
    tool, test = folder.text(draft.n)
    said = folder.candidate()
    name = tool_name(tool, said.app)
    there = {each.name: each for each in house_tools(root)}.get(name)
    files = _files(name)
    if there is not None and there.module != ".".join(files[0].with_suffix("").parts[1:]):
        raise UsageError(f"the tree has a {name} already, in mcp_tools.{there.module}")
    for path, text in ((files[0], tool), (files[1], test)):
        if (root / path).exists() and (root / path).read_text(encoding="utf-8") != text:
            raise UsageError(f"{root / path} is there and holds something else")
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
    folder.admitted(admission)
    return admission


def retire(foundry: Path, tool: str, root: Path, why: str, by: str) -> Retirement:
    """Take an admitted tool out of the tree again and keep why; `UsageError` for one that was not
    admitted here."""
    if not why.strip():
        raise UsageError("a tool is not retired without a reason", hint="--why TEXT")
    files = _files(tool)
    kept = root / files[2]
    if not kept.exists():
        known = sorted(path.stem for path in (root / ADMITTED).glob("*.json"))
        hint = f"Admitted are: {', '.join(known) or 'none'}. Others were written by hand."
        raise UsageError(f"no tool {tool} was admitted into {root}", hint=hint)
    origin: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    end = {"why": why, "by": by, "at": now()}
    target = RETIRED / f"{tool}.json"
    write_whole(root / target, _json({**origin, "retired": end}))
    for path in files:
        (root / path).unlink(missing_ok=True)
    said = Retirement(
        tool=tool,
        files=tuple(map(str, (*files, target))),
        root=str(root.resolve()),
        **end,
    )
    for folder in folders(foundry):
        admission = folder.admission()
        if admission and admission.tool == tool:
            folder.retired(said)
    return said


def provenance(folder: Folder, tool: str) -> dict[str, object]:
    """Where an accepted draft comes from: enough to find and to check every piece of evidence."""
    said, draft = folder.candidate(), current(folder)
    assert draft is not None
    reviews = counted(read_reviews(folder), draft)
    exchanges = folder.exchanges()
    return {
        "tool": tool,
        "candidate": said.name,
        "origin": said.origin,
        "wish": said.wish,
        "task": Path(said.task).name if said.task else "",
        "task_hash": said.task_hash,
        "source": said.source,
        "model": said.model,
        "prompts": sorted({each["prompts"] for each in exchanges}),
        "draft": draft.n,
        "sha256": draft.sha256,
        "reviewers": {each.reviewer: each.verdict.value for each in reviews},
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
    return (
        file_of(tool),
        Path("tests") / "desktop" / f"test_made_{tool}.py",
        ADMITTED / f"{tool}.json",
    )


def _json(said: object) -> bytes:
    return json.dumps(said, ensure_ascii=False, indent=1).encode() + b"\n"
