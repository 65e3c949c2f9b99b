"""What a spreadsheet's formula counts with: values, operators and the functions known here."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

EPOCH = datetime(1899, 12, 30)


class UnknownValueError(Exception):
    """A formula that is not understood here."""


class FormulaError(Exception):
    """A formula that gives an error for this cell, such as text in a sum."""


@dataclass(frozen=True)
class Area:
    """The values of a range, in reading order; a single cell is an area of one."""

    row: int
    column: int
    cells: tuple[object, ...]


def truth(value: object) -> bool:
    """Whether a conditional format applies where its formula gives this."""
    if isinstance(value, str):
        return False
    return bool(value)


def single(value: object) -> object:
    """The one value of an area of one, or the value itself."""
    if isinstance(value, Area):
        if len(value.cells) != 1:
            raise FormulaError("a range stands where one value is meant")
        return value.cells[0]
    return value


def number(value: object) -> float:
    """A value as a spreadsheet counts with it; dates are days since the end of 1899."""
    match single(value):
        case None:
            return 0.0
        case bool() | int() | float() as plain:
            return float(plain)
        case datetime() as moment:
            return (moment - EPOCH) / timedelta(days=1)
        case date() as day:
            return float((datetime(day.year, day.month, day.day) - EPOCH).days)
        case time() as clock:
            return (clock.hour * 3600 + clock.minute * 60 + clock.second) / 86400
        case str() as text:
            return _number_in(text)
        case other:
            raise FormulaError(f"{other!r} is no number")


def _number_in(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        raise FormulaError(f"{text!r} is no number") from None
    if not math.isfinite(found):
        raise FormulaError(f"{text!r} is no number")
    return found


def text(value: object) -> str:
    """A value as a spreadsheet joins it to others."""
    match single(value):
        case None:
            return ""
        case bool() as plain:
            return str(plain).upper()
        case str() as plain:
            return plain
        case other:
            return f"{number(other):.15g}"


def combined(operator: str, one: object, other: object) -> object:
    """Two values under an operator."""
    if operator == "&":
        return text(one) + text(other)
    if operator in "+-*/^":
        left, right = number(one), number(other)
        try:
            match operator:
                case "+":
                    return left + right
                case "-":
                    return left - right
                case "*":
                    return left * right
                case "/":
                    return left / right
                case _:
                    return math.pow(left, right)
        except (ArithmeticError, ValueError) as error:
            raise FormulaError(str(error)) from error
    first, second = _ordered(single(one), single(other))
    return {
        "=": first == second, "<>": first != second, "<": first < second, ">": first > second,
        "<=": first <= second, ">=": first >= second,
    }[operator]  # fmt: skip


def _ordered(one: object, other: object) -> tuple[Any, Any]:
    """Numbers come before texts and these before truth values; texts without case."""

    def key(value: object, beside: object) -> tuple[int, float | str]:
        if value is None:
            value = "" if isinstance(beside, str) else False if isinstance(beside, bool) else 0
        if isinstance(value, bool):
            return 2, float(value)
        return (1, value.lower()) if isinstance(value, str) else (0, number(value))

    return key(one, other), key(other, one)


def _numbers(given: tuple[object, ...]) -> list[float]:
    """What SUM counts: numbers and dates; texts and truth values within a range are passed over."""
    found = []
    for each in given:
        if isinstance(each, Area):
            kept = (cell for cell in each.cells if not isinstance(cell, str | bool | None))
            found += [number(cell) for cell in kept]
        else:
            found.append(number(each))
    return found


def _flat(given: tuple[object, ...]) -> list[object]:
    return [cell for each in given for cell in (each.cells if isinstance(each, Area) else (each,))]


def _all_true(given: tuple[object, ...]) -> list[bool]:
    return [truth(each) for each in _flat(given) if each is not None]


def _day(value: object) -> datetime:
    named = single(value)
    if isinstance(named, str):
        try:
            return datetime.fromisoformat(named)
        except ValueError:
            pass  # a number of days as a text, or nothing of the kind
    days = number(value)
    if days < 0:
        raise FormulaError(f"{days} is no day")
    return EPOCH + timedelta(days=days)


def _weekday(value: object, kind: object = 1.0) -> float:
    monday = _day(value).weekday()  # 0 on Mondays
    starts = {1: 6, 2: 0, 11: 0, 12: 1, 13: 2, 14: 3, 15: 4, 16: 5, 17: 6}
    if int(number(kind)) == 3:
        return float(monday)
    return float((monday - starts[int(number(kind))]) % 7 + 1)


def _count_if(area: object, wanted: object) -> float:
    asked = single(wanted)
    operator, than = "=", asked
    if isinstance(asked, str):
        operator = next(
            (each for each in ("<>", "<=", ">=", "<", ">", "=") if asked.startswith(each)), ""
        )
        rest = asked.removeprefix(operator)
        operator = operator or "="
        if any(each in rest for each in "*?~"):
            raise UnknownValueError("patterns are not known here")
        try:
            than = float(rest)
        except ValueError:
            than = rest
    cells = area.cells if isinstance(area, Area) else (area,)
    # Cells of another kind than the one asked for do not count, whatever their order.
    kind = next((each for each in (str, bool) if isinstance(than, each)), None)
    held = (
        cell
        for cell in cells
        if cell is not None
        and (isinstance(cell, kind) if kind else not isinstance(cell, str | bool))
    )
    return float(sum(1 for cell in held if combined(operator, cell, than)))


def _find(wanted: object, within: object, start: object = 1.0, *, case: bool = True) -> float:
    one, other = (text(each) if case else text(each).lower() for each in (wanted, within))
    return float(other.index(one, int(number(start)) - 1) + 1)


def _rounded(value: float, places: int) -> float:
    """Halves away from zero, of the number as it is written."""
    step = Decimal(1).scaleb(-places)
    return float(Decimal(repr(value)).quantize(step, ROUND_HALF_UP))


def _if(asked: object, then: object = True, otherwise: object = False) -> object:
    return then if truth(single(asked)) else otherwise


FUNCTIONS: dict[str, Callable[..., object]] = {
    "AND": lambda *given: all(_all_true(given)),
    "OR": lambda *given: any(_all_true(given)),
    "NOT": lambda value: not truth(single(value)),
    "IF": _if,
    "TRUE": lambda: True,
    "FALSE": lambda: False,
    "ISBLANK": lambda value: single(value) is None,
    "ISNUMBER": lambda value: not isinstance(single(value), str | bool | None),
    "ISTEXT": lambda value: isinstance(single(value), str),
    "ROW": lambda area: float(area.row),
    "COLUMN": lambda area: float(area.column),
    "WEEKDAY": _weekday,
    "DAY": lambda value: float(_day(value).day),
    "MONTH": lambda value: float(_day(value).month),
    "YEAR": lambda value: float(_day(value).year),
    "MOD": lambda value, by: number(value) - number(by) * math.floor(number(value) / number(by)),
    "ABS": lambda value: abs(number(value)),
    "INT": lambda value: float(math.floor(number(value))),
    "ROUND": lambda value, places=0.0: _rounded(number(value), int(number(places))),
    "SUM": lambda *given: math.fsum(_numbers(given)),
    "AVERAGE": lambda *given: math.fsum(_numbers(given)) / len(_numbers(given)),
    "MIN": lambda *given: min(_numbers(given), default=0.0),
    "MAX": lambda *given: max(_numbers(given), default=0.0),
    "COUNT": lambda *given: float(len(_numbers(given))),
    "COUNTA": lambda *given: float(sum(1 for each in _flat(given) if each is not None)),
    "COUNTIF": _count_if,
    "LEN": lambda value: float(len(text(value))),
    "LEFT": lambda value, count=1.0: text(value)[: int(number(count))],
    "RIGHT": lambda value, count=1.0: text(value)[len(text(value)) - int(number(count)) :],
    "MID": lambda value, start, count: text(value)[int(number(start)) - 1 :][: int(number(count))],
    "UPPER": lambda value: text(value).upper(),
    "LOWER": lambda value: text(value).lower(),
    "TRIM": lambda value: " ".join(text(value).split()),
    "EXACT": lambda one, other: text(one) == text(other),
    "FIND": _find,
    "SEARCH": lambda *given: _find(*given, case=False),
}  # fmt: skip
