"""Days that are named relative to today, such as "next week Friday", and texts with such a day in
them.

The names mean what OSWorld takes them to mean: "next Friday" is this week's until Thursday, "next
Monday" is never today.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, field_validator

__all__ = ["PHRASES", "RelativeRules", "day_of", "filled", "written"]

MONDAY, FRIDAY, SATURDAY, SUNDAY = 0, 4, 5, 6
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def _later(today: date, months: int) -> date:
    """The first day of the month that is so many months later."""
    number = today.year * 12 + today.month - 1 + months
    return date(number // 12, number % 12 + 1, 1)


def _first_monday(today: date, months: int) -> date:
    first = _later(today, months)
    return first + timedelta(days=-first.weekday() % 7)


def _coming(today: date, weekday: int) -> date:
    """The next such day after today."""
    return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)


def _this_week(today: date, weekday: int) -> date:
    """That day of today's week, which may have passed."""
    return today + timedelta(days=weekday - today.weekday())


def _next_week(today: date, weekday: int) -> date:
    return _this_week(today + timedelta(days=7), weekday)


PHRASES: dict[str, Callable[[date], date]] = {
    "tomorrow": lambda today: today + timedelta(days=1),
    "this month": lambda today: today,
    "5th next month": lambda today: _later(today, 1).replace(day=5),
    "10th next month": lambda today: _later(today, 1).replace(day=10),
    "11th next month": lambda today: _later(today, 1).replace(day=11),
    "this Saturday": lambda today: _this_week(today, SATURDAY),
    "this Sunday": lambda today: _this_week(today, SUNDAY),
    "next Monday": lambda today: _coming(today, MONDAY),
    "next Monday split": lambda today: _coming(today, MONDAY),
    "next Friday": lambda today: _coming(today, FRIDAY),
    "next Friday split": lambda today: _coming(today, FRIDAY),
    "next Saturday": lambda today: _coming(today, SATURDAY),
    "next Sunday": lambda today: _coming(today, SUNDAY),
    "next week Friday": lambda today: _next_week(today, FRIDAY),
    "next week Saturday": lambda today: _next_week(today, SATURDAY),
    "next week Sunday": lambda today: _next_week(today, SUNDAY),
    "first monday four months later": lambda today: _first_monday(today, 4),
    "first monday eight months later": lambda today: _first_monday(today, 8),
}
"""What a task may say, and the day that it is."""

SAME_WEEK = {
    "next Friday": ("next Monday", "next Monday split"),
    "next Friday split": ("next Monday", "next Monday split"),
    "next Sunday": ("next Friday", "next Saturday"),
    "next week Sunday": ("next week Friday", "next week Saturday"),
}
"""An end that lies in the week of its beginning, where that is one of these."""


def day_of(phrase: str, today: date, since: str = "") -> date:
    """The day of a phrase. With `since`, the phrase of a period's first day, that of its last."""
    if since in SAME_WEEK.get(phrase, ()):
        weekday = FRIDAY if "Friday" in phrase else SUNDAY
        return _this_week(PHRASES[since](today), weekday)
    return PHRASES[phrase](today)


def written(text: str, day: date) -> str:
    """The text with the day in the place of its names; each name counts once."""
    month = MONTHS[day.month - 1]
    names = {
        "DoW": DAYS[day.weekday()],
        "Month": month[:3],
        "DayD": str(day.day),
        "Year": str(day.year),
        "Month0D": f"{day.month:02d}",
        "month": month.lower(),
        "MonthFull": month,
        "Day0D": f"{day.day:02d}",
        "MonthD": str(day.month),
    }
    seen: set[str] = set()

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name in seen or name not in names:
            return found[0]
        seen.add(name)
        return names[name]

    return re.sub(r"\{(\w+)\}", value, text)


class Period(BaseModel):
    """A day, or the first and the last of several."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    from_: str = Field(alias="from")
    to: str | None = None

    @field_validator("from_", "to")
    @classmethod
    def _known(cls, phrase: str | None) -> str | None:
        if phrase is not None and phrase not in PHRASES:
            raise ValueError(f"no day {phrase!r}; there is {', '.join(PHRASES)}")
        return phrase


class RelativeRules(BaseModel):
    """What is expected, with the names of days in it, and how they are counted."""

    model_config = ConfigDict(extra="allow", frozen=True)
    relativeTime: Period
    timezone: str | None = None
    """Of the clock; the guest's where none is named."""
    expected: dict[str, Any]

    @field_validator("timezone")
    @classmethod
    def _zone(cls, name: str | None) -> str | None:
        if name:
            try:
                ZoneInfo(name)
            except (ZoneInfoNotFoundError, ValueError):
                raise ValueError(f"no time zone {name!r}") from None
        return name


def filled(rules: RelativeRules, today: date) -> dict[str, Any]:
    """The rules as a metric takes them. `KeyError` where a day has no place in what is expected."""
    period, expected = rules.relativeTime, dict(rules.expected)
    first = _places(period.from_, "time" if period.to is None else "from")
    _put(expected, first, period.from_, today)
    if period.to is not None:
        _put(expected, _places(period.to, "to"), period.to, today, period.from_)
    said = rules.model_dump(by_alias=True, exclude_none=True)
    return {**said, "expected": expected}


def _places(phrase: str, usual: str) -> Iterable[str]:
    """The keys whose text has the day in it: a "split" one has it in three parts."""
    if not phrase.endswith(" split"):
        return (usual,)
    before = "pu" if phrase.startswith("next Monday") else "do"
    return (f"{before}Day", f"{before}Month", f"{before}Year")


def _put(
    expected: dict[str, Any], keys: Iterable[str], phrase: str, today: date, since: str = ""
) -> None:
    day = day_of(phrase, today, since)
    for key in keys:
        text = expected[key]
        several = isinstance(text, list)
        expected[key] = [written(each, day) for each in text] if several else written(text, day)
