"""Windows of VS Code that are slow to answer, whose extension host restarts in between, or that
report a focus which they have lost.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ambidex.mcp_tools.code import windows, workspace
from ambidex.mcp_tools.code.windows import (
    NoAnswerError,
    Window,
    WindowClosedError,
    bring_to_front,
    connected_windows,
)


@pytest.fixture(autouse=True)
def screen(monkeypatch: pytest.MonkeyPatch) -> list[SimpleNamespace]:
    """The windows that the window manager knows, topmost first; none until a test adds some."""
    x11, stack = ModuleType("x11"), list[SimpleNamespace]()
    x11.stacked = lambda _: stack  # type: ignore[attr-defined]
    x11.display = lambda: None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ambidex.mcp_tools.display.x11", x11)
    monkeypatch.setattr("ambidex.mcp_tools.display.x11", x11, raising=False)
    return stack


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


@pytest.fixture
def states(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, dict[str, Any]]:
    """What windows answer, by the names of their sockets; a window without an answer here refuses
    connections.
    """
    answers: dict[str, dict[str, Any]] = {}
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "ambidex-code").mkdir()
    for name in ("1", "2"):
        (tmp_path / "ambidex-code" / f"{name}.sock").touch()

    def ask(address: Path, question: str) -> dict[str, Any]:
        if question != "state" or address.stem not in answers:
            raise ConnectionRefusedError
        return dict(answers[address.stem])

    monkeypatch.setattr(windows, "ask", ask)
    return answers


def state(name: str | None, focused_at: int, focused: bool = True) -> dict[str, Any]:
    shown: dict[str, Any] = {"workspace": None, "folders": [], "tabs": [], "editor": None}
    return {"name": name, "focused": focused, "focused_at": focused_at, **shown}


def on_screen(title: str, active: bool = False, app: str = "Code") -> SimpleNamespace:
    return SimpleNamespace(title=title, active=active, app=app)


TWO = on_screen("two - Visual Studio Code")


def last_active() -> list[tuple[str | None, bool]]:
    return [(window.name, window.focused) for _, window in connected_windows()]


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        pytest.param(
            [on_screen("a.py - one - Visual Studio Code", active=True), TWO],
            [("one", True), ("two", False)],
            id="two has lost it",
        ),
        pytest.param(
            [
                on_screen("Terminal", active=True, app="Terminal"),
                on_screen("one - Visual Studio Code"),
                TWO,
            ],
            [("one", False), ("two", False)],
            id="both have lost it",
        ),
        pytest.param(
            [on_screen("127.0.0.1:18080/?workspace=one", active=True), TWO],
            [("one", True), ("two", False)],
            id="the title is not there yet",
        ),
        pytest.param(
            [on_screen("mine"), on_screen("mine", active=True)],
            [("two", True), ("one", True)],
            id="the titles do not tell",
        ),
    ],
)
def test_the_focus_is_what_the_window_manager_says(
    states: dict[str, dict[str, Any]],
    screen: list[SimpleNamespace],
    stack: list[SimpleNamespace],
    expected: list[tuple[str, bool]],
) -> None:
    states.update({"1": state("one", focused_at=1), "2": state("two", focused_at=2)})
    screen.extend(stack)
    assert last_active() == expected


def test_a_window_whose_extension_host_restarts_is_waited_for_though_another_claims_the_focus(
    monkeypatch: pytest.MonkeyPatch,
    states: dict[str, dict[str, Any]],
    screen: list[SimpleNamespace],
) -> None:
    screen.extend([on_screen("mine", active=True), on_screen("mine")])
    states["2"] = state("two", focused_at=2)

    def wait_for(condition: Any, within: float, every: float) -> Any:
        if not (result := condition()):
            states["1"] = state("one", focused_at=3)
            result = condition()
        return result

    monkeypatch.setattr(windows, "wait_for", wait_for)
    assert last_active() == [("one", True), ("two", True)]
