"""Metrics on settings files of GIMP, VS Code and LibreOffice, and on VS Code's extensions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from lxml import etree
from typing_extensions import TypedDict

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.answers import json_of, text_of, tree
from ambidex.evaluators.osworld.given import lines, read_bytes, text
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.osworld.system.commented_json import without_comments
from ambidex.evaluators.values import shown, verdict

OOR = "{http://openoffice.org/2001/registry}"
COMMENTS = (
    "Comments and trailing commas are accepted, as VS Code does: upstream reads strict JSON, so"
    " that a file with a comment contains no settings."
)


class GimpLine(TypedDict):
    """A line of GIMP's settings: its first word or words, and its last."""

    key: str | list[str]
    value: str | None


class Settings(TypedDict):
    """Expected settings by name."""

    expected: dict[str, Any]


class Binding(TypedDict):
    """An expected key binding."""

    expected: Any


class Text(TypedDict, total=False):
    """An expected text; without one, nothing matches."""

    expected: Any


class Listed(TypedDict):
    """A name that a listing should contain, or should not."""

    type: Literal["contain", "not_contain"]
    expected: str


class Minutes(TypedDict):
    """The interval between automatic saves."""

    minutes: Any


@metric(
    repairs=(
        "Lines of only blanks or brackets are skipped: upstream ends in an exception at the first "
        "such line.",
    )
)
def check_config_status(result: Value, expected: GimpLine, *, strict: bool) -> Score:
    """A line of the file, without brackets and comments, starts with `key` (one word or two) and
    ends with `value`."""
    key, value = expected["key"], expected["value"]
    keys = [key] if isinstance(key, str) else key
    if isinstance(key, list) and len(key) != 2:
        return Score(0.0, "a list of keys must have two words")
    for line in lines(text(result)):
        words = line.strip().lstrip("(").rstrip(")\n").split()
        if line.startswith("#") or line == "\n":
            continue
        if not strict and (not words or (len(words) < len(keys) and words[0] == keys[0])):
            raise UpstreamRaisesError(f"the line {shown(line)} has too few words")
        if words[: len(keys)] == keys and words[-1] == value:
            return Score(1.0, f"the line {shown(line.strip())} is present")
    return Score(0.0, f"no line starts with {' '.join(keys)} and ends with {value}")


@metric(repairs=(COMMENTS,))
def check_json_settings(result: Value, expected: Settings, *, strict: bool) -> Score:
    """The settings have the expected value for every expected key."""
    actual = _json(text(result), strict)
    if not isinstance(actual, dict):
        if not strict and not expected["expected"]:
            return Score(1.0, "no setting is expected")
        raise UnreadableError("the settings are not a JSON object")
    return verdict(_missing(actual, expected["expected"]), "all settings are as expected")


@metric(repairs=(COMMENTS,))
def check_json_keybindings(result: Value, expected: Binding, *, strict: bool) -> Score:
    """The list of key bindings contains the expected one; its first line may be a comment."""
    source = text(result)
    actual = None
    for candidate in (source, source.partition("\n")[2]):
        try:
            actual = _json(candidate, strict)
        except UnreadableError:
            continue
        if isinstance(actual, list):
            break
    if not isinstance(actual, list):
        raise UnreadableError("the key bindings are not a JSON list")
    present = expected["expected"] in actual
    return Score(
        float(present), f"{shown(expected['expected'])}: {'present' if present else 'missing'}"
    )


@metric(
    repairs=(
        COMMENTS,
        "A nested object must equal the expected one: upstream accepts a nested object that "
        "contains the expected keys.",
        "If `containment_ok` is false, blanks around a text do not count.",
        "A text must occur as a whole word: upstream also finds a text inside words, so that the"
        " folder `project2` passes for `project`.",
    )
)
def compare_config(
    result: Value, expected: Text, *, containment_ok: bool = True, strict: bool
) -> Score:
    """The file contains the expected settings: every key with its value if both are JSON, else the
    text.

    If `containment_ok` is false, it must contain nothing else.
    """
    actual, target = text(result), expected.get("expected")
    if not target:
        return Score(0.0, "nothing is expected")
    if not isinstance(target, str):
        raise UpstreamRaisesError(f"{shown(target)} is not a text")
    try:
        target_value = _json(target, strict)
        actual_value = _json(actual, strict)
        both_json = True
    except UnreadableError:
        target_value = actual_value = None
        both_json = False
    if both_json and not strict:
        if containment_ok:
            return Score(
                float(_contains(actual_value, target_value)),
                f"the file contains {shown(actual_value)}",
            )
        return Score(
            float(actual == target or actual_value == target_value),
            "the settings are compared as a whole",
        )
    if isinstance(target_value, dict) and isinstance(actual_value, dict):
        if containment_ok:
            return verdict(_missing(actual_value, target_value), "all settings are as expected")
        return Score(float(actual_value == target_value), "the settings are compared as a whole")
    if not containment_ok:
        same = actual.strip() == target.strip() if strict else actual == target
        return Score(float(same), f"the file contains {shown(actual)}")
    if strict:
        whole_word = rf"(?<![\w-]){re.escape(target.strip())}(?![\w-])"
        return Score(
            float(bool(re.search(whole_word, actual))), f"the file contains {shown(actual)}"
        )
    return Score(float(target.strip() in actual), f"the file contains {shown(actual)}")


