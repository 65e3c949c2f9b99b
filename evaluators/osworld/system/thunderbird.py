"""Thunderbird's preferences and filters, as its profile holds them."""

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
"""Conditions of a filter as upstream finds them: up to the last quotation mark before a bracket."""
CONDITION = re.compile(r'\b(?:AND|OR) \([\w ]+,[\w ]+,(?:"(?:\\"|[^"])+"|[^)]+)\)|\bALL\b')
"""One condition of a filter: AND (subject,contains,"x"), or ALL."""


KEYS = ("name", "enabled", "type", "action", "actionValue", "condition")
"""Of a filter, as its file says them."""


class Preferences(TypedDict):
    """What preferences must be, and must not be, by name."""

    expect: NotRequired[dict[str, ValueRule]]
    unexpect: NotRequired[dict[str, ValueRule]]


class Filters(TypedDict):
    """What filters must be there, and must not be: keys as Thunderbird's file names them."""

    expect: NotRequired[list[dict[str, Any]]]
    unexpect: NotRequired[list[dict[str, Any]]]


@dataclass
class Filter:
    """One filter of Thunderbird's file."""

    head: dict[str, str | list[str]] = field(default_factory=dict)
    actions: list[dict[str, str]] = field(default_factory=list)
    """Each with `action` and, where it has one, `actionValue`."""

    def fits(self, target: Mapping[str, Any]) -> bool:
        """Whether it is equal to this on the keys given, with one of its actions."""
        return any(_holds(self.head | action, target) for action in self.actions or [{}])


def _holds(actual: Mapping[str, Any], target: Mapping[str, Any]) -> bool:
    return all(key in actual and actual[key] == target[key] for key in target)


@metric(
    repairs=(
        "A preference that is not asked for need not have a readable value, and of several lines"
        " the last one counts: upstream ends in an exception at any value that is no JSON, and"
        " takes each line for what must not be.",
    )
)
def check_thunderbird_prefs(result: Value, expected: Preferences, *, strict: bool) -> Score:
    """Each preference of `expect` is set and its value rule holds; none of `unexpect` does.

    A preference at its default is not in the file, so it is never as expected, nor as unexpected.
    """
    target, unwanted = expected.get("expect", {}), expected.get("unexpect", {})
    source = text(result)
    found = [
        PREFERENCE.fullmatch(line.strip())
        for line in (source.splitlines() if strict else lines(source))
    ]
    written = [(each[1], each[2]) for each in found if each]
    if strict:
        written = [each for each in dict(written).items() if each[0] in {*target, *unwanted}]
    actual = [(name, _value(value, name)) for name, value in written]
    wrong = []
    for name, rule in target.items():
        values = [value for other, value in actual if other == name]
        if not values:
            wrong.append(f"{name} is not set")
        # A value that cannot be compared ends it upstream, even if the next line sets another.
        elif not [matches(value, rule) for value in values][-1]:
            wrong.append(
                f"{name} is {shown(values[-1])}, not {rule['method']} {shown(rule['ref'])}"
            )
    # Upstream asks first what is expected of a preference, and then no more.
    unexpected = {name: rule for name, rule in unwanted.items() if name not in target}
    for name, value in actual:
        if name in unexpected and matches(value, unexpected[name]):
            wrong.append(f"{name} is {shown(value)}, which it should not be")
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
        "A filter does all its actions: upstream keeps the last action of a filter alone, so a"
        " filter that does what is asked and then marks the mail as read does not count.",
        "Lines end at line breaks, values at their quotation marks, and each condition counts for"
        " itself: upstream cuts off the last two characters of each line, so a file without a"
        " newline at its end loses one too many, and takes several conditions as one.",
    )
)
def check_thunderbird_filter(result: Value, expected: Filters, *, strict: bool) -> Score:
    """For each filter of `expect` there is one that is equal to it on the keys given; for none of
    `unexpect`. Conditions are a list such as `["AND (subject,contains,\\"news\\")"]`."""
    filters = _filters(text(result)) if strict else []
    cut = [] if strict else _cut_filters(text(result))

    def there(target: Mapping[str, Any]) -> bool:
        return any(one.fits(target) for one in filters) or any(_holds(one, target) for one in cut)

    wrong = [
        f"no filter is {shown(rule)}" for rule in expected.get("expect", []) if not there(rule)
    ]
    wrong += [f"a filter is {shown(rule)}" for rule in expected.get("unexpect", []) if there(rule)]
    return verdict(wrong, f"the {len(filters or cut)} filters are as expected")


def _cut_filters(source: str) -> list[dict[str, str | list[str]]]:
    """The filters as upstream reads them: keys at the start of a line, values without the last two
    characters of it, one filter for each condition."""
    found: list[dict[str, str | list[str]]] = []
    current: dict[str, str | list[str]] | None = None
    for line in lines(source):
        key, equals, _ = line.partition("=")
        if not equals or key not in KEYS:
            continue
        value = line[len(key) + 2 : -2].replace('\\"', '"').replace("\\\\", "\\")
        if key == "name":
            current = {}
        elif current is None:
            raise UpstreamRaisesError(f"the file says {key!r} before a filter has a name")
        current[key] = CONDITIONS.findall(value) if key == "condition" else value
        if key == "condition":
            found.append(current)
    return found


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
