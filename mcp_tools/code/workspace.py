"""Tools for VS Code's windows, their folders and files, and its commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.code import app, jsonc
from ambidex.mcp_tools.code.editor import COMMAND_WITHIN, absolute_path, run_code
from ambidex.mcp_tools.code.windows import (
    STARTS_WITHIN,
    CanceledError,
    NoAnswerError,
    Window,
    WindowClosedError,
    ask,
    bring_to_front,
    connected_windows,
    front_window,
    open_windows,
    wait_for_window,
)
from ambidex.mcp_tools.waiting import wait_for

ENDS_WITHIN = 10.0

File = Annotated[str, Field(min_length=1, description="path of a file, such as ~/project/main.py")]
Folder = Annotated[str, Field(min_length=1, description="path of a folder, such as ~/project")]


@dataclass(frozen=True)
class CommandResult:
    """The return value of a command, None for most, and the state of the window afterwards."""

    value: Any
    window: Window


def existing_file(path: str) -> Path:
    """Resolve the path of a file; `ToolError` if it does not exist."""
    file = absolute_path(path)
    if not file.is_file():
        code = "not_file" if file.exists() else "not_found"
        hint = "Create it with files_write_text first." if code == "not_found" else ""
        raise ToolError(f"Not an existing file: {file}.", code=code, hint=hint)
    return file


def existing_folder(path: str) -> Path:
    """Resolve the path of a folder; `ToolError` if it does not exist."""
    folder = absolute_path(path)
    if not folder.is_dir():
        hint = "Create it with files_create_directory first."
        raise ToolError(f"No such folder: {folder}.", code="not_found", hint=hint)
    return folder


def any_window() -> Path:
    """Socket address of the last active window; an empty window is opened if there is none."""
    if not connected_windows():
        run_code("--new-window", within=COMMAND_WITHIN)
        return wait_for_window(lambda _: True, "open a window")[0]
    return front_window()[0]


@app.tool(timeout=470)
def launch_vscode(
    path: Annotated[
        str, Field(min_length=1, description="a file, a folder or a .code-workspace file")
    ],
    new_window: Annotated[bool, Field(description="open it in a new window")] = False,
) -> Window:
    """Open a file, folder or workspace in Visual Studio Code, starting it if necessary. A folder
    gets its own window, or the one already showing it; a file opens in the last active window.
    Returns the window.
    """
    target = absolute_path(path)
    if not target.exists():
        hint = "Create it first, or check the path with files_list_directory."
        raise ToolError(f"No such file or folder: {target}.", code="not_found", hint=hint)
    if target.is_dir() or target.suffix == ".code-workspace":

        def shows(window: Window) -> bool:
            if target.is_dir():
                return window.workspace is None and window.folders == [str(target)]
            return window.workspace == str(target) and has_loaded_workspace(window)

        if not any(shows(window) for _, window in open_windows()):
            run_code(str(target), within=COMMAND_WITHIN)

        return show_window(shows, f"open {target}", STARTS_WITHIN)
    before = {address for address, _ in open_windows()}
    if before and new_window:
        run_code("--new-window", within=COMMAND_WITHIN)
        wait_for_window(
            lambda _: {candidate for candidate, _ in open_windows()} > before, "open a window"
        )
        address = next(candidate for candidate, _ in open_windows() if candidate not in before)
    else:
        address = any_window()
    return open_file(address, target)


def show_window(condition: Callable[[Window], bool], action: str, within: float) -> Window:
    """Wait for a window that meets the condition, activate it and return it. Its extension host may
    restart meanwhile, which changes its address, or be too busy to answer; `ToolError` if that goes
    on for too long.
    """

    def shown() -> Optional[Window]:
        address, _ = wait_for_window(condition, action, within)
        try:
            found = bring_to_front(address)
        except (NoAnswerError, WindowClosedError):
            return None
        return found if condition(found) else None

    window = wait_for(shown, within)
    if window is None:
        raise WindowClosedError
    return window


def open_file(address: Path, file: Path, **position: int) -> Window:
    """Open a file in a window and return the window; `ToolError` if it does not show the file."""
    ask(address, "open", path=str(file), **position)
    window = bring_to_front(address)
    if not any(tab.path == str(file) and tab.active for tab in window.tabs):
        raise ToolError(f"VS Code did not open {file}.", code="refused")
    return window


@app.tool(timeout=470)
def goto_file(
    file_path: File,
    line: Annotated[int, Field(ge=1, description="from 1")] = 1,
    character: Annotated[int, Field(ge=1, description="column, from 1")] = 1,
) -> Window:
    """Jump to a line of a source file: open it in the editor and place the cursor at a line and
    column. Returns the window and cursor position.
    """
    file = existing_file(file_path)
    window = open_file(any_window(), file, line=line, character=character)
    editor = window.editor
    if editor is None or editor.path != str(file):
        raise ToolError(f"{file} did not open in a text editor.", code="not_text")
    if (editor.line, editor.character) != (line, character):
        message = f"{file.name} has no line {line}, character {character}."
        hint = f"The cursor is at line {editor.line}, character {editor.character}."
        raise ToolError(message, code="out_of_range", hint=hint)
    return window


@app.tool(timeout=470)
def compare_files(file1: File, file2: File) -> Window:
    """Compare two files: show a diff with their differences side by side in the editor, `file1`
    left, `file2` right. Returns the window.
    """
    left, right = existing_file(file1), existing_file(file2)
    address = any_window()
    ask(address, "compare", file1=str(left), file2=str(right))
    window = bring_to_front(address)
    pair = (str(left), str(right))
    if not any((tab.compared_with, tab.path) == pair and tab.active for tab in window.tabs):
        raise ToolError(f"VS Code did not compare {left} with {right}.", code="refused")
    return window


def has_loaded_workspace(window: Window) -> bool:
    """Whether the window shows as many folders as its workspace file lists. A folder added before
    the window has loaded that file would replace all of them.
    """
    try:
        content = jsonc.parse(Path(window.workspace or "").read_text(encoding="utf-8"))
        return len(window.folders) == len(content["folders"])
    except (OSError, ValueError, KeyError, TypeError):
        return True  # no workspace file, or one that VS Code treats as empty


def is_open(address: Path) -> bool:
    """Whether a window answers at this address."""
    return address in dict(open_windows())


def wait_until_gone(address: Path, within: float = ENDS_WITHIN) -> None:
    """Wait until no window answers at this address, for so many seconds."""
    wait_for(lambda: not is_open(address), within)


@app.tool(reads_only=True, timeout=240)
def list_windows() -> list[Window]:
    """List the open editor windows, last active first: folders, workspace, open and unsaved
    editors, the active editor with cursor and selection.
    """
    return [window for _, window in connected_windows()]


@app.tool(timeout=300)
def run_command(
    command: Annotated[
        str,
        Field(
            min_length=1,
            description="its identifier, such as workbench.action.files.saveAll or "
            "editor.action.indentLines",
        ),
    ],
    arguments: Annotated[
        list[Any], Field(description="the command's arguments; most take none")
    ] = [],  # noqa: B006
) -> CommandResult:
    """Run a command of the command palette in the last active window: trigger or execute workbench
    and editor actions such as format document, toggle sidebar, indent, fold, split, save. Acts on
    the active editor and selection. An unknown identifier is refused with similar ones. Returns the
    window.
    """
    address, _ = front_window()
    try:
        answer = ask(address, "command", within=30, name=command, given=arguments)
    except (OSError, CanceledError):
        # A command that reloads or closes the window is not answered.
        wait_until_gone(address)
        if is_open(address):
            raise
        windows = connected_windows()
        if not windows:
            raise WindowClosedError from None
        return CommandResult(None, windows[0][1])
    if not answer["known"]:
        hint = f"Similar ones: {', '.join(answer['near']) or 'none'}."
        raise ToolError(f"VS Code has no command {command!r}.", code="unknown_command", hint=hint)
    after = dict(open_windows()).get(address)
    return CommandResult(answer["value"], after or wait_for_window(lambda _: True, "stay open")[1])
