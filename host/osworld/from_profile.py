"""Getters that read the browser's profile. Where OSWorld falls back to a default for an unreadable
profile, so do these, with a note.

A running browser is closed first, so that its profile is complete on disk. No task queries both the
profile and the running browser.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import JsonValue

from ambidex.host.osworld.getter_context import GetterContext, GetterError, value
from ambidex.host.osworld.questions import QuestionRefusedError, ask, ask_files
from ambidex.tasks.osworld.evidence import Collected
from ambidex.tasks.osworld.web_getter_types import AppearanceMode, Profile, ProfileTable

__all__ = ["appearance", "profile", "table"]

Data = dict[str, Any]


class UnreadProfileError(Exception):
    """The profile does not have the expected structure."""


def _part(data: Data, *keys: str) -> Any:
    """The value under a path of keys; an empty dict if a key is missing."""
    value: Any = data
    for key in keys:
        if not isinstance(value, dict):
            raise UnreadProfileError
        value = value.get(key, {})
    return value


def _truth(condition: object) -> str:
    return "true" if condition else "false"


def _search_engine(data: Data) -> JsonValue:
    engine = _part(data, "default_search_provider_data", "template_url_data")
    if not isinstance(engine, dict):
        raise UnreadProfileError
    name: JsonValue = engine.get("short_name", "Google")
    return name


def _profile_name(data: Data) -> JsonValue:
    section = _part(data, "profile")
    if not isinstance(section, dict):
        raise UnreadProfileError
    name: JsonValue = section.get("name")
    return name


def _safe(data: Data) -> JsonValue:
    section = _part(data, "safebrowsing")
    if not isinstance(section, dict):
        raise UnreadProfileError
    return _truth(section.get("enhanced") or section.get("enabled"))


def _startup(data: Data) -> JsonValue:
    if "session" not in data:
        return "true"
    return _truth(_part(data, "session", "restore_on_startup") == 5)


def _deletes(data: Data) -> JsonValue:
    if not isinstance(data.get("profile"), dict):
        raise UnreadProfileError
    return _truth(data["profile"].get("default_content_setting_values") is not None)


def _font_size(data: Data) -> JsonValue:
    defaults = {"default_fixed_font_size": 13, "default_font_size": 16, "minimum_font_size": 13}
    section = _part(data, "webkit")
    if not isinstance(section, dict):
        raise UnreadProfileError
    prefs: JsonValue = section.get("webprefs", defaults)
    return prefs


def _extensions(*keys: str) -> Callable[[Data], JsonValue]:
    def read(data: Data) -> JsonValue:
        values = []
        for node in _part(data, "extensions", "settings").values():
            for key in keys:
                if not isinstance(node, dict) or key not in node:
                    raise UnreadProfileError
                node = node[key]
            values.append(node)
        return values

    return read


FONTS: JsonValue = {"default_fixed_font_size": 13, "default_font_size": 16}
READ: dict[str, tuple[Callable[[Data], JsonValue], JsonValue]] = {
    "chrome_font_size": (_font_size, FONTS),
    "data_delete_automacally": (_deletes, "Google"),
    "default_search_engine": (_search_engine, "Google"),
    "enable_do_not_track": (lambda data: _truth(data.get("enable_do_not_track")), "false"),
    "enable_safe_browsing": (_safe, "false"),
    "find_installed_extension_name": (_extensions("manifest", "name"), "Google"),
    "find_unpacked_extension_path": (_extensions("path"), "Google"),
    "new_startup_page": (_startup, "Google"),
    "profile_name": (_profile_name, None),
}
"""The reader of each setting in the preferences, and OSWorld's fallback value."""


def profile(context: GetterContext, getter: Profile) -> Collected:
    """Answer with one setting of the preferences, or all bookmarks."""
    if getter.type == "bookmarks":
        bookmarks = ask_files(context.guest, "profile_json", name="Bookmarks")
        return value(getter.type, [] if bookmarks is None else bookmarks.get("roots", {}))
    read, fallback = READ[getter.type]
    data = ask_files(context.guest, "profile_json", name="Preferences")
    try:
        if data is None:
            raise UnreadProfileError
        return value(getter.type, read(data))
    except (UnreadProfileError, AttributeError):
        return value(getter.type, fallback, "unreadable preferences: OSWorld's fallback value")


def table(context: GetterContext, getter: ProfileTable) -> Collected:
    """Answer with the rows of a database of the profile."""
    return value(getter.type, ask_files(context.guest, "profile_rows", table=getter.type))


SCHEMES: dict[Any, str] = {0: "system", 1: "light", 2: "dark"}


def appearance(context: GetterContext, getter: AppearanceMode) -> Collected:
    """Answer light, dark or system: from the running browser or, if none runs, its profile."""
    try:
        scheme, theme = ask(context.guest, "appearance", takes=60)
        note = ""
    except QuestionRefusedError as refused:
        data = ask_files(context.guest, "profile_json", name="Preferences") or {}
        try:
            colours = _part(data, "browser", "theme")
            scheme = colours.get("color_scheme2", colours.get("color_scheme"))
            theme = _part(data, "extensions", "theme").get("system_theme")
        except (UnreadProfileError, AttributeError):
            raise GetterError("the preferences have no readable colour scheme") from None
        note = f"from the profile: {refused}"
    if isinstance(scheme, list | dict):
        raise GetterError(f"unexpected colour scheme of the browser: {scheme!r:.100}")
    if theme in (0, "0", False) and scheme not in (1, 2):
        scheme = SCHEMES.get(scheme, "system") if note == "" else "light"
        return value(getter.type, scheme, note)
    return value(getter.type, SCHEMES.get(scheme, "system"), note)
