"""Candidates on disk that are ready for review."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from PIL import Image

from ambidex.toolgen import (
    Candidate,
    Draft,
    Finding,
    ModelUsage,
    Outcome,
    Stage,
    StageResult,
    Verdict,
)
from ambidex.toolgen.review.evidence import evidence_files
from ambidex.toolgen.store import Folder, start
from ambidex.toolgen.verdicts import REQUIRED_STAGES, Submission

AT = "2026-01-01T10:00:00.000+00:00"

ONE_CASE = '''from __future__ import annotations

from ambidex.mcp_tools.gnome import app
from ambidex.mcp_tools.gnome.settings import INTERFACE, Setting, set_setting


@app.tool()
def set_text_size() -> Setting:
    """Make the text of the desktop larger."""
    return set_setting(INTERFACE, "text-scaling-factor", 1.25)
'''

TEXT_SIZE = '''from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.gnome import app
from ambidex.mcp_tools.gnome.settings import INTERFACE, Setting, describe, set_setting, settings_of

KEY = "text-scaling-factor"


@app.tool()
def set_text_size(
    factor: Annotated[float, Field(description="1.0 is the usual size, 1.25 a quarter larger")],
    relative: Annotated[bool, Field(description="multiply the present size instead")] = False,
) -> Setting:
    """Make the text of the whole desktop larger or smaller, at once and in every window. Returns
    the setting as it is then. Sizes from 0.5 to 3.0 are possible.
    """
    settings = settings_of(INTERFACE)
    if relative:
        factor *= describe(settings, KEY).value
    if not 0.5 <= factor <= 3.0:
        raise ToolError(f"Text cannot be {factor:g} times its size.", code="bad_value",
                        hint="Sizes from 0.5 to 3.0 are possible.")
    return set_setting(INTERFACE, KEY, round(factor, 2))
'''

TEXT_SIZE_TEST = """from __future__ import annotations

from ambidex.host.client.guest import Guest
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, read, refused

KEY = ("org.gnome.desktop.interface", "text-scaling-factor")


@proves(by="gsettings")
def test_text_becomes_as_large_as_asked(guest: Guest) -> None:
    done(guest, "gnome_set_text_size", factor=1.25)
    assert read(guest, "gsettings", "get", *KEY) == "1.25"


def test_a_size_that_nobody_can_read_is_refused(guest: Guest) -> None:
    code, said = refused(guest, "gnome_set_text_size", factor=30)
    assert (code, "0.5 to 3.0" in said) == ("bad_value", True)
"""


def picture(colour: str) -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (64, 36), colour).save(target, "PNG")
    return target.getvalue()


WISH = "Make the text of the desktop larger or smaller, by a factor."


def new_candidate(
    foundry: Path,
    name: str = "text-size",
    app: str = "gnome",
    wish: str = WISH,
    tool: str = TEXT_SIZE,
    **more: str,
) -> Folder:
    """A candidate with one draft that is ready for review."""
    fields = {"name": name, "app": app, "wish": wish, "created": AT, "model": "toy", **more}
    folder = start(foundry, Candidate.model_validate({"origin": "wish", **fields}))
    redraft(folder, tool, "wrap")
    return folder


def redraft(folder: Folder, tool: str, by: str = "wrap", test: str = TEXT_SIZE_TEST) -> Draft:
    """A new draft that has passed the stages before review."""
    draft = folder.add_draft(tool, test, by)
    for stage in REQUIRED_STAGES:
        pass_stage(folder, stage, draft.n)
    return draft


def pass_stage(folder: Folder, stage: Stage, draft: int | None, **more: Any) -> StageResult:
    """Store a result of the stage, by default a pass."""
    fields: dict[str, Any] = {
        "stage": stage,
        "draft": draft,
        "outcome": Outcome.PASSED,
        "reason": "",
        "started": AT,
        "ended": AT,
        **more,
    }
    result = StageResult.model_validate(fields)
    folder.add_result(result)
    return result


def full_candidate(foundry: Path, before: bytes = b"", after: bytes = b"") -> Folder:
    """A candidate with two drafts and every kind of stage result: findings, tables, text, pictures,
    costs."""
    folder = start(
        foundry,
        Candidate(
            name="text-size",
            app="gnome",
            origin="task",
            created=AT,
            model="o3",
            wish=WISH,
            task="tasks/demo/gnome-evening",
            task_hash="0" * 64,
        ),
    )
    usage = ModelUsage(calls=3, input_tokens=18_240, output_tokens=2_906, dollars=0.0597)
    pass_stage(folder, "propose", None, reason="solved in 3 turns of code", usage=usage)
    folder.add_draft(ONE_CASE, TEXT_SIZE_TEST, "wrap")
    folder.add_draft(TEXT_SIZE, TEXT_SIZE_TEST, "trial")
    usage = ModelUsage(calls=2, input_tokens=9_113, output_tokens=1_480, dollars=0.0301)
    pass_stage(folder, "wrap", 2, reason="the size is now an argument", usage=usage)
    nearest = (
        Finding(0, "nearest", "gnome_set_setting: 72% by its words, 0% by its behaviour", False),
        Finding(0, "nearest", "gnome_reset_setting: 68% by its words, 0% by its behaviour", False),
    )
    pass_stage(folder, "gate", 2, reason="nothing refused, 2 remarks", findings=nearest)
    findings = [
        ("tests", "2 of 2 passed"),
        ("changed", "setting /org/gnome/desktop/interface/text-scaling-factor: 1.0, now 1.25"),
        ("bad arguments", "factor=30 is refused: Text cannot be 30 times its size."),
        ("varied: other value", "solved"),
        ("varied: twice in a row", "solved"),
        ("app not running", "solved"),
        ("by hand", "same result"),
    ]
    calls = [{"call": "gnome_set_text_size", "with": {"factor": 1.25}, "solved": True}]
    table = folder.put("evidence/trial-source/calls.json", json.dumps(calls).encode())
    log = folder.put("evidence/trial-source/tests.txt", b"text becomes as large as asked: passed")
    pictures = (
        folder.put("pictures/trial-before.png", before or picture("#20354d")),
        folder.put("pictures/trial-after.png", after or picture("#35608a")),
    )
    pass_stage(
        folder,
        "trial",
        2,
        reason="5 cases",
        findings=tuple(Finding(0, rule, text, False) for rule, text in findings),
        evidence=("evidence/trial-source", *pictures),
    )
    assert {table, log} < set(evidence_files(folder, folder.results()[-1]))
    pass_stage(folder, "measure", 2, reason="not measured: no suite and no agent were named")
    return folder


def submission(draft: Draft, verdict: str, comment: str = "", **reasons: str) -> Submission:
    """A verdict as a reviewer submits it."""
    if verdict != "accept" and not reasons:
        reasons = {"general": "it only works for one case"}
    return Submission.model_validate(
        {
            "draft": draft.n,
            "sha256": draft.sha256,
            "verdict": Verdict(verdict),
            "reasons": reasons,
            "comment": comment,
        }
    )
