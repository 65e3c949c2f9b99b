"""Trials on a guest with invalid answers: the row is scored or void, never a bug."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp.tools import ToolResult
from mcp_types import ImageContent
from starlette.responses import Response

from ambidex.tasks.load import load_suite
from tests.host.loop.test_interim_verdicts import Plays
from tests.support.peer import CATALOGUE, Desktop, PeerMachine, desktop
from tests.support.suites import config_of, run_in, write_suite
from tests.support.tables import every_case

TASK = """
instruction = "Change nothing."
tool_beneficial = false
setup = [{ call = "calc_set_cell_value", with = { cell = "A1", value = 1 } }]
collect = [{ changes = "changes.json" }, { run = ["ls", "SAID"], to = "ls.txt" }]
check = [{ use = "changes.only", with = { file = "changes.json" } }]
"""


class Acts(Plays):
    """Sets a cell and stops."""

    CALLS = (("calc_set_cell_value", {"cell": "B2", "value": 42}),)


class Hostile(PeerMachine):
    """A machine whose desktop does something once the agent has acted."""

    def __init__(self, harm: Callable[[Desktop], None]) -> None:
        super().__init__()
        self.harm = harm

    def revert(self, snapshot: Any, services: Any = None) -> None:
        super().revert(snapshot)
        self.harm(self.desktops[-1])


def only_row(folder: Path, harm: Callable[[Desktop], None]) -> Any:
    suite = load_suite(write_suite(folder / "suite", cell=TASK), CATALOGUE)
    [*_, row] = run_in(
        folder / "run", suite, config_of(suite), lambda: Hostile(harm), make_agent=Acts
    )
    return row


class Strange(dict[str, Any]):
    """Cells that create a file with a name in invalid Unicode once one is written."""

    def __init__(self, desktop: Desktop) -> None:
        super().__init__(desktop.cells)
        self.desktop = desktop

    def __setitem__(self, cell: str, value: Any) -> None:
        super().__setitem__(cell, value)
        if cell == "B2":
            self.desktop.files["~/\udcff\ud800"] = b"x"


def test_a_file_with_a_name_in_invalid_unicode_is_evidence(tmp_path: Path) -> None:
    def harm(desktop: Desktop) -> None:
        desktop.cells = Strange(desktop)

    row = only_row(tmp_path, harm)
    assert (row.fate, row.score) == ("scored", 0.0), row.failure
    said = json.loads((tmp_path / "run" / "cell.1" / "evidence" / "changes.json").read_text())
    assert "/home/user/\\udcff\\ud800" in {each["what"] for each in said["changes"]}


def test_an_image_of_unknown_type_is_noted_and_the_trial_is_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def strange() -> ToolResult:
        picture = ImageContent(type="image", data="PHN2Zy8+", mime_type="image/../../../x")
        return ToolResult(content=[picture])

    class Strange(desktop.ExactlyOnce):
        async def on_call_tool(self, context: Any, call_next: Any) -> ToolResult:
            result: ToolResult = await super().on_call_tool(context, call_next)
            arguments = context.message.arguments or {}
            return strange() if arguments.get("cell") == "B2" else result

    monkeypatch.setattr(desktop, "ExactlyOnce", Strange)
    row = only_row(tmp_path, lambda desktop: None)
    assert row.fate == "scored", row.failure
    trajectory = (tmp_path / "run" / "cell.1" / "trajectory.jsonl").read_text()
    assert '"error": "bad_answer"' in trajectory
    assert "A picture was left out" in trajectory


@every_case("body", [b"", b"no zlib", b"\x78\xda" + b"\0" * 50])
def test_an_invalid_screenshot_makes_the_trial_void(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    def broken(content: Any = None, *args: Any, **kwargs: Any) -> Response:
        framed = "Ambidex-Frame" in (kwargs.get("headers") or {})
        return Response(body if framed else content, *args, **kwargs)

    monkeypatch.setattr("tests.support.peer.harness.Response", broken)
    row = only_row(tmp_path, lambda desktop: None)
    assert (row.fate, row.failure.type) == ("void", "MalformedError")
