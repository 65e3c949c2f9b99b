"""VS Code: its windows, the folders and files in them, and its commands."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.code import app, jsonc
from ambidex.mcp_tools.code.editor import (
    Window,
    absolute,
    ask,
    command_line,
    front,
    to_front,
    wait_for_window,
    windows,
)
from ambidex.mcp_tools.waiting import wait_for

STARTS_WITHIN = 40.0
FOLDERS_WITHIN = 20.0
ENDS_WITHIN = 10.0
FOLLOWS_WITHIN = 3.0
RELOADS_WITHIN = 40.0

File = Annotated[str, Field(min_length=1, description="path of a file, such as ~/project/main.py")]
Folder = Annotated[str, Field(min_length=1, description="path of a folder, such as ~/project")]


@dataclass(frozen=True)
class Ran:
    """What a command returned, None for most, and the window after it."""

    value: Any
    window: Window


def file_at(path: str) -> Path:
    """The file; `ToolError` if there is none."""
    found = absolute(path)
    if not found.is_file():
        code = "not_file" if found.exists() else "not_found"
        hint = "Create it with files_write_text first." if code == "not_found" else ""
        raise ToolError(f"There is no file {found}.", code=code, hint=hint)
    return found


def folder_at(path: str) -> Path:
    """The folder; `ToolError` if there is none."""
    found = absolute(path)
    if not found.is_dir():
        hint = "Create it with files_create_directory first."
        raise ToolError(f"There is no folder {found}.", code="not_found", hint=hint)
    return found


def some_window() -> Path:
    """Where the last active window answers; an empty one is opened if there is none."""
    if not windows():
        command_line("--new-window", within=STARTS_WITHIN)
        return wait_for_window(lambda _: True, "open a window")[0]
    return front()[0]


@app.tool(timeout=120)
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
    found = absolute(path)
    if not found.exists():
        hint = "Create it first, or check the path with files_list_directory."
        raise ToolError(f"There is no {found}.", code="not_found", hint=hint)
    if found.is_dir() or found.suffix == ".code-workspace":

        def shows(window: Window) -> bool:
            if found.is_dir():
                return window.workspace is None and window.folders == [str(found)]
            return window.workspace == str(found) and has_read(window)

        if not any(shows(window) for _, window in windows()):
            command_line(str(found), within=STARTS_WITHIN)
        return to_front(wait_for_window(shows, f"open {found}")[0])
    known = {address for address, _ in windows()}
    if known and new_window:
        command_line("--new-window", within=STARTS_WITHIN)
        wait_for_window(lambda _: {each for each, _ in windows()} > known, "open a window")
        address = next(each for each, _ in windows() if each not in known)
    else:
        address = some_window()
    return opened(address, found)


def opened(address: Path, file: Path, **at: int) -> Window:
    """The window once it shows the file; `ToolError` if it does not."""
    ask(address, "open", path=str(file), **at)
    window = to_front(address)
    if not any(tab.path == str(file) and tab.active for tab in window.tabs):
        raise ToolError(f"VS Code did not open {file}.", code="refused")
    return window


@app.tool(timeout=120)
def goto_file(
    file_path: File,
    line: Annotated[int, Field(ge=1, description="from 1")] = 1,
    character: Annotated[int, Field(ge=1, description="column, from 1")] = 1,
) -> Window:
    """Jump to a line of a source file: open it in the editor and place the cursor at a line and
    column. Returns the window and cursor position.
    """
    file = file_at(file_path)
    window = opened(some_window(), file, line=line, character=character)
    editor = window.editor
    if editor is None or editor.path != str(file):
        raise ToolError(f"{file} is not shown as text.", code="not_text")
    if (editor.line, editor.character) != (line, character):
        message = f"{file.name} has no line {line}, character {character}."
        hint = f"The cursor is at line {editor.line}, character {editor.character}."
        raise ToolError(message, code="out_of_range", hint=hint)
    return window


@app.tool(timeout=120)
def compare_files(file1: File, file2: File) -> Window:
    """Compare two files: show a diff with their differences side by side in the editor, `file1`
    left, `file2` right. Returns the window.
    """
    one, other = file_at(file1), file_at(file2)
    address = some_window()
    ask(address, "compare", file1=str(one), file2=str(other))
    window = to_front(address)
    pair = (str(one), str(other))
    if not any((tab.compared_with, tab.path) == pair and tab.active for tab in window.tabs):
        raise ToolError(f"VS Code did not compare {one} with {other}.", code="refused")
    return window


def has_read(window: Window) -> bool:
    """Whether the window shows as many folders as its workspace file lists: what is added to one
    that has not read it yet would take the place of them all.
    """
    try:
        said = jsonc.parse(Path(window.workspace or "").read_text(encoding="utf-8"))
        return len(window.folders) == len(said["folders"])
    except (OSError, ValueError, KeyError, TypeError):
        return True  # it has no such file, or one that VS Code takes for empty


def read_in() -> tuple[Path, Window]:
    """The last active window, once it has read its workspace file; `ToolError` if it does not."""

    def seen() -> Optional[tuple[Path, Window]]:
        found = front()
        return found if has_read(found[1]) else None

    found = wait_for(seen, FOLDERS_WITHIN)
    if found is None:
        message = "The window does not show the folders that its workspace file lists."
        raise ToolError(message, code="busy", hint="Reload the window, then call again.")
    return found


def may_reload(window: Window) -> None:
    """`ToolError` if the window reloads to have other folders, and something is unsaved."""
    if window.workspace is None:
        unsaved(window)


def unsaved(window: Window) -> None:
    """`ToolError` if something in the window, which has to reload, is unsaved."""
    labels = [tab.label for tab in window.tabs if tab.unsaved]
    if labels:
        message = "The window has to reload to have other folders."
        hint = f"Save or close these first: {', '.join(labels)}."
        raise ToolError(message, code="unsaved", hint=hint)


def changed(address: Path, window: Window, wanted: set[str], **change: str) -> Window:
    """The window once it has these folders, after it has reloaded or restarted its extensions, as
    it does where its first folder is another one then.
    """
    try:
        made = ask(address, "folders", FOLDERS_WITHIN, **change)
    except OSError:  # It reloads.
        made = True
    if not made:
        raise ToolError(f"VS Code did not do that: {change}.", code="refused")
    if window.workspace is None or window.folders[:1] == [change.get("remove")]:
        # Until then another window would be taken for the last active one.
        wait_for(lambda: address not in dict(windows()), ENDS_WITHIN)

    def has(now: Window) -> bool:
        return set(now.folders) == wanted and window.workspace in (None, now.workspace)

    if window.workspace is not None:
        wait_for_window(lambda now: now.workspace == window.workspace, "answer", RELOADS_WITHIN)
        wait_for(lambda: any(has(now) for _, now in windows()), FOLLOWS_WITHIN, 0.3)
        for each, now in windows():
            if now.workspace == window.workspace and not has(now):
                # It wrote the file and read it again too early, as VS Code does now and then.
                unsaved(now)
                with suppress(OSError, ToolError):
                    ask(each, "command", name="workbench.action.reloadWindow")
    found = wait_for_window(has, f"do that: {change}", RELOADS_WITHIN)
    return to_front(found[0])


@app.tool(timeout=120)
def add_folder(folder: Folder) -> Window:
    """Add a folder (another directory, root) to the workspace of the last active window; one folder
    becomes a multi-root workspace, a saved .code-workspace file is updated. Returns the window.
    """
    found = folder_at(folder)
    address, window = read_in()
    if str(found) in window.folders:
        return window
    may_reload(window)
    wanted = {*window.folders, str(found)}
    return changed(address, window, wanted, add=str(found))


@app.tool(timeout=120)
def remove_folder(folder: Folder) -> Window:
    """Remove a folder (close a root directory) from the workspace of the last active window; it
    stays on disk, a saved .code-workspace file is updated. Returns the window.
    """
    found = absolute(folder)
    address, window = read_in()
    if str(found) not in window.folders:
        listed = ", ".join(window.folders) or "none"
        message = f"{found} is not a folder of the last active window."
        raise ToolError(message, code="not_found", hint=f"Its folders: {listed}.")
    may_reload(window)
    wanted = {*window.folders} - {str(found)}
    return changed(address, window, wanted, remove=str(found))


@app.tool(reads_only=True)
def list_windows() -> list[Window]:
    """List the open editor windows, last active first: folders, workspace, open and unsaved
    editors, the active editor with cursor and selection.
    """
    return [window for _, window in windows()]


@app.tool(timeout=60)
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
) -> Ran:
    """Run a command of the command palette in the last active window: trigger or execute workbench
    and editor actions such as format document, toggle sidebar, indent, fold, split, save. Acts on
    the active editor and selection. An unknown identifier is refused with similar ones. Returns the
    window.
    """
    address, _ = front()
    said = ask(address, "command", within=30, name=command, given=arguments)
    if not said["known"]:
        hint = f"Similar ones: {', '.join(said['near']) or 'none'}."
        raise ToolError(f"VS Code has no command {command!r}.", code="unknown_command", hint=hint)
    after = dict(windows()).get(address)
    return Ran(said["value"], after or wait_for_window(lambda _: True, "stay open")[1])
