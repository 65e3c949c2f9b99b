"""Windows of VS Code that are slow to answer, or whose extension host restarts in between."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from ambidex.mcp_tools.code import windows, workspace
from ambidex.mcp_tools.code.windows import (
    NoAnswerError,
    Window,
    WindowClosedError,
    bring_to_front,
)


@pytest.fixture(autouse=True)
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    x11 = ModuleType("x11")
    x11.windows = lambda _: []  # type: ignore[attr-defined]
    x11.display = lambda: None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ambidex.mcp_tools.display.x11", x11)
    monkeypatch.setattr("ambidex.mcp_tools.display.x11", x11, raising=False)


def test_a_window_that_has_gone_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "open_windows", list)
    with pytest.raises(WindowClosedError, match="has closed"):
        bring_to_front(Path("774.sock"))


LATE = NoAnswerError("VS Code did not answer within 15 s.", code="timeout")


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param(["774", "774", "901", "901", "901", "901"], id="restarts"),
        pytest.param([None, LATE, LATE, "774", "774", "774"], id="answers late"),
        pytest.param([None, "774", LATE, "774", "774", "774"], id="is late in between"),
    ],
)
def test_a_window_that_starts_slowly_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answers: list[str | NoAnswerError | None]
) -> None:
    window = Window("project", True, None, [str(tmp_path)], [], None)
    answering = iter(answers)

    def sockets() -> list[tuple[Path, Window]]:
        answer = next(answering)
        if isinstance(answer, NoAnswerError):
            raise answer
        return [(Path(f"{answer}.sock"), window)] if answer else []

    monkeypatch.setattr(windows, "open_windows", sockets)
    monkeypatch.setattr(workspace, "open_windows", sockets)
    monkeypatch.setattr(workspace, "run_code", lambda *_, **__: None)
    assert workspace.launch_vscode(str(tmp_path)) == window
