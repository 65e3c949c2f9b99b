"""Dates relative to today, such as "next week Friday", and texts that contain them.

The phrases have the meaning they have in OSWorld: until Thursday, "next Friday" is this week's
Friday; "next Monday" is never today.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, field_validator

__all__ = ["PHRASES", "RelativeRules", "day_of", "fill_dates", "format_day"]

MONDAY, FRIDAY, SATURDAY, SUNDAY = 0, 4, 5, 6
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def _later(today: date, months: int) -> date:
    """The first day of the month `months` months after today's."""
    number = today.year * 12 + today.month - 1 + months
    return date(number // 12, number % 12 + 1, 1)


def _first_monday(today: date, months: int) -> date:
    first = _later(today, months)
    return first + timedelta(days=-first.weekday() % 7)


def _coming(today: date, weekday: int) -> date:
    """The next such weekday after today."""
    return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)


def _this_week(today: date, weekday: int) -> date:
    """That weekday of the current week, which may have passed."""
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
"""The supported phrases, with functions from today to the date."""

SAME_WEEK = {
    "next Friday": ("next Monday", "next Monday split"),
    "next Friday split": ("next Monday", "next Monday split"),
    "next Sunday": ("next Friday", "next Saturday"),
    "next week Sunday": ("next week Friday", "next week Saturday"),
}
"""End phrases that mean the same week as the beginning, if the beginning is one of these."""


def day_of(phrase: str, today: date, since: str = "") -> date:
    """The date of a phrase. For the last day of a period, `since` is the phrase of its first
    day."""
    if since in SAME_WEEK.get(phrase, ()):
        weekday = FRIDAY if "Friday" in phrase else SUNDAY
        return _this_week(PHRASES[since](today), weekday)
    return PHRASES[phrase](today)


def format_day(text: str, day: date) -> str:
    """Fill the day into a text such as "{DoW}, {Month} {DayD}"; each placeholder is replaced
    once."""
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
    used: set[str] = set()

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name in used or name not in names:
            return match[0]
        used.add(name)
        return names[name]

    return re.sub(r"\{(\w+)\}", value, text)


class Period(BaseModel):
    """One day, or the first and the last day of a period."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    from_: str = Field(alias="from")
    to: str | None = None

    @field_validator("from_", "to")
    @classmethod
    def _known(cls, phrase: str | None) -> str | None:
        if phrase is not None and phrase not in PHRASES:
            raise ValueError(f"unknown day {phrase!r}; known: {', '.join(PHRASES)}")
        return phrase


class RelativeRules(BaseModel):
    """Expected values with placeholders for days, and the phrases that define these days."""

    model_config = ConfigDict(extra="allow", frozen=True)
    relativeTime: Period
    timezone: str | None = None
    """Time zone of the clock; the guest's by default."""
    expected: dict[str, Any]

    @field_validator("timezone")
    @classmethod
    def _zone(cls, name: str | None) -> str | None:
        if name:
            try:
                ZoneInfo(name)
            except (ZoneInfoNotFoundError, ValueError):
                raise ValueError(f"unknown time zone {name!r}") from None
        return name


def fill_dates(rules: RelativeRules, today: date) -> dict[str, Any]:
    """Fill in the dates and return the rules of a metric; `KeyError` if `expected` lacks a key."""
    period, expected = rules.relativeTime, dict(rules.expected)
    first = _places(period.from_, "time" if period.to is None else "from")
    _put(expected, first, period.from_, today)
    if period.to is not None:
        _put(expected, _places(period.to, "to"), period.to, today, period.from_)
    fields = rules.model_dump(by_alias=True, exclude_none=True)
    return {**fields, "expected": expected}


def _places(phrase: str, usual: str) -> Iterable[str]:
    """The keys whose text contains the day; for a "split" phrase there are three."""
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
        expected[key] = (
            [format_day(item, day) for item in text] if several else format_day(text, day)
        )
