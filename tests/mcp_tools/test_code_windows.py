"""Windows of VS Code whose extension host restarts between two questions."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from ambidex.mcp_tools.code import windows, workspace
from ambidex.mcp_tools.code.windows import Window, WindowClosedError, bring_to_front


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


def test_a_window_that_restarts_while_it_opens_is_followed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window = Window("project", True, None, [str(tmp_path)], [], None)
    answering = iter(["774.sock", "774.sock", "901.sock", "901.sock", "901.sock", "901.sock"])

    def sockets() -> list[tuple[Path, Window]]:
        return [(Path(next(answering)), window)]

    monkeypatch.setattr(windows, "open_windows", sockets)
    monkeypatch.setattr(workspace, "open_windows", sockets)
    assert workspace.launch_vscode(str(tmp_path)) == window
