"""VS Code's settings and keyboard shortcuts: its JSON files, changed in place."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.code import app, editor, jsonc
from ambidex.mcp_tools.code.workspace import folder_at
from ambidex.mcp_tools.waiting import wait_for

__all__ = ["app"]

TAKEN_WITHIN = 5.0

Key = Annotated[
    str, Field(min_length=1, max_length=300, description="such as editor.fontSize or [python]")
]
Of = Annotated[
    Optional[str],
    Field(
        description="a folder, for its own settings (.vscode/settings.json); default: the user's"
    ),
]


@dataclass(frozen=True)
class Setting:
    """A setting in one file. `old` and `new` are what the file says, None if it says nothing;
    `in_use` is what the last active window goes by, `known` whether it knows the setting: both
    None if no window is open.
    """

    key: str
    old: Any
    new: Any
    file: str
    in_use: Any = None
    known: Optional[bool] = None


@dataclass(frozen=True)
class Settings:
    """What a settings file says."""

    file: str
    values: dict[str, Any]


def settings_file(folder: Optional[str]) -> Path:
    """The file of that folder's settings, or the user's."""
    if folder is None:
        return editor.user_folder() / "settings.json"
    return folder_at(folder) / ".vscode/settings.json"


def text_of(file: Path) -> str:
    """What the file says; nothing if there is none."""
    try:
        return file.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise ToolError(f"{file} is not UTF-8: {error}.", code="malformed") from None


def value_of(file: Path, text: str, kind: type) -> Any:
    """What the text says; `ToolError` says where it is wrong."""
    try:
        value = jsonc.parse(text, kind())
    except jsonc.MalformedJsonError as error:
        hint = "Mend that first, with files_read_text and files_write_text or in the window."
        raise ToolError(f"{file} is malformed: {error}.", code="malformed", hint=hint) from None
    if not isinstance(value, kind):
        wanted = "an object" if kind is dict else "an array"
        raise ToolError(f"{file} does not hold {wanted}.", code="malformed")
    return value


def write(file: Path, text: str) -> None:
    """Put the text into the file, which is there afterwards as a whole or not at all."""
    file = file.resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f".{file.name}.partial")
    partial.write_bytes(text.encode())
    if file.exists():
        partial.chmod(file.stat().st_mode)
    partial.replace(file)


def holds(wanted: Any, found: Any) -> bool:
    """Whether what was found is what was wanted; of an object at least its keys."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(holds(each, found.get(key)) for key, each in wanted.items())
    return bool(wanted == found)


def described(key: str, old: Any, new: Any, file: Path, *, wait: bool) -> Setting:
    """The setting with what the last active window makes of it; with `wait`, once it goes by it or
    after a few seconds.
    """
    seen: dict[str, Any] = {}

    def taken() -> bool:
        found = editor.windows()
        seen.clear()
        if found:
            seen.update(editor.ask(found[0][0], "setting", key=key))
        return not seen or new is None or not seen["known"] or holds(new, seen.get("value"))

    if wait:
        wait_for(taken, TAKEN_WITHIN)
    else:
        taken()
    return Setting(key, old, new, str(file), seen.get("value"), seen.get("known"))


def change(key: str, folder: Optional[str], edited: Callable[[str], str]) -> Setting:
    """Change one setting in its file by what `edited` makes of the text."""
    file = settings_file(folder)
    text = text_of(file)
    old = value_of(file, text, dict).get(key)
    try:
        changed = edited(text)
    except TypeError as error:
        raise ToolError(f"{file}: {error}.", code="bad_value") from None
    if changed != text:
        write(file, changed)
    new = value_of(file, text_of(file), dict).get(key)
    return described(key, old, new, file, wait=True)


def put(key: str, value: Any, folder: Optional[str] = None) -> Setting:
    """Set one setting."""
    return change(key, folder, lambda text: jsonc.edit(text, [key], value))


def put_in(key: str, values: dict[str, Any], folder: Optional[str] = None) -> Setting:
    """Put entries into a setting that is an object; its others stay."""
    return change(key, folder, lambda text: jsonc.merge(text, [key], values))


@app.tool(reads_only=True)
def get_settings(
    part: Annotated[str, Field(description="only keys that contain this, ignoring case")] = "",
    folder: Of = None,
) -> Settings:
    """Show all settings (preferences) changed by the user: print the user's or workspace's
    settings.json, without defaults. Needs no window.
    """
    file = settings_file(folder)
    values = value_of(file, text_of(file), dict)
    chosen = {key: value for key, value in values.items() if part.lower() in key.lower()}
    return Settings(str(file), chosen)


@app.tool(reads_only=True)
def get_setting(key: Key, folder: Of = None) -> Setting:
    """Look up what one setting, such as editor.tabSize, is set to: the value of its key in
    settings.json, and the effective one in the last active window (its default if unset).
    """
    file = settings_file(folder)
    value = value_of(file, text_of(file), dict).get(key)
    return described(key, value, value, file, wait=False)


