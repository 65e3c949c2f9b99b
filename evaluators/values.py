"""What a task may expect a cell or a setting to hold, and when two such values are the same."""

from __future__ import annotations

import math
from datetime import date, datetime, time
from typing import Annotated

from pydantic import PlainValidator

from ambidex.evaluators import Score

__all__ = ["Value", "shown", "unequal", "verdict"]


def _plain(value: object) -> object:
    if not isinstance(value, bool | int | float | str | date | time):
        raise ValueError("a number, text, truth value, date or time")
    return value


Value = Annotated[bool | int | float | str | datetime | date | time, PlainValidator(_plain)]
"""A TOML value that is no container."""


def unequal(expected: object, seen: object, tolerance: float) -> str:
    """Why `seen` is not `expected` ("" where it is); text "42" is not the number 42."""
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
    """The kind of a value in an author's words; values of different kinds are never equal."""
    match value:
        case None:
            return "empty"
        case bool():
            return "truth value"
        case int() | float():
            return "number"
        case str():
            return "text"
        case date():  # a datetime is one too: workbooks store both alike
            return "date"
        case time():
            return "time"
        case _:
            return type(value).__name__


def shown(value: object, longest: int = 200) -> str:
    """A value for a reason: quoted as text is, and cut."""
    text = "" if value is None else repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= longest else text[:longest] + "…"


def _moment(value: object) -> object:
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)
    return value


def verdict(wrong: list[str], right: str) -> Score:
    """1 where nothing is wrong, with `right` as the reason; else 0, naming the first few wrongs."""
    if not wrong:
        return Score(1.0, right)
    more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
    return Score(0.0, "; ".join(wrong[:5]) + more)