def _contains(actual: Any, target: Any) -> bool:
    """Whether `actual` contains `target` recursively by keys; values other than objects are
    equal."""
    if not isinstance(target, dict):
        return bool(actual == target)
    return isinstance(actual, dict) and all(
        key in actual and _contains(actual[key], value) for key, value in target.items()
    )


@metric(
    repairs=(
        "A line of the listing must equal the name, in any case and with or without a version:"
        " upstream finds the name inside longer ones, so that `ms-python.python-preview` passes for"
        " `ms-python.python`.",
    )
)
def is_extension_installed(result: Value, expected: Listed, *, strict: bool) -> Score:
    """The output of a command lists the name (`contain`), or does not (`not_contain`)."""
    if not strict and isinstance(result, list | dict):
        there = expected["expected"] in result
        return Score(float(there is (expected["type"] == "contain")), f"listed: {shown(result)}")
    actual, name = text_of(result), expected["expected"]
    listed = (
        name.lower() in {line.strip().partition("@")[0].lower() for line in actual.splitlines()}
        if strict
        else name in actual
    )
    right = listed is (expected["type"] == "contain")
    return Score(float(right), f"{name} is {'' if listed else 'not '}in {shown(actual)}")


@metric()
def check_presenter_console_disable(result: Value) -> Score:
    """The presenter screen of Impress is disabled in LibreOffice's settings."""
    path = "/org.openoffice.Office.Impress/Misc/Start"
    values = _office_values(read_bytes(result), path, "EnablePresenterScreen", deep=False)
    value = next(values, None)
    return Score(
        float((value or "").lower() == "false"), f"EnablePresenterScreen is {shown(value)}"
    )


@metric(
    repairs=(
        "The interval counts only while automatic saving is on: upstream checks only the number,"
        " which stays in the settings when automatic saving is switched off.",
    )
)
def check_auto_saving_time(result: Value, expected: Minutes, *, strict: bool) -> Score:
    """LibreOffice is set to save automatically at this interval in minutes."""
    settings = read_bytes(result)
    path = "/org.openoffice.Office.Common/Save/Document"
    if strict and "false" in list(_office_values(settings, path, "AutoSave", deep=True))[-1:]:
        return Score(0.0, "automatic saving is switched off")
    intervals = list(_office_values(settings, path, "AutoSaveTimeIntervall", deep=True))[-1:]
    if not intervals or intervals[0] is None:
        return Score(0.0, "the interval of automatic saving is not set")
    try:
        minutes = int(intervals[0])
    except ValueError as error:
        raise UpstreamRaisesError(f"the interval in minutes is {shown(intervals[0])}") from error
    return Score(
        float(minutes == expected["minutes"]), f"it saves automatically every {minutes} minutes"
    )


def _json(source: str, strict: bool) -> Any:
    return json_of(without_comments(source) if strict else source, "the file")


def _missing(actual: Mapping[str, Any], target: Mapping[str, Any]) -> list[str]:
    return [
        f"{key} is {json.dumps(actual[key]) if key in actual else 'missing'}, "
        f"not {json.dumps(value)}"
        for key, value in target.items()
        if key not in actual or actual[key] != value
    ]


def _office_values(source: bytes, path: str, name: str, *, deep: bool) -> Iterator[str | None]:
    """The values of one property in LibreOffice's registrymodifications.xcu in order, None for an
    empty one. With `deep`, the first one of each item, at any depth."""
    root: etree._Element = tree(source, "LibreOffice's settings")
    for item in root.iterdescendants("item"):
        if item.get(f"{OOR}path") != path:
            continue
        props = item.iterdescendants("prop") if deep else item.iterchildren("prop")
        named = [candidate for candidate in props if candidate.get(f"{OOR}name") == name]
        for prop in named[:1] if deep else named:
            value = prop.find(".//value" if deep else "value")
            if value is None and deep:
                raise UpstreamRaisesError(f"{name} has no value")
            yield None if value is None else value.text
