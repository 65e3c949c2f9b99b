"""Tools for the user's keyboard shortcuts in VS Code: keybindings.json, edited in place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.code import app, editor, jsonc
from ambidex.mcp_tools.code.settings import parse_file, read_text, write

__all__ = ["app"]

Keys = Annotated[
    str,
    Field(
        pattern=r"^\S+( \S+)?$",
        description="such as ctrl+shift+j, or two in a row: ctrl+k ctrl+c",
    ),
]
Command = Annotated[
    str,
    Field(
        min_length=1,
        description="such as workbench.action.focusActiveEditorGroup; with a - before it, that "
        "command loses the shortcut",
    ),
]
When = Annotated[Optional[str], Field(description="condition for it, such as terminalFocus")]


@dataclass(frozen=True)
class Shortcut:
    """A keyboard shortcut. A command that begins with - removes a built-in shortcut."""

    key: str
    command: str
    when: Optional[str] = None
    args: Any = None


@dataclass(frozen=True)
class Shortcuts:
    """The shortcuts in the file, in order: of two that apply, the later one wins."""

    file: str
    shortcuts: list[Shortcut]


def _file() -> Path:
    return editor.user_folder() / "keybindings.json"


def _shortcuts(text: str) -> list[Shortcut]:
    entries = parse_file(_file(), text, list)
    names = ("key", "command", "when", "args")
    return [Shortcut(**{name: entry.get(name) for name in names}) for entry in entries]


def _save(text: str) -> None:
    write(_file(), text)
    editor.notify_shortcuts(_file(), text)


@app.tool(reads_only=True)
def get_keybindings() -> Shortcuts:
    """List the custom keyboard shortcuts that the user defined (keybindings.json), without built-in
    ones.
    """
    return Shortcuts(str(_file()), _shortcuts(read_text(_file())))


@app.tool()
def add_keybinding(key: Keys, command: Command, when: When = None) -> Shortcuts:
    """Add a keyboard shortcut: make a key combination (hotkey) run an editor command, at once. A
    command starting with - (-list.find) unbinds a built-in one. Returns all custom shortcuts.
    """
    new = Shortcut(key.lower(), command, when)
    text = read_text(_file())
    current = _shortcuts(text)
    if new not in current:
        entry = {"key": new.key, "command": command, **({"when": when} if when else {})}
        _save(jsonc.edit(text, [len(current)], entry))
    return get_keybindings()


@app.tool()
def remove_keybinding(key: Keys, command: Command, when: When = None) -> Shortcuts:
    """Remove a keyboard shortcut that the user defined: unbind exactly this key combination,
    command and condition. For built-in ones use code_add_keybinding with a - before the command.
    Returns the remaining shortcuts.
    """
    text = read_text(_file())
    current = _shortcuts(text)
    matches = [
        index
        for index, shortcut in enumerate(current)
        if (shortcut.key.lower(), shortcut.command, shortcut.when) == (key.lower(), command, when)
    ]
    if not matches:
        existing = (
            ", ".join(f"{shortcut.key}: {shortcut.command}" for shortcut in current) or "none"
        )
        message = f"The user has no shortcut {key} for {command} with this condition."
        raise ToolError(message, code="not_found", hint=f"Existing shortcuts: {existing}.")
    for index in reversed(matches):
        text = jsonc.remove(text, [index])
    _save(text)
    return get_keybindings()
