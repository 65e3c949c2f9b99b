"""Tools for VS Code's settings: settings.json, edited in place."""

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
from ambidex.mcp_tools.code.windows import ask, open_windows, wait_for_reading
from ambidex.mcp_tools.code.workspace import existing_folder

__all__ = ["app"]

READS = 2
"""How many times, 4 s apart, a window is made to read settings that it does not use yet."""

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
    """A setting in one file. `old` and `new` are its values in the file, None if it is unset there.
    `in_use` is the effective value in the last active window and `known` whether that window knows
    the setting; both are None if no window is open.
    """

    key: str
    old: Any
    new: Any
    file: str
    in_use: Any = None
    known: Optional[bool] = None


@dataclass(frozen=True)
class Settings:
    """The contents of a settings file."""

    file: str
    values: dict[str, Any]


def settings_file(folder: Optional[str]) -> Path:
    """The settings file of a folder, or the user's."""
    if folder is None:
        return editor.user_folder() / "settings.json"
    return existing_folder(folder) / ".vscode/settings.json"


def read_text(file: Path) -> str:
    """The text of a file; empty if it does not exist."""
    try:
        return file.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise ToolError(f"{file} is not UTF-8: {error}.", code="malformed") from None


def parse_file(file: Path, text: str, kind: type) -> Any:
    """Parse the text of a file; `ToolError` gives the position of a syntax error."""
    try:
        value = jsonc.parse(text, kind())
    except jsonc.MalformedJsonError as error:
        hint = "Fix that first, with files_read_text and files_write_text or in the window."
        raise ToolError(f"{file} is malformed: {error}.", code="malformed", hint=hint) from None
    if not isinstance(value, kind):
        expected = "an object" if kind is dict else "an array"
        raise ToolError(f"{file} is not {expected}.", code="malformed")
    return value


def write(file: Path, text: str) -> None:
    """Write a file atomically, through symbolic links and with its mode preserved."""
    file = file.resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f".{file.name}.partial")
    partial.write_bytes(text.encode())
    if file.exists():
        partial.chmod(file.stat().st_mode)
    partial.replace(file)


