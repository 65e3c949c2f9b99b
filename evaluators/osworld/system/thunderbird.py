"""Metrics on the preferences and message filters of a Thunderbird profile."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NotRequired

from typing_extensions import TypedDict

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.bounded import parse_json
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.given import lines, text
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.osworld.rules import ValueRule, matches
from ambidex.evaluators.values import shown, verdict

PREFERENCE = re.compile(r'user_pref\("((?:[^"]|\\")+)", (.+)\);')
CONDITIONS = re.compile(r"""\b(?:AND|OR) \([\w ]+,[\w ']+,(?:"[\s\S]+"|[^)]+)\)|\bALL\b""")
"""Conditions of a filter as upstream matches them: up to the last quotation mark before a
bracket."""
CONDITION = re.compile(r'\b(?:AND|OR) \([\w ]+,[\w ]+,(?:"(?:\\"|[^"])+"|[^)]+)\)|\bALL\b')
"""One condition of a filter: AND (subject,contains,"x"), or ALL."""


KEYS = ("name", "enabled", "type", "action", "actionValue", "condition")
"""Keys of a filter in its file."""


class Preferences(TypedDict):
    """Rules that preferences must satisfy, and must not, by name."""

    expect: NotRequired[dict[str, ValueRule]]
    unexpect: NotRequired[dict[str, ValueRule]]


class Filters(TypedDict):
    """Filters that must exist, and must not, with the keys of Thunderbird's file."""

    expect: NotRequired[list[dict[str, Any]]]
    unexpect: NotRequired[list[dict[str, Any]]]


@dataclass
class Filter:
    """One filter of Thunderbird's file."""

    head: dict[str, str | list[str]] = field(default_factory=dict)
    actions: list[dict[str, str]] = field(default_factory=list)
    """Each with `action` and, if it has one, `actionValue`."""

    def matches(self, target: Mapping[str, Any]) -> bool:
        """Whether the filter, with one of its actions, has the values of all keys in `target`."""
        return any(_includes(self.head | action, target) for action in self.actions or [{}])


def _includes(actual: Mapping[str, Any], target: Mapping[str, Any]) -> bool:
    return all(key in actual and actual[key] == target[key] for key in target)


@metric(
    repairs=(
        "Only the preferences named in the rules need readable values, and the last of several"
        " lines counts: upstream ends in an exception at any value that is not JSON, and applies"
        " `unexpect` to every line.",
    )
)
def check_thunderbird_prefs(result: Value, expected: Preferences, *, strict: bool) -> Score:
    """Each preference in `expect` is set and satisfies its value rule; none in `unexpect` does.

    A preference at its default is not in the file, so it satisfies neither kind of rule.
    """
    target, unwanted = expected.get("expect", {}), expected.get("unexpect", {})
    source = text(result)
    matched = [
        PREFERENCE.fullmatch(line.strip())
        for line in (source.splitlines() if strict else lines(source))
    ]
    written = [(match[1], match[2]) for match in matched if match]
    if strict:
        written = [pair for pair in dict(written).items() if pair[0] in {*target, *unwanted}]
    actual = [(name, _value(value, name)) for name, value in written]
    wrong = []
    for name, rule in target.items():
        values = [value for other, value in actual if other == name]
        if not values:
            wrong.append(f"{name} is not set")
        # Upstream raises at a value that cannot be compared, even if a later line sets another.
        elif not [matches(value, rule) for value in values][-1]:
            wrong.append(
                f"{name} is {shown(values[-1])}, not {rule['method']} {shown(rule['ref'])}"
            )
    # If a preference has an `expect` rule, upstream skips its `unexpect` rule.
    unexpected = {name: rule for name, rule in unwanted.items() if name not in target}
    for name, value in actual:
        if name in unexpected and matches(value, unexpected[name]):
            wrong.append(f"{name} must not be {shown(value)}")
    return verdict(wrong, "all preferences are as expected")


def _value(written: str, name: str) -> Any:
    try:
        return parse_json(written, finite=False)
    except ValueError as error:
        raise UnreadableError(
            f"the preference {name} has no readable value: {written:.200}"
        ) from error


@metric(
    repairs=(
        "All actions of a filter count: upstream keeps only the last one, so that a filter which"
        " performs the expected action and then marks the mail as read does not match.",
        "Lines end at line breaks, values at their quotation marks, and conditions are separate:"
        " upstream cuts off the last two characters of each line, which is one too many in a file"
        " without a newline at its end, and merges several conditions into one.",
    )
)
def check_thunderbird_filter(result: Value, expected: Filters, *, strict: bool) -> Score:
    """For each filter in `expect` there is one with the same values of its keys; for none in
    `unexpect`. Conditions are a list such as `["AND (subject,contains,\\"news\\")"]`."""
    filters = _filters(text(result)) if strict else []
    cut = [] if strict else _cut_filters(text(result))

    def exists(target: Mapping[str, Any]) -> bool:
        return any(one.matches(target) for one in filters) or any(
            _includes(one, target) for one in cut
        )

    wrong = [
        f"no filter is {shown(rule)}" for rule in expected.get("expect", []) if not exists(rule)
    ]
    wrong += [f"a filter is {shown(rule)}" for rule in expected.get("unexpect", []) if exists(rule)]
    return verdict(wrong, f"the {len(filters or cut)} filters are as expected")


def _cut_filters(source: str) -> list[dict[str, str | list[str]]]:
    """The filters as upstream reads them: keys at the start of a line, values without the last two
    characters of the line, and one filter for each condition."""
    filters: list[dict[str, str | list[str]]] = []
    current: dict[str, str | list[str]] | None = None
    for line in lines(source):
        key, equals, _ = line.partition("=")
        if not equals or key not in KEYS:
            continue
        value = line[len(key) + 2 : -2].replace('\\"', '"').replace("\\\\", "\\")
        if key == "name":
            current = {}
        elif current is None:
            raise UpstreamRaisesError(f"the file has {key!r} before the name of a filter")
        current[key] = CONDITIONS.findall(value) if key == "condition" else value
        if key == "condition":
            filters.append(current)
    return filters


def _filters(source: str) -> list[Filter]:
    filters: list[Filter] = []
    for line in source.splitlines():
        key, _, quoted = line.strip().partition("=")
        value = re.sub(r"\\(.)", r"\1", quoted.strip().removeprefix('"').removesuffix('"'))
        if key == "name":
            filters.append(Filter({"name": value}))
        elif not filters:
            continue  # the header of the file
        elif key == "condition":
            filters[-1].head[key] = CONDITION.findall(value)
        elif key == "action":
            filters[-1].actions.append({key: value})
        elif key == "actionValue" and filters[-1].actions:
            filters[-1].actions[-1][key] = value
        elif key in ("enabled", "type"):
            filters[-1].head[key] = value
    return filters
