"""Addresses and values of cells: text to UNO and back, whole ranges in one round trip."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Optional

from ambidex.mcp_tools import ToolError

__all__ = [
    "Value",
    "area",
    "bounds",
    "column_name",
    "column_number",
    "formulas_of",
    "number_format",
    "own_currency",
    "put",
    "range_name",
    "shown",
    "typed",
    "values_of",
]

Value = bool | int | float | str | None

A1 = re.compile(
    r"(?:(?P<sheet>'(?:[^']|'')+'|[^'!.]+)[!.])?"
    r"\$?(?P<left>[A-Za-z]{1,3})?\$?(?P<top>[0-9]{1,7})?"
    r"(?::\$?(?P<right>[A-Za-z]{1,3})?\$?(?P<bottom>[0-9]{1,7})?)?",
)
DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?)?")
LIBRE = re.compile(r";|\$?(?:'[^']+'|\w+)\.\$?[A-Za-z]{1,3}\$?[0-9]")
"""What only a formula in LibreOffice's own spelling has: SUM(A1;B1), $Sheet2.A1."""
QUOTED = re.compile(r'"[^"]*"')
CELLS = 20_000
"""The largest range whose values are read or written in one call."""
BOOLEAN, DATELIKE, CURRENCY, ERRORS, EXCEL = 1024, 6, 8, 4, 3
"""NumberFormat.LOGICAL, .DATETIME and .CURRENCY, FormulaResult.ERROR, AddressConvention.XL_OOX."""
SYNTAX = frozenset({*range(501, 519), 525, 533, 539})
"""Error numbers that mean the formula itself is wrong, not its operands; 525 is #NAME?."""


NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,15})?")
"""Text that is plainly a number. Not 007, and not what a number would not hold digit by digit."""


@dataclass(frozen=True)
class Area:
    """A rectangle of cells, zero-based; a side that was left open (A:C, 3:5) is None."""

    sheet: Optional[str]
    left: Optional[int]
    top: Optional[int]
    right: Optional[int]
    bottom: Optional[int]


def column_number(name: str) -> int:
    """A is 0, Z is 25, AA is 26."""
    number = 0
    for letter in name.upper():
        number = number * 26 + ord(letter) - 64
    return number - 1


def column_name(number: int) -> str:
    """0 is A, 26 is AA."""
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(65 + rest) + name
    return name


def area(text: str) -> Area:
    """Read B2, B2:D10, A:C, 3:5, with $ or a sheet before ! or . ; `ToolError` if it is none of
    them.
    """
    found = A1.fullmatch(text.strip())
    if not found or not (found["left"] or found["top"]):
        hint = "Write B2, B2:D10, A:C, 3:5 or 'My sheet'!B2."
        raise ToolError(f"{text!r} is not a cell or range.", code="bad_range", hint=hint)
    sheet = found["sheet"]
    if sheet and sheet.startswith("'"):
        sheet = sheet[1:-1].replace("''", "'")
    left, top = found["left"], found["top"]
    single = ":" not in text.rpartition("!")[2]
    right, bottom = (left, top) if single else (found["right"], found["bottom"])
    if (left is None) != (right is None) or (top is None) != (bottom is None):
        raise ToolError(f"{text!r} has an open end.", code="bad_range", hint="Write B2:D10 or A:C.")
    columns = [None if each is None else column_number(each) for each in (left, right)]
    rows = [None if each is None else int(each) - 1 for each in (top, bottom)]
    if -1 in rows:
        raise ToolError(f"{text!r}: rows start at 1.", code="bad_range")
    (x0, x1), (y0, y1) = _sorted(columns), _sorted(rows)
    return Area(sheet, x0, y0, x1, y1)


def _sorted(pair: list[Optional[int]]) -> tuple[Optional[int], Optional[int]]:
    low, high = pair
    return (high, low) if low is not None and high is not None and high < low else (low, high)


def range_name(at: Any) -> str:
    """The name of UNO's address of a range, such as B2:D10."""
    first = f"{column_name(at.StartColumn)}{at.StartRow + 1}"
    last = f"{column_name(at.EndColumn)}{at.EndRow + 1}"
    return first if first == last else f"{first}:{last}"


def formula(document: Any, text: str) -> str:
    """The formula in LibreOffice's own spelling; Excel's (commas, Sheet2!A1) is understood too."""
    from com.sun.star.table import CellAddress

    bare = QUOTED.sub("", text)
    if LIBRE.search(bare) or not any(each in bare for each in ",!{["):
        return text
    parser = document.createInstance("com.sun.star.sheet.FormulaParser")
    parser.CompileEnglish = True
    parser.FormulaConvention = EXCEL
    tokens = parser.parseFormula(text[1:], CellAddress())
    parser.FormulaConvention = 0
    return f"={parser.printFormula(tokens, CellAddress())}"


def number(value: float) -> int | float:
    """As a person writes it: 3 rather than 3.0."""
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _day_zero(document: Any) -> datetime:
    zero = document.NullDate
    return datetime(zero.Year, zero.Month, zero.Day)