@app.tool()
def set_setting(
    key: Key,
    value: Annotated[Any, Field(description='true, 14, "on", ["a"] or {"a": true}')],
    merge: Annotated[bool, Field(description="merge an object into the existing one")] = False,
    folder: Of = None,
) -> Setting:
    """Change one setting in settings.json, such as font size, tab size, minimap: set its value;
    comments and the rest stay. Takes effect at once. Returns the value before and after, and the
    effective one.
    """
    if merge and not isinstance(value, dict):
        raise ToolError("Only an object can be merged.", code="bad_value")
    return put_in(key, value, folder) if merge else put(key, value, folder)


@app.tool()
def reset_setting(key: Key, folder: Of = None) -> Setting:
    """Reset one setting to its default value: remove its key from settings.json."""
    return change(key, folder, lambda text: jsonc.remove(text, [key]))


@app.tool()
def set_word_wrap_column(
    column: Annotated[int, Field(ge=1, le=100_000, description="columns")],
) -> Setting:
    """Set the column at which lines wrap: word wrap after so many characters
    (editor.wordWrapColumn). Counts only if editor.wordWrap is wordWrapColumn or bounded.
    """
    return put("editor.wordWrapColumn", column)


@app.tool()
def set_auto_save_delay(
    delay_ms: Annotated[int, Field(ge=0, le=86_400_000, description="milliseconds")],
    auto_save: Annotated[
        Optional[Literal["off", "afterDelay", "onFocusChange", "onWindowChange"]],
        Field(description="also set when VS Code saves by itself; default: unchanged"),
    ] = None,
) -> list[Setting]:
    """Set the auto save delay in milliseconds, after which changed files are saved by themselves
    (files.autoSaveDelay). Works only while files.autoSave is afterDelay: pass `auto_save` to turn
    autosave on.
    """
    done = [put("files.autoSaveDelay", delay_ms)]
    if auto_save is not None:
        done.append(put("files.autoSave", auto_save))
    return done


@app.tool()
def set_focus_editor_on_break(
    value: Annotated[bool, Field(description="whether the editor gets the focus")],
) -> Setting:
    """Choose whether the editor gets the focus, and the window comes to the front, when the
    debugger stops at a breakpoint while debugging (debug.focusEditorOnBreak).
    """
    return put("debug.focusEditorOnBreak", value)


@app.tool()
def set_wrap_tabs(
    value: Annotated[bool, Field(description="whether tabs wrap over several lines")],
) -> Setting:
    """Wrap editor tabs over multiple rows (lines) instead of a scrollbar, so that all open tabs are
    visible, or not (workbench.editor.wrapTabs).
    """
    return put("workbench.editor.wrapTabs", value)


@app.tool()
def add_files_exclude(
    pattern: Annotated[str, Field(min_length=1, description="a glob, such as **/__pycache__")],
) -> Setting:
    """Hide files and folders that match a pattern from the explorer sidebar's file tree and the
    search: exclude clutter such as __pycache__, node_modules (files.exclude). Existing patterns
    stay.
    """
    return put_in("files.exclude", {pattern: True})


@app.tool()
def set_python_diagnostics_override(
    rule: Annotated[
        str, Field(pattern=r"^[A-Za-z]\w*$", description="such as reportMissingImports")
    ],
    severity: Annotated[
        Literal["error", "warning", "information", "hint", "none", "true", "false"],
        Field(description="none switches the rule off"),
    ],
) -> Setting:
    """Set the severity of a Python type checking rule of Pylance, such as reportMissingImports:
    turn a warning off or make it an error (python.analysis.diagnosticSeverityOverrides). Other
    rules stay.
    """
    return put_in("python.analysis.diagnosticSeverityOverrides", {rule: severity})


@app.tool()
def set_color_theme(
    theme_name: Annotated[
        str, Field(min_length=1, description="its name or identifier, such as Monokai")
    ],
) -> Setting:
    """Change the colour theme of the editor: dark, light, any installed one (workbench.colorTheme).
    An unknown name is refused with those available.
    """
    known = themes()
    found = known.get(theme_name.lower())
    if found is None:
        near = difflib.get_close_matches(theme_name.lower(), known, 5, 0.4)
        names = sorted({known[each] for each in near} or {*known.values()})
        message = f"No colour theme {theme_name!r} is installed."
        raise ToolError(message, code="unknown_theme", hint=f"Installed: {', '.join(names)}.")
    return put("workbench.colorTheme", found)


def themes() -> dict[str, str]:
    """What VS Code stores for a theme, by its label and identifier in lower case."""
    found = {}
    for file in (*editor.builtin().glob("*/package.json"), *_installed()):
        try:
            about = json.loads(file.read_bytes())
            words = file.with_name("package.nls.json")
            texts = json.loads(words.read_bytes()) if words.is_file() else {}
        except (OSError, ValueError):  # VS Code does not load it either.
            continue
        for theme in about.get("contributes", {}).get("themes", []):
            text = texts.get(str(theme.get("label", "")).strip("%"), theme.get("label", ""))
            label = text["message"] if isinstance(text, dict) else text
            stored = theme.get("id") or label
            found.update({label.lower(): stored, stored.lower(): stored})
    return found


def _installed() -> list[Path]:
    """The package.json of each extension that counts as installed."""
    folder = editor.extensions()
    try:
        listed = json.loads((folder / "extensions.json").read_bytes())
    except (OSError, ValueError):
        return []
    return [folder / str(each.get("relativeLocation")) / "package.json" for each in listed]
