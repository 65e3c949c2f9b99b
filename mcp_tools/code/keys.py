"""VS Code's keyboard shortcuts of the user's own: keybindings.json, changed in place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.code import app, editor, jsonc
from ambidex.mcp_tools.code.settings import text_of, value_of, write

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
    """A shortcut; a command that begins with - takes one of VS Code's own away."""

    key: str
    command: str
    when: Optional[str] = None
    args: Any = None


@dataclass(frozen=True)
class Shortcuts:
    """What the file says, in its order: of two that fit the later one counts."""

    file: str
    shortcuts: list[Shortcut]


def _file() -> Path:
    return editor.user_folder() / "keybindings.json"


def _shortcuts(text: str) -> list[Shortcut]:
    entries = value_of(_file(), text, list)
    names = ("key", "command", "when", "args")
    return [Shortcut(**{name: each.get(name) for name in names}) for each in entries]


def _put(text: str) -> None:
    write(_file(), text)
    editor.shortcuts_written(_file(), text)


@app.tool(reads_only=True)
def get_keybindings() -> Shortcuts:
    """List the custom keyboard shortcuts that the user defined (keybindings.json), without built-in
    ones.
    """
    return Shortcuts(str(_file()), _shortcuts(text_of(_file())))


@app.tool()
def add_keybinding(key: Keys, command: Command, when: When = None) -> Shortcuts:
    """Add a keyboard shortcut: make a key combination (hotkey) run an editor command, at once. A
    command starting with - (-list.find) unbinds a built-in one. Returns all custom shortcuts.
    """
    new = Shortcut(key.lower(), command, when)
    text = text_of(_file())
    there = _shortcuts(text)
    if new not in there:
        entry = {"key": new.key, "command": command, **({"when": when} if when else {})}
        _put(jsonc.edit(text, [len(there)], entry))
    return get_keybindings()


@app.tool()
def remove_keybinding(key: Keys, command: Command, when: When = None) -> Shortcuts:
    """Remove a keyboard shortcut that the user defined: unbind exactly this key combination,
    command and condition. For built-in ones use code_add_keybinding with a - before the command.
    Returns the remaining shortcuts.
    """
    text = text_of(_file())
    there = _shortcuts(text)
    fits = [
        place
        for place, each in enumerate(there)
        if (each.key.lower(), each.command, each.when) == (key.lower(), command, when)
    ]
    if not fits:
        listed = ", ".join(f"{each.key}: {each.command}" for each in there) or "none"
        message = f"The user has set no shortcut {key} for {command} with that condition."
        raise ToolError(message, code="not_found", hint=f"Those that are set: {listed}.")
    for place in reversed(fits):
        text = jsonc.remove(text, [place])
    _put(text)
    return get_keybindings()
