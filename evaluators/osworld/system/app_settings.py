"""Settings files of GIMP, VS Code and LibreOffice, and what VS Code has installed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from lxml import etree
from typing_extensions import TypedDict

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.answers import json_of, said, tree
from ambidex.evaluators.osworld.given import held, lines, text
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.osworld.system.commented_json import without_comments
from ambidex.evaluators.values import shown, verdict

OOR = "{http://openoffice.org/2001/registry}"
COMMENTS = (
    "Comments and commas before a closing bracket are read over, as VS Code itself does: upstream"
    " reads strict JSON, in which a file with a comment holds no setting."
)


class GimpLine(TypedDict):
    """A line of GIMP's settings: its first word (or two), and its last."""

    key: str | list[str]
    value: str | None


class Settings(TypedDict):
    """Settings by name."""

    expected: dict[str, Any]


class Binding(TypedDict):
    """A key and what it does."""

    expected: Any


class Text(TypedDict, total=False):
    """A text; where there is none, nothing holds it."""

    expected: Any


class Listed(TypedDict):
    """What a listing should name, or not."""

    type: Literal["contain", "not_contain"]
    expected: str


class Minutes(TypedDict):
    """Time between two savings."""

    minutes: Any


@metric(
    repairs=(
        "Lines of blanks or brackets alone are passed over: upstream ends in an exception at the "
        "first one.",
    )
)
def check_config_status(result: Value, expected: GimpLine, *, strict: bool) -> Score:
    """A line of the file, brackets and comments apart, starts with `key` (a word, or two) and ends
    with `value`."""
    key, value = expected["key"], expected["value"]
    keys = [key] if isinstance(key, str) else key
    if isinstance(key, list) and len(key) != 2:
        return Score(0.0, "a list of keys is of two words")
    for line in lines(text(result)):
        words = line.strip().lstrip("(").rstrip(")\n").split()
        if line.startswith("#") or line == "\n":
            continue
        if not strict and (not words or (len(words) < len(keys) and words[0] == keys[0])):
            raise UpstreamRaisesError(f"the line {shown(line)} has too few words")
        if words[: len(keys)] == keys and words[-1] == value:
            return Score(1.0, f"{shown(line.strip())} is there")
    return Score(0.0, f"no line starts with {' '.join(keys)} and ends with {value}")


@metric(repairs=(COMMENTS,))
def check_json_settings(result: Value, expected: Settings, *, strict: bool) -> Score:
    """The settings hold every expected key with its value."""
    actual = _json(text(result), strict)
    if not isinstance(actual, dict):
        if not strict and not expected["expected"]:
            return Score(1.0, "no setting is asked for")
        raise UnreadableError("the settings are no JSON object")
    return verdict(_missing(actual, expected["expected"]), "all settings are as expected")


@metric(repairs=(COMMENTS,))
def check_json_keybindings(result: Value, expected: Binding, *, strict: bool) -> Score:
    """The list of key bindings has the expected one; a comment may be its first line."""
    source = text(result)
    actual = None
    for each in (source, source.partition("\n")[2]):
        try:
            actual = _json(each, strict)
        except UnreadableError:
            continue
        if isinstance(actual, list):
            break
    if not isinstance(actual, list):
        raise UnreadableError("the key bindings are no JSON list")
    found = expected["expected"] in actual
    return Score(float(found), f"{shown(expected['expected'])}: {'there' if found else 'missing'}")


@metric(
    repairs=(
        COMMENTS,
        "An object within the settings is the expected one as a whole: upstream takes it where it "
        "holds the expected keys.",
        "Where `containment_ok` is false, blanks around a text do not count.",
        "A text is found as a whole word: upstream finds a text inside others too, so the folder"
        " `project2` is `project`.",
    )
)
def compare_config(
    result: Value, expected: Text, *, containment_ok: bool = True, strict: bool
) -> Score:
    """The file holds what is expected: of JSON every key with its value, else a part of its text.

    Without `containment_ok` it holds that and nothing else.
    """
    actual, target = text(result), expected.get("expected")
    if not target:
        return Score(0.0, "nothing is expected")
    if not isinstance(target, str):
        raise UpstreamRaisesError(f"{shown(target)} is no text")
    try:
        asked = _json(target, strict)
        known = _json(actual, strict)
        both = True
    except UnreadableError:
        asked = known = None
        both = False
    if both and not strict:
        if containment_ok:
            return Score(float(_holds(known, asked)), f"the file says {shown(known)}")
        return Score(
            float(actual == target or known == asked), "the settings are compared as a whole"
        )
    if isinstance(asked, dict) and isinstance(known, dict):
        if containment_ok:
            return verdict(_missing(known, asked), "all settings are as expected")
        return Score(float(known == asked), "the settings are compared as a whole")
    if not containment_ok:
        same = actual.strip() == target.strip() if strict else actual == target
        return Score(float(same), f"the file says {shown(actual)}")
    if strict:
        whole = rf"(?<![\w-]){re.escape(target.strip())}(?![\w-])"
        return Score(float(bool(re.search(whole, actual))), f"the file says {shown(actual)}")
    return Score(float(target.strip() in actual), f"the file says {shown(actual)}")