def bounds(cells: Any) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the range."""
    at = cells.RangeAddress
    return at.StartColumn, at.StartRow, at.EndColumn, at.EndRow


def checked_size(cells: Any) -> Any:
    """The range, if it is small enough for one call."""
    left, top, right, bottom = bounds(cells)
    count = (right - left + 1) * (bottom - top + 1)
    if count > CELLS:
        message = f"The range has {count} cells; {CELLS} are the most for one call."
        raise ToolError(message, code="too_large", hint="Ask for parts of it.")
    return cells


def values_of(document: Any, cells: Any) -> list[list[Value]]:
    """The range row by row: numbers, text, true and false, ISO dates, errors as #N/A; None is
    empty.
    """
    left, top, _, _ = bounds(checked_size(cells))
    rows: list[list[Value]] = [
        [number(each) if isinstance(each, float) else each or None for each in row]
        for row in cells.getDataArray()
    ]
    formats = document.NumberFormats
    for group in _each(cells.getUniqueCellFormatRanges()):
        kind = formats.getByKey(group.getByIndex(0).NumberFormat).Type & (BOOLEAN | DATELIKE)
        if kind == BOOLEAN or kind & 2:  # a time alone (4) stays a fraction of a day
            for at in group.RangeAddresses:
                for y in range(at.StartRow - top, at.EndRow - top + 1):
                    for x in range(at.StartColumn - left, at.EndColumn - left + 1):
                        rows[y][x] = _typed(document, kind, rows[y][x])
    wrong = cells.queryFormulaCells(ERRORS)
    for at in wrong.RangeAddresses:
        for y in range(at.StartRow, at.EndRow + 1):
            for x in range(at.StartColumn, at.EndColumn + 1):
                rows[y - top][x - left] = cells.getCellByPosition(x - left, y - top).String
    return rows


def formulas_of(cells: Any, values: list[list[Value]]) -> dict[str, str]:
    """The formulas of a range by cell; `values` are its values."""
    left, top, _, _ = bounds(cells)
    return {
        f"{column_name(left + x)}{top + y + 1}": text
        for y, row in enumerate(cells.getFormulaArray())
        for x, text in enumerate(row)
        if text.startswith("=") and text != values[y][x]  # text that begins with = reads the same
    }


def _each(indexed: Any) -> list[Any]:
    return [indexed.getByIndex(i) for i in range(indexed.getCount())]


def _typed(document: Any, kind: int, value: Value) -> Value:
    if isinstance(value, (str, type(None))):
        return value
    if kind == BOOLEAN:
        return bool(value)
    moment = _day_zero(document) + timedelta(seconds=round(value * 86400))
    return moment.date().isoformat() if float(value).is_integer() else moment.isoformat()


def typed(value: Value) -> Value:
    """Text that is plainly a number as that number, as if it were typed into a cell."""
    return float(value) if isinstance(value, str) and NUMBER.fullmatch(value) else value


def put(document: Any, cells: Any, rows: list[list[Value]]) -> None:
    """Write a block: numbers as numbers, `=` starts a formula, an ISO date becomes a date, other
    text stays.

    `ToolError` names the first formula that cannot be understood.
    """
    checked_size(cells)
    special: list[tuple[int, int, Value]] = []
    data = []
    for y, row in enumerate(rows):
        plain: list[str | float] = []
        for x, value in enumerate(row):
            if isinstance(value, bool) or (isinstance(value, str) and _is_special(value)):
                special.append((x, y, value))
                value = ""
            if isinstance(value, str):
                plain.append(value.removeprefix("'"))
            else:
                plain.append("" if value is None else float(value))
        data.append(tuple(plain))
    cells.setDataArray(tuple(data))
    for x, y, value in special:
        _put_special(document, cells.getCellByPosition(x, y), value)


def _is_special(text: str) -> bool:
    return (text.startswith("=") and len(text) > 1) or bool(DATE.fullmatch(text))


def _put_special(document: Any, cell: Any, value: Value) -> None:
    from com.sun.star.lang import Locale

    formats = document.NumberFormats
    if isinstance(value, bool):
        cell.Value = float(value)
        cell.NumberFormat = formats.getStandardFormat(BOOLEAN, Locale())
        return
    assert isinstance(value, str)
    if value.startswith("="):
        cell.setFormula(formula(document, value))
        error = cell.getError()
        if error in SYNTAX or not cell.Formula.startswith("="):
            message = f"The formula {value} cannot be understood: {cell.String}."
            hint = 'Function names are English: =SUM(A1:A9), =IF(B2>0,"yes","no"), =Sheet2!A1.'
            raise ToolError(message, code="bad_formula", hint=hint)
        return
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        cell.String = value
        return
    cell.Value = (moment - _day_zero(document)).total_seconds() / 86400
    if not formats.getByKey(cell.NumberFormat).Type & 2:
        code = "YYYY-MM-DD HH:MM:SS" if len(value) > 10 else "YYYY-MM-DD"
        cell.NumberFormat = number_format(document, code)


def number_format(document: Any, code: str) -> int:
    """The key of an English format code such as 0.00; `ToolError` if it is none."""
    from com.sun.star.lang import Locale
    from com.sun.star.util import MalformedNumberFormatException

    # Kept as a format of the desktop's own language: one of English would be saved as [$-409]0.00.
    formats, own = document.NumberFormats, Locale()
    try:
        key: int = formats.queryKey(code, own, False)
        return key if key >= 0 else int(formats.addNewConverted(code, Locale("en", "US", ""), own))
    except MalformedNumberFormatException:
        hint = 'Such as 0.00, #,##0, 0%, YYYY-MM-DD, #,##0.00 "EUR".'
        raise ToolError(f"{code!r} is not a number format.", code="bad_format", hint=hint) from None


def shown(cell: Any) -> str:
    """What the sheet shows in the cell."""
    text: str = cell.String
    return text


def own_currency(document: Any) -> str:
    """The symbol of the desktop's own currency."""
    from com.sun.star.lang import Locale

    formats = document.NumberFormats
    symbol: str = formats.getByKey(formats.getStandardFormat(CURRENCY, Locale())).CurrencySymbol
    return symbol
