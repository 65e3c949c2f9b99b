"""Tools for the folders of VS Code's windows."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Optional
from urllib.parse import unquote, urlsplit

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.code import app, jsonc
from ambidex.mcp_tools.code.editor import absolute_path
from ambidex.mcp_tools.code.settings import parse_file, read_text, write
from ambidex.mcp_tools.code.windows import (
    Window,
    ask,
    front_window,
    open_windows,
    wait_for_reading,
    wait_for_window,
)
from ambidex.mcp_tools.code.workspace import (
    Folder,
    existing_folder,
    has_loaded_workspace,
    is_open,
    show_window,
    wait_until_gone,
)

ACCEPTS_WITHIN = 20.0
RELOADS_WITHIN = 60.0


def wait_for_workspace() -> tuple[Path, Window]:
    """The last active window once it has loaded its workspace file; `ToolError` on timeout."""

    def loaded() -> Optional[tuple[Path, Window]]:
        result = front_window()
        return result if has_loaded_workspace(result[1]) else None

    result = wait_for_reading(Path(front_window()[1].workspace or ""), loaded)
    if result is None:
        message = "The window has not loaded the folders in its workspace file."
        raise ToolError(message, code="busy", hint="Reload the window, then call again.")
    return result


def refuse_unsaved(window: Window) -> None:
    """`ToolError` if something is unsaved in a window that has to reload."""
    labels = [tab.label for tab in window.tabs if tab.unsaved]
    if labels:
        message = "Changing its folders would reload the window."
        hint = f"Save or close these first: {', '.join(labels)}."
        raise ToolError(message, code="unsaved", hint=hint)


def path_of(entry: Any, file: Path) -> Optional[str]:
    """The folder that an entry of a workspace file names; None if it names none."""
    if not isinstance(entry, dict):
        return None
    if isinstance(entry.get("uri"), str):
        return os.path.normpath(unquote(urlsplit(entry["uri"]).path))
    path = entry.get("path")
    return os.path.normpath(file.parent / path) if isinstance(path, str) else None


def edit_workspace(file: Path, add: str = "", remove: str = "") -> None:
    """Add or remove a folder in a workspace file, with its comments preserved."""
    text = read_text(file)
    entries = parse_file(file, text, dict).get("folders", [])
    if not isinstance(entries, list):
        raise ToolError(f"The folders in {file} are not an array.", code="malformed")
    if add:
        entry = {"path": os.path.relpath(add, file.parent)}
        text = jsonc.edit(text, ["folders", len(entries)], entry)
    for index in reversed(range(len(entries))):
        if remove and path_of(entries[index], file) == remove:
            text = jsonc.remove(text, ["folders", index])
    write(file, text)


def change_folders(address: Path, window: Window, expected: set[str], **change: str) -> Window:
    """Change the folders of a window and return it once it has exactly the expected ones. VS Code
    reloads the window, or restarts its extensions if the first folder changes.

    The folders of a window with a workspace file are changed in that file, because a window whose
    extensions are about to restart loses the request.
    """
    file = Path(window.workspace or "")
    if file.is_file():
        if any(tab.unsaved and tab.path == str(file) for tab in window.tabs):
            message = f"{file} has unsaved changes in an editor."
            raise ToolError(message, code="unsaved", hint="Save or close it first.")
        edit_workspace(file, **change)
    else:
        if window.workspace is None:
            refuse_unsaved(window)
        try:
            accepted = ask(address, "folders", ACCEPTS_WITHIN, **change)
        except OSError:  # the window is reloading
            accepted = True
        if not accepted:
            raise ToolError(f"VS Code refused to change the folders: {change}.", code="refused")
    if window.workspace is None or window.folders[:1] == [change.get("remove")]:
        # Until it is gone, another window may count as the last active one.
        if file.is_file():
            wait_for_reading(file, lambda: not is_open(address))
        else:
            wait_until_gone(address, RELOADS_WITHIN)

    def is_done(current: Window) -> bool:
        return set(current.folders) == expected and window.workspace in (None, current.workspace)

    def any_is_done() -> bool:
        return any(is_done(current) for _, current in open_windows())

    if window.workspace is not None:
        wait_for_window(
            lambda current: current.workspace == window.workspace, "answer", RELOADS_WITHIN
        )
        wait_for_reading(file, any_is_done)
        for other, current in open_windows():
            if current.workspace == window.workspace and not is_done(current):
                refuse_unsaved(current)
                with suppress(OSError, ToolError):
                    ask(other, "command", name="workbench.action.reloadWindow")
                    wait_until_gone(other)
    return show_window(is_done, f"change its folders: {change}", RELOADS_WITHIN)


@app.tool(timeout=470)
def add_folder(folder: Folder) -> Window:
    """Add a folder (another directory, root) to the workspace of the last active window; one folder
    becomes a multi-root workspace, a saved .code-workspace file is updated. Returns the window.
    """
    path = existing_folder(folder)
    address, window = wait_for_workspace()
    if str(path) in window.folders:
        return window
    expected = {*window.folders, str(path)}
    return change_folders(address, window, expected, add=str(path))


@app.tool(timeout=470)
def remove_folder(folder: Folder) -> Window:
    """Remove a folder (close a root directory) from the workspace of the last active window; it
    stays on disk, a saved .code-workspace file is updated. Returns the window.
    """
    path = absolute_path(folder)
    address, window = wait_for_workspace()
    if str(path) not in window.folders:
        existing = ", ".join(window.folders) or "none"
        message = f"Not a folder of the last active window: {path}."
        raise ToolError(message, code="not_found", hint=f"Folders of the window: {existing}.")
    expected = {*window.folders} - {str(path)}
    return change_folders(address, window, expected, remove=str(path))