def _holds(actual: Any, target: Any) -> bool:
    """Whether an object holds what another does, at every depth; other values are equal."""
    if not isinstance(target, dict):
        return bool(actual == target)
    return isinstance(actual, dict) and all(
        key in actual and _holds(actual[key], value) for key, value in target.items()
    )


@metric(
    repairs=(
        "A line of the listing is the name, in any case and with or without a version: upstream"
        " finds the name inside longer ones, so `ms-python.python-preview` is `ms-python.python`.",
    )
)
def is_extension_installed(result: Value, expected: Listed, *, strict: bool) -> Score:
    """What a command listed holds the name (`contain`), or does not (`not_contain`)."""
    if not strict and isinstance(result, list | dict):
        there = expected["expected"] in result
        return Score(float(there is (expected["type"] == "contain")), f"listed: {shown(result)}")
    actual, name = said(result), expected["expected"]
    listed = (
        name.lower() in {line.strip().partition("@")[0].lower() for line in actual.splitlines()}
        if strict
        else name in actual
    )
    right = listed is (expected["type"] == "contain")
    return Score(float(right), f"{name} is {'' if listed else 'not '}in {shown(actual)}")


@metric()
def check_presenter_console_disable(result: Value) -> Score:
    """LibreOffice's settings say that Impress shows no presenter screen."""
    path = "/org.openoffice.Office.Impress/Misc/Start"
    values = _office_values(held(result), path, "EnablePresenterScreen", deep=False)
    value = next(values, None)
    return Score(
        float((value or "").lower() == "false"), f"EnablePresenterScreen is {shown(value)}"
    )


@metric(
    repairs=(
        "The interval counts while saving at intervals is on: upstream looks at the number alone,"
        " which stays in the settings when saving at intervals is switched off.",
    )
)
def check_auto_saving_time(result: Value, expected: Minutes, *, strict: bool) -> Score:
    """LibreOffice's settings say that it saves every so many minutes."""
    settings = held(result)
    path = "/org.openoffice.Office.Common/Save/Document"
    if strict and "false" in list(_office_values(settings, path, "AutoSave", deep=True))[-1:]:
        return Score(0.0, "saving at intervals is switched off")
    said = list(_office_values(settings, path, "AutoSaveTimeIntervall", deep=True))[-1:]
    if not said or said[0] is None:
        return Score(0.0, "nothing says at what intervals it saves")
    try:
        minutes = int(said[0])
    except ValueError as error:
        raise UpstreamRaisesError(f"the number of minutes is {shown(said[0])}") from error
    return Score(float(minutes == expected["minutes"]), f"it saves every {minutes} minutes")


def _json(source: str, strict: bool) -> Any:
    return json_of(without_comments(source) if strict else source, "the file")


def _missing(actual: Mapping[str, Any], target: Mapping[str, Any]) -> list[str]:
    return [
        f"{key} is {json.dumps(actual[key]) if key in actual else 'missing'}, not {json.dumps(value)}"
        for key, value in target.items()
        if key not in actual or actual[key] != value
    ]


def _office_values(source: bytes, path: str, name: str, *, deep: bool) -> Iterator[str | None]:
    """LibreOffice's own changes to its registry: the values of one property in their order, None
    for an empty one; `deep`: of each item the first one, wherever it stands in it."""
    root: etree._Element = tree(source, "the settings of LibreOffice")
    for item in root.iterdescendants("item"):
        if item.get(f"{OOR}path") != path:
            continue
        props = item.iterdescendants("prop") if deep else item.iterchildren("prop")
        named = [each for each in props if each.get(f"{OOR}name") == name]
        for prop in named[:1] if deep else named:
            value = prop.find(".//value" if deep else "value")
            if value is None and deep:
                raise UpstreamRaisesError(f"{name} has no value")
            yield None if value is None else value.text
