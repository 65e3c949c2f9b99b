"""Thunderbird's preferences and filters, as its profile holds them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NotRequired

from typing_extensions import TypedDict

from evaluators import Score, Unreadable
from evaluators.bounded import parse_json
from evaluators.osworld import Value
from evaluators.osworld.given import text
from evaluators.osworld.registry import metric
from evaluators.osworld.rules import ValueRule, matches
from evaluators.values import shown, verdict

PREFERENCE = re.compile(r'user_pref\("((?:[^"\\]|\\.)+)", (.+)\);')
CONDITION = re.compile(r'\b(?:AND|OR) \([\w ]+,[\w ]+,(?:"(?:\\"|[^"])+"|[^)]+)\)|\bALL\b')
"""One condition of a filter: AND (subject,contains,"x"), or ALL."""


class Preferences(TypedDict):
    """What preferences must be, and must not be, by name."""

    expect: NotRequired[dict[str, ValueRule]]
    unexpect: NotRequired[dict[str, ValueRule]]


class Filters(TypedDict):
    """What filters must be there, and must not be: keys as Thunderbird's file names them."""

    expect: NotRequired[list[dict[str, str | list[str]]]]
    unexpect: NotRequired[list[dict[str, str | list[str]]]]


@dataclass
class Filter:
    """One filter of Thunderbird's file."""

    head: dict[str, str | list[str]] = field(default_factory=dict)
    actions: list[dict[str, str]] = field(default_factory=list)
    """Each with `action` and, where it has one, `actionValue`."""

    def fits(self, wanted: Mapping[str, Any], strict: bool) -> bool:
        """Whether it is equal to this on the keys given, with one of its actions."""
        last = {key: value for each in self.actions for key, value in each.items()}
        return any(
            all(key in (seen := self.head | each) and seen[key] == wanted[key] for key in wanted)
            for each in ((self.actions if strict else []) or [last])
        )


@metric()
def check_thunderbird_prefs(result: Value, expected: Preferences) -> Score:
    """Each preference of `expect` is set and its value rule holds; none of `unexpect` does.

    A preference at its default is not in the file, so it is never as expected, nor as unexpected.
    """
    lines = (PREFERENCE.fullmatch(line.strip()) for line in text(result).splitlines())
    seen = {found[1]: found[2] for found in lines if found}
    wrong = []
    for name, rule in expected.get("expect", {}).items():
        if name not in seen:
            wrong.append(f"{name} is not set")
        elif not matches(_value(seen[name], name), rule):
            wrong.append(f"{name} is {seen[name]}, not {rule['method']} {shown(rule['ref'])}")
    for name, rule in expected.get("unexpect", {}).items():
        # Upstream asks first what is expected of a preference, and then no more.
        asked = name in seen and name not in expected.get("expect", {})
        if asked and matches(_value(seen[name], name), rule):
            wrong.append(f"{name} is {seen[name]}, which it should not be")
    return verdict(wrong, "all preferences are as expected")


def _value(written: str, name: str) -> Any:
    try:
        return parse_json(written, finite=False)
    except ValueError as error:
        raise Unreadable(f"the preference {name} has no readable value: {written:.200}") from error


@metric(
    repairs=(
        "A filter does all its actions: upstream keeps the last action of a filter alone, so a"
        " filter that does what is asked and then marks the mail as read does not count.",
    )
)
def check_thunderbird_filter(result: Value, expected: Filters, *, strict: bool) -> Score:
    """For each filter of `expect` there is one that is equal to it on the keys given; for none of
    `unexpect`. Conditions are a list such as `["AND (subject,contains,\\"news\\")"]`."""
    filters = _filters(text(result))
    wrong = [
        f"no filter is {shown(each)}"
        for each in expected.get("expect", [])
        if not any(one.fits(each, strict) for one in filters)
    ]
    wrong += [
        f"a filter is {shown(each)}"
        for each in expected.get("unexpect", [])
        if any(one.fits(each, strict) for one in filters)
    ]
    return verdict(wrong, f"the {len(filters)} filters are as expected")


def _filters(source: str) -> list[Filter]:
    found: list[Filter] = []
    for line in source.splitlines():
        key, _, quoted = line.strip().partition("=")
        value = re.sub(r"\\(.)", r"\1", quoted.strip().removeprefix('"').removesuffix('"'))
        if key == "name":
            found.append(Filter({"name": value}))
        elif not found:
            continue  # the head of the file
        elif key == "condition":
            found[-1].head[key] = CONDITION.findall(value)
        elif key == "action":
            found[-1].actions.append({key: value})
        elif key == "actionValue" and found[-1].actions:
            found[-1].actions[-1][key] = value
        elif key in ("enabled", "type"):
            found[-1].head[key] = value
    return found
