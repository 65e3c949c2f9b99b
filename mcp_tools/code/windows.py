"""Windows of VS Code: what they show, requests to them, and waiting until they answer.

The built-in extension `ambidex` serves each window on a socket of its own.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, TypeVar

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.waiting import wait_for

if TYPE_CHECKING:
    from ambidex.mcp_tools.display import x11

__all__ = [
    "STARTS_WITHIN",
    "CanceledError",
    "Editor",
    "NoAnswerError",
    "Tab",
    "Window",
    "WindowClosedError",
    "ask",
    "bring_to_front",
    "connected_windows",
    "front_window",
    "open_windows",
    "wait_for_reading",
    "wait_for_window",
]

T = TypeVar("T")

ANSWERS_WITHIN = 15.0
STARTS_WITHIN = 400.0
"""Seconds for a new window to answer: an emulated machine may need more than 240."""
CONNECTS_WITHIN = 120.0
"""Seconds for a window on the screen to answer: a busy computer may need more than 40."""
RESTARTS_WITHIN = 20.0
ACTIVE_WITHIN = 15.0
READS_WITHIN = 4.0


@dataclass(frozen=True)
class Tab:
    """An editor tab; `compared_with` is the left side of a diff."""

    label: str
    path: Optional[str]
    compared_with: Optional[str]
    unsaved: bool
    active: bool


@dataclass(frozen=True)
class Editor:
    """The active text editor and its cursor. Lines and characters count from 1."""

    path: str
    language: str
    unsaved: bool
    line: int
    character: int
    selected: str


@dataclass(frozen=True)
class Window:
    """A window: its folders, its .code-workspace file if it has one, and its editor tabs."""

    name: Optional[str]
    focused: bool
    workspace: Optional[str]
    folders: list[str]
    tabs: list[Tab]
    editor: Optional[Editor]


class NoAnswerError(ToolError):
    """A window did not answer in time: it is still starting, or the computer is busy."""


class CanceledError(ToolError):
    """VS Code gave the request up, as when it closes or reloads the window."""


def ask(address: Path, question: str, within: float = ANSWERS_WITHIN, **arguments: object) -> Any:
    """Send a request to a window and return its answer. `ToolError` if it reports an error or does
    not answer (`NoAnswerError`), `OSError` if the window closes or reloads."""
    line = json.dumps({"ask": question, "given": arguments}) + "\n"
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(within)
        try:
            connection.connect(str(address))
            connection.sendall(line.encode())
            reply = connection.makefile("rb").readline()
        except TimeoutError:
            message = f"VS Code did not answer within {within:g} s."
            hint = "It may be waiting for input: look at the screen."
            raise NoAnswerError(message, code="timeout", hint=hint) from None
    if not reply:
        raise ConnectionResetError
    answer = json.loads(reply)
    if "error" in answer:
        kind = CanceledError if answer["error"] == "Canceled" else ToolError
        raise kind(f"Error in VS Code: {answer['error']}", code="refused")
    return answer["value"]


def open_windows() -> list[tuple[Path, Window]]:
    """The open windows with their socket addresses, the last active one first.

    What the window manager says of the focus counts: a window in which nothing has the focus, such
    as one whose last editor was closed, does not notice that it loses it (VS Code 1.139). What the
    windows report counts only if their titles do not tell which is which.
    """
    folder = Path(os.environ.get("XDG_RUNTIME_DIR", Path.home() / ".cache")) / "ambidex-code"
    states: list[tuple[Path, dict[str, Any]]] = []
    for address in folder.glob("*.sock"):
        with suppress(OSError):  # the window was closed
            states.append((address, ask(address, "state")))
    stack = _on_screen() if states else []
    places = _places([state["name"] for _, state in states], stack)
    if places:
        rows = sorted(zip(places, states, strict=True), key=lambda row: row[0])
        return [(address, _window(stack[i].active, state)) for i, (address, state) in rows]
    states.sort(key=lambda row: (row[1]["focused"], row[1]["focused_at"]), reverse=True)
    return [(address, _window(state["focused"], state)) for address, state in states]


def _window(focused: bool, state: dict[str, Any]) -> Window:
    tabs = [Tab(**tab) for tab in state["tabs"]]
    editor = Editor(**state["editor"]) if state["editor"] else None
    return Window(state["name"], focused, state["workspace"], state["folders"], tabs, editor)


def _on_screen() -> list[x11.Window]:
    """The windows of VS Code that the window manager knows, topmost first."""
    from ambidex.mcp_tools.display import x11

    return [window for window in x11.stacked(x11.display()) if window.app.lower() == "code"]


def _places(names: list[Optional[str]], stack: list[x11.Window]) -> list[int]:
    """For each name of a window its index in `stack`; empty if the titles do not tell them all."""
    places: list[Optional[int]] = []
    for name in names:
        ending = f" - {name} - Visual Studio Code"
        found = [i for i, window in enumerate(stack) if f" - {window.title}".endswith(ending)]
        places.append(found[0] if len(found) == 1 else None)
    # A window without a folder has no name, and a title is updated with a delay.
    left = set(range(len(stack))).difference(places)
    if len(left) == places.count(None) == 1:
        places[places.index(None)] = left.pop()
    known = [place for place in places if place is not None]
    return known if len(set(known)) == len(names) else []


def connected_windows() -> list[tuple[Path, Window]]:
    """`open_windows`; if none answers while one is on the screen, wait until one does, then for a
    while until all answer: one that does not may be the last active one.

    A window does not answer while it starts, or while its extension host restarts. Raises
    `ToolError` if it stays on the screen and never answers.
    """
    if wait_for(lambda: open_windows() or not _on_screen(), CONNECTS_WITHIN, 0.2):
        wait_for(lambda: len(open_windows()) >= len(_on_screen()), RESTARTS_WITHIN, 0.2)
    windows = open_windows()
    if not windows and _on_screen():
        message = f"The window of VS Code did not answer within {CONNECTS_WITHIN:g} s."
        raise ToolError(message, code="timeout", hint="Reload the window, then call again.")
    return windows


def front_window() -> tuple[Path, Window]:
    """The last active window with its socket address; `ToolError` if none is open."""
    candidates = connected_windows()
    if not candidates:
        hint = "Open one with code_launch_vscode."
        raise ToolError("No window of VS Code is open.", code="not_running", hint=hint)
    return candidates[0]


def wait_for_window(
    condition: Callable[[Window], bool], action: str, within: float = STARTS_WITHIN
) -> tuple[Path, Window]:
    """Wait for a window that meets the condition; `ToolError` lists the open ones on timeout. One
    that has just started may accept a request long before it answers."""

    def find_match() -> Optional[tuple[Path, Window]]:
        try:
            return next((entry for entry in open_windows() if condition(entry[1])), None)
        except NoAnswerError:
            return None

    match = wait_for(find_match, within, 0.2)
    if match is None:
        names = ", ".join(repr(window.name) for _, window in open_windows()) or "none"
        raise ToolError(f"VS Code did not {action}. Open windows: {names}.", code="refused")
    return match


def wait_for_reading(
    file: Path, condition: Callable[[], Optional[T]], reads: int = 4
) -> Optional[T]:
    """Wait for what windows do once they have read this file, such as settings.json. They miss
    changes while busy, so every few seconds they are made to read it again, `reads` times at most.
    """
    result = wait_for(condition, READS_WITHIN, 0.3)
    for _ in range(reads):
        if result:
            break
        with suppress(OSError):
            os.utime(file)
        result = wait_for(condition, READS_WITHIN, 0.3)
    return result


class WindowClosedError(ToolError):
    """The window was closed, or its extension host restarted and answers at another address."""

    def __init__(self) -> None:
        hint = "code_list_windows lists the windows that are open."
        super().__init__("The window of VS Code has closed.", code="gone", hint=hint)


def bring_to_front(address: Path) -> Window:
    """Activate a window; return its state once it is focused, or after a few seconds. Raises
    `WindowClosedError` if it no longer answers at this address.
    """
    from ambidex.mcp_tools.display import x11

    windows = dict(open_windows())
    state = windows.get(address)
    if state is None:
        raise WindowClosedError
    stack = _on_screen()
    places = _places([window.name for window in windows.values()], stack)
    if places and not state.focused:
        x11.activate(x11.display(), stack[places[list(windows).index(address)]].id)

    def focused() -> Optional[Window]:
        now = dict(open_windows()).get(address)
        return now if now and now.focused else None

    state = wait_for(focused, ACTIVE_WITHIN) or dict(open_windows()).get(address)
    if state is None:
        raise WindowClosedError
    return state
