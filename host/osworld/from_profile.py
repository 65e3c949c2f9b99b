"""Getters that read the browser's profile. Where OSWorld answers with a default if it can read
nothing, so do these, and say so.

A browser that runs was ended before, so that the profile says what it knows: no task asks for both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import JsonValue

from ambidex.host.osworld.getter_context import GetterError, Place, value
from ambidex.host.osworld.questions import QuestionRefusedError, ask, ask_files
from ambidex.tasks.osworld.evidence import Collected
from ambidex.tasks.osworld.web_getter_types import AppearanceMode, Profile, ProfileTable

__all__ = ["appearance", "profile", "table"]

Data = dict[str, Any]


class UnreadProfileError(Exception):
    """The profile has not the form that is read here."""


def _part(data: Data, *keys: str) -> Any:
    """What lies under these keys; an empty set where one is missing on the way."""
    found: Any = data
    for key in keys:
        if not isinstance(found, dict):
            raise UnreadProfileError
        found = found.get(key, {})
    return found


def _truth(said: object) -> str:
    return "true" if said else "false"


def _search_engine(data: Data) -> JsonValue:
    engine = _part(data, "default_search_provider_data", "template_url_data")
    if not isinstance(engine, dict):
        raise UnreadProfileError
    name: JsonValue = engine.get("short_name", "Google")
    return name


def _profile_name(data: Data) -> JsonValue:
    found = _part(data, "profile")
    if not isinstance(found, dict):
        raise UnreadProfileError
    name: JsonValue = found.get("name")
    return name


def _safe(data: Data) -> JsonValue:
    found = _part(data, "safebrowsing")
    if not isinstance(found, dict):
        raise UnreadProfileError
    return _truth(found.get("enhanced") or found.get("enabled"))


def _startup(data: Data) -> JsonValue:
    if "session" not in data:
        return "true"
    return _truth(_part(data, "session", "restore_on_startup") == 5)


def _deletes(data: Data) -> JsonValue:
    if not isinstance(data.get("profile"), dict):
        raise UnreadProfileError
    return _truth(data["profile"].get("default_content_setting_values") is not None)


def _font_size(data: Data) -> JsonValue:
    usual = {"default_fixed_font_size": 13, "default_font_size": 16, "minimum_font_size": 13}
    found = _part(data, "webkit")
    if not isinstance(found, dict):
        raise UnreadProfileError
    said: JsonValue = found.get("webprefs", usual)
    return said


def _extensions(*keys: str) -> Callable[[Data], JsonValue]:
    def read(data: Data) -> JsonValue:
        found = []
        for each in _part(data, "extensions", "settings").values():
            for key in keys:
                if not isinstance(each, dict) or key not in each:
                    raise UnreadProfileError
                each = each[key]
            found.append(each)
        return found

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
"""How each is read from the preferences, and what OSWorld says where it cannot be."""


def profile(place: Place, getter: Profile) -> Collected:
    """One thing of the preferences, or all bookmarks."""
    if getter.type == "bookmarks":
        found = ask_files(place.guest, "profile_json", name="Bookmarks")
        return value(getter.type, [] if found is None else found.get("roots", {}))
    read, otherwise = READ[getter.type]
    data = ask_files(place.guest, "profile_json", name="Preferences")
    try:
        if data is None:
            raise UnreadProfileError
        return value(getter.type, read(data))
    except (UnreadProfileError, AttributeError):
        return value(getter.type, otherwise, "no such preferences: this is what upstream says then")


def table(place: Place, getter: ProfileTable) -> Collected:
    """The rows of a database of the profile."""
    return value(getter.type, ask_files(place.guest, "profile_rows", table=getter.type))


SCHEMES: dict[Any, str] = {0: "system", 1: "light", 2: "dark"}


def appearance(place: Place, getter: AppearanceMode) -> Collected:
    """Light, dark or as the system: as the running browser has it, else as its profile says."""
    try:
        scheme, theme = ask(place.guest, "appearance", takes=60)
        note = ""
    except QuestionRefusedError as refused:
        data = ask_files(place.guest, "profile_json", name="Preferences") or {}
        try:
            colours = _part(data, "browser", "theme")
            scheme = colours.get("color_scheme2", colours.get("color_scheme"))
            theme = _part(data, "extensions", "theme").get("system_theme")
        except (UnreadProfileError, AttributeError):
            raise GetterError(
                "the preferences have no readable part on how light the browser is"
            ) from None
        note = f"from the profile: {refused}"
    if isinstance(scheme, list | dict):
        raise GetterError(f"the browser's scheme is said to be {scheme!r:.100}")
    if theme in (0, "0", False) and scheme not in (1, 2):
        scheme = SCHEMES.get(scheme, "system") if note == "" else "light"
        return value(getter.type, scheme, note)
    return value(getter.type, SCHEMES.get(scheme, "system"), note)
