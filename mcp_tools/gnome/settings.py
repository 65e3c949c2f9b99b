"""Tools for the settings that GNOME stores in gsettings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.gnome import app

INTERFACE = "org.gnome.desktop.interface"
BACKGROUND = "org.gnome.desktop.background"

Schema = Annotated[str, Field(description="such as org.gnome.desktop.interface")]
Key = Annotated[str, Field(description="such as text-scaling-factor")]


@dataclass(frozen=True)
class Setting:
    """A setting; `allowed` describes the values it accepts."""

    schema: str
    key: str
    value: Any
    default: Any
    allowed: str


def schemas() -> Any:
    """The installed gsettings schemas."""
    from gi.repository import Gio

    return Gio.SettingsSchemaSource.get_default()


def similar_names(name: str, names: list[str]) -> str:
    """A few names similar to the given one, for a hint."""
    import difflib

    containing = [other for other in names if name.rpartition(".")[2].lower() in other.lower()]
    close = difflib.get_close_matches(name, names, 8, 0.5)
    return ", ".join(dict.fromkeys([*close, *containing[:8]])) or ", ".join(names[:12])


def settings_of(schema: str) -> Any:
    """The settings of a schema; `ToolError` suggests similar schemas."""
    from gi.repository import Gio

    schema_info = schemas().lookup(schema, True)
    if schema_info is None:
        names = schemas().list_schemas(True)[0]
        hint = f"Similar names: {similar_names(schema, names)}."
        raise ToolError(f"Unknown schema: {schema!r}.", code="no_schema", hint=hint)
    if schema_info.get_path() is None:
        hint = "Its settings exist per profile or device; change them in the application."
        raise ToolError(f"{schema} has no fixed path.", code="relocatable", hint=hint)
    return Gio.Settings.new(schema)


def key_of(settings: Any, key: str) -> Any:
    """The schema entry of a key; `ToolError` lists the existing keys."""
    schema = settings.props.settings_schema
    if not schema.has_key(key):
        names = sorted(schema.list_keys())
        hint = f"Keys: {', '.join(names)}."
        raise ToolError(f"{schema.get_id()} has no key {key!r}.", code="no_key", hint=hint)
    return schema.get_key(key)


def allowed_values(key: Any) -> str:
    """Description of the values that a key accepts."""
    kind, values = key.get_range().unpack()
    if kind in ("enum", "flags"):
        return f"{'one' if kind == 'enum' else 'some'} of {', '.join(values)}"
    if kind == "range":
        return f"{values[0]} to {values[1]}"
    code = key.get_value_type().dup_string()
    words = {"b": "true or false", "s": "text", "d": "a number", "as": "a list of texts"}
    numbers = dict.fromkeys("nqiuxt", "a whole number")
    return {**words, **numbers}.get(code, f"a GVariant of type {code}")


def describe(settings: Any, name: str) -> Setting:
    """The setting as a tool returns it."""
    key = key_of(settings, name)
    value, default = settings.get_value(name).unpack(), settings.get_default_value(name).unpack()
    return Setting(settings.props.schema_id, name, value, default, allowed_values(key))


def to_variant(key: Any, value: Any) -> Any:
    """Convert a value to the key's type; `ToolError` says which values the key accepts.

    Text in the syntax of `gsettings set`, such as "uint32 300" or "['a', 'b']", works too.
    """
    from gi.repository import GLib

    kind = key.get_value_type()
    wrong = ToolError(
        f"Not a value of {key.get_name()}: {json.dumps(value)}.",
        code="bad_value",
        hint=f"Allowed: {allowed_values(key)}.",
    )
    code = kind.dup_string()
    try:
        if code == "s" and isinstance(value, str):
            variant = GLib.Variant("s", value)
        elif code == "d" and isinstance(value, (int, float)) and not isinstance(value, bool):
            variant = GLib.Variant("d", value)
        else:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            variant = GLib.Variant.parse(kind, text, None, None)
    except GLib.Error:
        raise wrong from None
    if not key.range_check(variant):
        raise wrong
    return variant


def store(settings: Any, key: str, value: object) -> None:
    """Store the value of a key; `ToolError` if the value is invalid or the key is locked."""
    variant = to_variant(key_of(settings, key), value)
    if not settings.is_writable(key):
        schema = settings.props.schema_id
        raise ToolError(f"{schema} {key} is locked by a policy.", code="locked")
    settings.set_value(key, variant)
    settings.sync()


@app.tool(reads_only=True)
def list_settings(
    schema: Annotated[str, Field(description="a schema, or a part of schema names to look for")],
) -> list[Setting] | list[str]:
    """List all settings (GSettings keys, options) of a schema with value and allowed values: what
    can be configured. Without an exact match, lists the schemas whose name contains it.
    """
    if schemas().lookup(schema, True) is None:
        names = [name for name in schemas().list_schemas(True)[0] if schema.lower() in name.lower()]
        if names:
            return sorted(names)
    settings = settings_of(schema)
    return [describe(settings, key) for key in sorted(settings.props.settings_schema.list_keys())]


@app.tool(reads_only=True)
def get_setting(schema: Schema, key: Key) -> Setting:
    """Read one desktop setting (gsettings get, dconf key): value, default and allowed values."""
    return describe(settings_of(schema), key)


@app.tool()
def set_setting(
    schema: Schema,
    key: Key,
    value: Annotated[Any, Field(description='true, 1.25, "text", ["a", "b"]')],
) -> Setting:
    """Change one setting of the desktop or an application (gsettings set): turn on the clock's
    seconds, battery percentage in the top bar, animations, hot corners, any key; at once. Returns
    the stored value. gnome_list_settings finds schemas and keys.
    """
    settings = settings_of(schema)
    store(settings, key, value)
    return describe(settings, key)


@app.tool()
def reset_setting(schema: Schema, key: Key) -> Setting:
    """Reset one setting to its default (gsettings reset): restore the original value of a key."""
    settings = settings_of(schema)
    key_of(settings, key)
    settings.reset(key)
    settings.sync()
    return describe(settings, key)


@app.tool()
def set_wallpaper(
    path: Annotated[str, Field(description="a picture, such as ~/Pictures/sea.png")],
    fit: Annotated[
        Optional[Literal["wallpaper", "centered", "scaled", "stretched", "zoom", "spanned"]],
        Field(description="how it fills the screen; default: unchanged"),
    ] = None,
) -> list[Setting]:
    """Change the wallpaper: use a picture or photo as desktop background (light and dark)."""
    picture = Path.home() / Path(path.removeprefix("file://")).expanduser()
    if not picture.is_file():
        raise ToolError(f"No such file: {picture}.", code="not_found")
    changed = [set_setting(BACKGROUND, "picture-uri", picture.as_uri())]
    if schemas().lookup(BACKGROUND, True).has_key("picture-uri-dark"):
        changed.append(set_setting(BACKGROUND, "picture-uri-dark", picture.as_uri()))
    options = "picture-options"
    if fit or get_setting(BACKGROUND, options).value == "none":
        changed.append(set_setting(BACKGROUND, options, fit or "zoom"))
    return changed


@app.tool()
def set_dark_style(
    enable: Annotated[bool, Field(description="true is dark, false is light")],
) -> list[Setting]:
    """Switch dark mode on or off: use the dark style (theme) or the light appearance on the
    desktop, colour scheme and GTK theme together.
    """
    scheme, theme = ("prefer-dark", "Adwaita-dark") if enable else ("default", "Adwaita")
    return [
        set_setting(INTERFACE, "color-scheme", scheme),
        set_setting(INTERFACE, "gtk-theme", theme),
    ]
