"""Expected values of cells and settings in tasks, and their comparison."""

from __future__ import annotations

import math
from datetime import date, datetime, time
from typing import Annotated

from pydantic import PlainValidator

from ambidex.evaluators import Score

__all__ = ["Value", "shown", "unequal", "verdict"]


def _plain(value: object) -> object:
    if not isinstance(value, bool | int | float | str | date | time):
        raise ValueError("must be a number, text, boolean, date or time")
    return value


Value = Annotated[bool | int | float | str | datetime | date | time, PlainValidator(_plain)]
"""A TOML value other than a container."""


def unequal(expected: object, seen: object, tolerance: float) -> str:
    """Why `seen` is not `expected`, or "" if it is; the text "42" is not the number 42."""
    if kind(seen) != kind(expected):
        return (
            f"is {kind(seen)} {shown(seen)}".rstrip() + f", not {kind(expected)} {shown(expected)}"
        )
    if isinstance(expected, int | float) and isinstance(seen, int | float):
        same = math.isclose(expected, seen, rel_tol=0, abs_tol=tolerance)
    else:
        same = _moment(expected) == _moment(seen)
    return "" if same else f"is {shown(seen)}, not {shown(expected)}"


def kind(value: object) -> str:
    """The type of a value in words; values of different types are never equal."""
    match value:
        case None:
            return "empty"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "text"
        case date():  # includes datetime: workbooks store both alike
            return "date"
        case time():
            return "time"
        case _:
            return type(value).__name__


def shown(value: object, longest: int = 200) -> str:
    """Format a value for a message: text is quoted, long values are cut."""
    text = "" if value is None else repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= longest else text[:longest] + "…"


def _moment(value: object) -> object:
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)
    return value


def verdict(wrong: list[str], right: str) -> Score:
    """Score 1 with the reason `right` if `wrong` is empty; else 0 with its first five entries."""
    if not wrong:
        return Score(1.0, right)
    more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
    return Score(0.0, "; ".join(wrong[:5]) + more)
