"""Values, operators and the supported functions of spreadsheet formulas."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

EPOCH = datetime(1899, 12, 30)


class UnknownValueError(Exception):
    """The formula uses something that is not supported."""


class FormulaError(Exception):
    """The formula results in an error for this cell, such as text in a sum."""


@dataclass(frozen=True)
class Area:
    """The values of a range, row by row; a single cell is an area of one value."""

    row: int
    column: int
    cells: tuple[object, ...]


def truth(value: object) -> bool:
    """Whether a conditional format applies when its formula has this result."""
    if isinstance(value, str):
        return False
    return bool(value)


def single(value: object) -> object:
    """Unwrap an area of one cell; other values are returned as they are."""
    if isinstance(value, Area):
        if len(value.cells) != 1:
            raise FormulaError("a range is used where one value is needed")
        return value.cells[0]
    return value


def number(value: object) -> float:
    """Convert a value to a number as spreadsheets do; dates are days since 1899-12-30."""
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
            return _parse_number(text)
        case other:
            raise FormulaError(f"{other!r} is not a number")


def _parse_number(text: str) -> float:
    try:
        parsed = float(text)
    except ValueError:
        raise FormulaError(f"{text!r} is not a number") from None
    if not math.isfinite(parsed):
        raise FormulaError(f"{text!r} is not a number")
    return parsed


def text(value: object) -> str:
    """Convert a value to text as the operator & does."""
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
    """Apply a binary operator to two values."""
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
    """Sort keys: numbers before texts before booleans; texts ignore case."""

    def key(value: object, partner: object) -> tuple[int, float | str]:
        if value is None:
            value = "" if isinstance(partner, str) else False if isinstance(partner, bool) else 0
        if isinstance(value, bool):
            return 2, float(value)
        return (1, value.lower()) if isinstance(value, str) else (0, number(value))

    return key(one, other), key(other, one)


def _numbers(arguments: tuple[object, ...]) -> list[float]:
    """The numbers that SUM adds up: numbers and dates; texts and booleans in a range are
    skipped."""
    numbers = []
    for argument in arguments:
        if isinstance(argument, Area):
            cells = (cell for cell in argument.cells if not isinstance(cell, str | bool | None))
            numbers += [number(cell) for cell in cells]
        else:
            numbers.append(number(argument))
    return numbers


def _flat(arguments: tuple[object, ...]) -> list[object]:
    return [
        value
        for argument in arguments
        for value in (argument.cells if isinstance(argument, Area) else (argument,))
    ]


def _truths(arguments: tuple[object, ...]) -> list[bool]:
    return [truth(value) for value in _flat(arguments) if value is not None]


def _day(value: object) -> datetime:
    plain = single(value)
    if isinstance(plain, str):
        try:
            return datetime.fromisoformat(plain)
        except ValueError:
            pass  # the text may still hold a number of days
    days = number(value)
    if days < 0:
        raise FormulaError(f"{days} is not a date")
    return EPOCH + timedelta(days=days)


def _weekday(value: object, kind: object = 1.0) -> float:
    monday = _day(value).weekday()  # 0 on Mondays
    starts = {1: 6, 2: 0, 11: 0, 12: 1, 13: 2, 14: 3, 15: 4, 16: 5, 17: 6}
    if int(number(kind)) == 3:
        return float(monday)
    return float((monday - starts[int(number(kind))]) % 7 + 1)


def _count_if(area: object, criterion: object) -> float:
    criterion = single(criterion)
    operator, operand = "=", criterion
    if isinstance(criterion, str):
        operator = next(
            (sign for sign in ("<>", "<=", ">=", "<", ">", "=") if criterion.startswith(sign)), ""
        )
        rest = criterion.removeprefix(operator)
        operator = operator or "="
        if any(wildcard in rest for wildcard in "*?~"):
            raise UnknownValueError("wildcards are not supported")
        try:
            operand = float(rest)
        except ValueError:
            operand = rest
    cells = area.cells if isinstance(area, Area) else (area,)
    # Cells of another type than the operand never count, whatever the operator.
    kind = next((type_ for type_ in (str, bool) if isinstance(operand, type_)), None)
    comparable = (
        cell
        for cell in cells
        if cell is not None
        and (isinstance(cell, kind) if kind else not isinstance(cell, str | bool))
    )
    return float(sum(1 for cell in comparable if combined(operator, cell, operand)))


def _find(needle: object, haystack: object, start: object = 1.0, *, case: bool = True) -> float:
    one, other = (text(value) if case else text(value).lower() for value in (needle, haystack))
    return float(other.index(one, int(number(start)) - 1) + 1)


def _rounded(value: float, places: int) -> float:
    """Round the decimal representation, with halves away from zero."""
    step = Decimal(1).scaleb(-places)
    return float(Decimal(repr(value)).quantize(step, ROUND_HALF_UP))


def _if(condition: object, then: object = True, otherwise: object = False) -> object:
    return then if truth(single(condition)) else otherwise


FUNCTIONS: dict[str, Callable[..., object]] = {
    "AND": lambda *arguments: all(_truths(arguments)),
    "OR": lambda *arguments: any(_truths(arguments)),
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
    "SUM": lambda *arguments: math.fsum(_numbers(arguments)),
    "AVERAGE": lambda *arguments: math.fsum(_numbers(arguments)) / len(_numbers(arguments)),
    "MIN": lambda *arguments: min(_numbers(arguments), default=0.0),
    "MAX": lambda *arguments: max(_numbers(arguments), default=0.0),
    "COUNT": lambda *arguments: float(len(_numbers(arguments))),
    "COUNTA": lambda *arguments: float(sum(1 for value in _flat(arguments) if value is not None)),
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
    "SEARCH": lambda *arguments: _find(*arguments, case=False),
}  # fmt: skip