def matches(expected: Any, actual: Any) -> bool:
    """Whether a value equals the expected one; an object may have additional keys."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return all(matches(value, actual.get(key)) for key, value in expected.items())
    return bool(expected == actual)


def report(key: str, old: Any, new: Any, file: Path, *, wait: bool) -> Setting:
    """The setting with its effective value in the last active window; with `wait`, once the new
    value is in effect or after a few seconds.
    """
    answer: dict[str, Any] = {}

    def has_taken_effect() -> bool:
        windows = open_windows()
        answer.clear()
        if windows:
            answer.update(ask(windows[0][0], "setting", key=key))
        return not answer or new is None or not answer["known"] or matches(new, answer.get("value"))

    if wait:
        wait_for_reading(file, has_taken_effect, READS)
    else:
        has_taken_effect()
    return Setting(key, old, new, str(file), answer.get("value"), answer.get("known"))


def change(key: str, folder: Optional[str], edit: Callable[[str], str]) -> Setting:
    """Change one setting by applying `edit` to the text of its file."""
    file = settings_file(folder)
    text = read_text(file)
    old = parse_file(file, text, dict).get(key)
    try:
        changed = edit(text)
    except TypeError as error:
        raise ToolError(f"{file}: {error}.", code="bad_value") from None
    if changed != text:
        write(file, changed)
    new = parse_file(file, read_text(file), dict).get(key)
    return report(key, old, new, file, wait=True)


def set_value(key: str, value: Any, folder: Optional[str] = None) -> Setting:
    """Set one setting to a value."""
    return change(key, folder, lambda text: jsonc.edit(text, [key], value))


def merge_values(key: str, values: dict[str, Any], folder: Optional[str] = None) -> Setting:
    """Merge entries into a setting that is an object; its other entries stay."""
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
    values = parse_file(file, read_text(file), dict)
    chosen = {key: value for key, value in values.items() if part.lower() in key.lower()}
    return Settings(str(file), chosen)


@app.tool(reads_only=True)
def get_setting(key: Key, folder: Of = None) -> Setting:
    """Look up what one setting, such as editor.tabSize, is set to: the value of its key in
    settings.json, and the effective one in the last active window (its default if unset).
    """
    file = settings_file(folder)
    value = parse_file(file, read_text(file), dict).get(key)
    return report(key, value, value, file, wait=False)


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
    return merge_values(key, value, folder) if merge else set_value(key, value, folder)


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
    return set_value("editor.wordWrapColumn", column)


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
    settings = [set_value("files.autoSaveDelay", delay_ms)]
    if auto_save is not None:
        settings.append(set_value("files.autoSave", auto_save))
    return settings


@app.tool()
def set_focus_editor_on_break(
    value: Annotated[bool, Field(description="whether the editor gets the focus")],
) -> Setting:
    """Choose whether the editor gets the focus, and the window comes to the front, when the
    debugger stops at a breakpoint while debugging (debug.focusEditorOnBreak).
    """
    return set_value("debug.focusEditorOnBreak", value)


@app.tool()
def set_wrap_tabs(
    value: Annotated[bool, Field(description="whether tabs wrap over several lines")],
) -> Setting:
    """Wrap editor tabs over multiple rows (lines) instead of a scrollbar, so that all open tabs are
    visible, or not (workbench.editor.wrapTabs).
    """
    return set_value("workbench.editor.wrapTabs", value)


@app.tool()
def add_files_exclude(
    pattern: Annotated[str, Field(min_length=1, description="a glob, such as **/__pycache__")],
) -> Setting:
    """Hide files and folders that match a pattern from the explorer sidebar's file tree and the
    search: exclude clutter such as __pycache__, node_modules (files.exclude). Existing patterns
    stay.
    """
    return merge_values("files.exclude", {pattern: True})


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
    return merge_values("python.analysis.diagnosticSeverityOverrides", {rule: severity})


@app.tool()
def set_color_theme(
    theme_name: Annotated[
        str, Field(min_length=1, description="its name or identifier, such as Monokai")
    ],
) -> Setting:
    """Change the colour theme of the editor: dark, light, any installed one (workbench.colorTheme).
    An unknown name is refused with those available.
    """
    themes = known_themes()
    theme = themes.get(theme_name.lower())
    if theme is None:
        near = difflib.get_close_matches(theme_name.lower(), themes, 5, 0.4)
        names = sorted({themes[name] for name in near} or {*themes.values()})
        message = f"No colour theme {theme_name!r} is installed."
        raise ToolError(message, code="unknown_theme", hint=f"Installed: {', '.join(names)}.")
    return set_value("workbench.colorTheme", theme)


def known_themes() -> dict[str, str]:
    """The stored name of each theme by its label and identifier, both in lower case."""
    themes = {}
    for file in (*editor.builtin_extensions().glob("*/package.json"), *_extension_manifests()):
        try:
            manifest = json.loads(file.read_bytes())
            translations = file.with_name("package.nls.json")
            texts = json.loads(translations.read_bytes()) if translations.is_file() else {}
        except (OSError, ValueError):  # VS Code does not load it either
            continue
        for theme in manifest.get("contributes", {}).get("themes", []):
            text = texts.get(str(theme.get("label", "")).strip("%"), theme.get("label", ""))
            label = text["message"] if isinstance(text, dict) else text
            stored = theme.get("id") or label
            themes.update({label.lower(): stored, stored.lower(): stored})
    return themes


def _extension_manifests() -> list[Path]:
    """The package.json files of the installed extensions."""
    folder = editor.extensions_folder()
    try:
        extensions = json.loads((folder / "extensions.json").read_bytes())
    except (OSError, ValueError):
        return []
    return [
        folder / str(extension.get("relativeLocation")) / "package.json" for extension in extensions
    ]
