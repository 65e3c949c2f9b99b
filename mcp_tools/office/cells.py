"""Cell addresses and cell values, converted between text and UNO one range at a time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Optional

from ambidex.mcp_tools import ToolError

__all__ = [
    "Value",
    "column_name",
    "column_number",
    "corners",
    "displayed_text",
    "format_key",
    "local_currency",
    "parse_area",
    "parse_number",
    "range_name",
    "read_formulas",
    "read_values",
    "write",
]

Value = bool | int | float | str | None

A1 = re.compile(
    r"(?:(?P<sheet>'(?:[^']|'')+'|[^'!.]+)[!.])?"
    r"\$?(?P<left>[A-Za-z]{1,3})?\$?(?P<top>[0-9]{1,7})?"
    r"(?::\$?(?P<right>[A-Za-z]{1,3})?\$?(?P<bottom>[0-9]{1,7})?)?",
)
DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?)?")
OWN_SYNTAX = re.compile(r";|\$?(?:'[^']+'|\w+)\.\$?[A-Za-z]{1,3}\$?[0-9]")
"""Matches LibreOffice's own formula syntax: SUM(A1;B1), $Sheet2.A1."""
QUOTED = re.compile(r'"[^"]*"')
MAX_CELLS = 20_000
"""Maximum number of cells read or written in one call."""
BOOLEAN, DATELIKE, CURRENCY, ERRORS, EXCEL = 1024, 6, 8, 4, 3
"""NumberFormat.LOGICAL, .DATETIME and .CURRENCY, FormulaResult.ERROR, AddressConvention.XL_OOX."""
SYNTAX_ERRORS = frozenset({*range(501, 519), 525, 533, 539})
"""Error numbers that mean the formula itself is wrong, not its operands; 525 is #NAME?."""


PLAIN_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,15})?")
"""Text that is unambiguously a number. Not 007, nor more digits than a double can hold."""


@dataclass(frozen=True)
class Area:
    """A rectangle of cells, counted from zero; open sides (A:C, 3:5) are None."""

    sheet: Optional[str]
    left: Optional[int]
    top: Optional[int]
    right: Optional[int]
    bottom: Optional[int]


def column_number(name: str) -> int:
    """Column number of letters: A is 0, Z is 25, AA is 26."""
    plain_number = 0
    for letter in name.upper():
        plain_number = plain_number * 26 + ord(letter) - 64
    return plain_number - 1


def column_name(plain_number: int) -> str:
    """Column letters of a number: 0 is A, 26 is AA."""
    name = ""
    plain_number += 1
    while plain_number:
        plain_number, rest = divmod(plain_number - 1, 26)
        name = chr(65 + rest) + name
    return name


def parse_area(text: str) -> Area:
    """Parse B2, B2:D10, A:C or 3:5, with optional $ and a sheet before ! or . ; `ToolError` for
    anything else.
    """
    match = A1.fullmatch(text.strip())
    if not match or not (match["left"] or match["top"]):
        hint = "Write B2, B2:D10, A:C, 3:5 or 'My sheet'!B2."
        raise ToolError(f"Not a cell or range: {text!r}.", code="bad_range", hint=hint)
    sheet = match["sheet"]
    if sheet and sheet.startswith("'"):
        sheet = sheet[1:-1].replace("''", "'")
    left, top = match["left"], match["top"]
    single = ":" not in text.rpartition("!")[2]
    right, bottom = (left, top) if single else (match["right"], match["bottom"])
    if (left is None) != (right is None) or (top is None) != (bottom is None):
        raise ToolError(
            f"Incomplete range: {text!r}.", code="bad_range", hint="Write B2:D10 or A:C."
        )
    columns = [None if part is None else column_number(part) for part in (left, right)]
    rows = [None if part is None else int(part) - 1 for part in (top, bottom)]
    if -1 in rows:
        raise ToolError(f"{text!r}: rows start at 1.", code="bad_range")
    (x0, x1), (y0, y1) = _sorted(columns), _sorted(rows)
    return Area(sheet, x0, y0, x1, y1)


def _sorted(pair: list[Optional[int]]) -> tuple[Optional[int], Optional[int]]:
    low, high = pair
    return (high, low) if low is not None and high is not None and high < low else (low, high)


def range_name(address: Any) -> str:
    """Name of a range from its UNO address, such as B2:D10."""
    first = f"{column_name(address.StartColumn)}{address.StartRow + 1}"
    last = f"{column_name(address.EndColumn)}{address.EndRow + 1}"
    return first if first == last else f"{first}:{last}"


def parse_formula(document: Any, text: str) -> str:
    """Convert a formula to LibreOffice's syntax; Excel's (commas, Sheet2!A1) is accepted too."""
    from com.sun.star.table import CellAddress

    bare = QUOTED.sub("", text)
    if OWN_SYNTAX.search(bare) or not any(character in bare for character in ",!{["):
        return text
    parser = document.createInstance("com.sun.star.sheet.FormulaParser")
    parser.CompileEnglish = True
    parser.FormulaConvention = EXCEL
    tokens = parser.parseFormula(text[1:], CellAddress())
    parser.FormulaConvention = 0
    return f"={parser.printFormula(tokens, CellAddress())}"


def plain_number(value: float) -> int | float:
    """The number as an int if it is whole: 3 rather than 3.0."""
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _day_zero(document: Any) -> datetime:
    zero = document.NullDate
    return datetime(zero.Year, zero.Month, zero.Day)


def corners(cells: Any) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of a range, counted from zero."""
    address = cells.RangeAddress
    return address.StartColumn, address.StartRow, address.EndColumn, address.EndRow


def check_size(cells: Any) -> Any:
    """Return the range if it is small enough for one call; `ToolError` otherwise."""
    left, top, right, bottom = corners(cells)
    count = (right - left + 1) * (bottom - top + 1)
    if count > MAX_CELLS:
        message = f"The range has {count} cells; the limit for one call is {MAX_CELLS}."
        raise ToolError(message, code="too_large", hint="Split it into smaller ranges.")
    return cells


def read_values(document: Any, cells: Any) -> list[list[Value]]:
    """Values of a range, row by row: numbers, text, booleans, ISO dates, errors such as #N/A, and
    None for empty cells.
    """
    left, top, _, _ = corners(check_size(cells))
    rows: list[list[Value]] = [
        [plain_number(value) if isinstance(value, float) else value or None for value in row]
        for row in cells.getDataArray()
    ]
    formats = document.NumberFormats
    for group in _items(cells.getUniqueCellFormatRanges()):
        kind = formats.getByKey(group.getByIndex(0).NumberFormat).Type & (BOOLEAN | DATELIKE)
        if kind == BOOLEAN or kind & 2:  # a time without a date (4) stays a fraction of a day
            for at in group.RangeAddresses:
                for y in range(at.StartRow - top, at.EndRow - top + 1):
                    for x in range(at.StartColumn - left, at.EndColumn - left + 1):
                        rows[y][x] = _to_value(document, kind, rows[y][x])
    errors = cells.queryFormulaCells(ERRORS)
    for at in errors.RangeAddresses:
        for y in range(at.StartRow, at.EndRow + 1):
            for x in range(at.StartColumn, at.EndColumn + 1):
                rows[y - top][x - left] = cells.getCellByPosition(x - left, y - top).String
    return rows


def read_formulas(cells: Any, values: list[list[Value]]) -> dict[str, str]:
    """The formulas of a range by cell name; `values` are the values of the range."""
    left, top, _, _ = corners(cells)
    return {
        f"{column_name(left + x)}{top + y + 1}": text
        for y, row in enumerate(cells.getFormulaArray())
        for x, text in enumerate(row)
        if text.startswith("=")
        and text != values[y][x]  # text that starts with = looks like a formula
    }


def _items(indexed: Any) -> list[Any]:
    return [indexed.getByIndex(i) for i in range(indexed.getCount())]


def _to_value(document: Any, kind: int, value: Value) -> Value:
    if isinstance(value, (str, type(None))):
        return value
    if kind == BOOLEAN:
        return bool(value)
    moment = _day_zero(document) + timedelta(seconds=round(value * 86400))
    return moment.date().isoformat() if float(value).is_integer() else moment.isoformat()


def parse_number(value: Value) -> Value:
    """Convert text that is unambiguously a number, as typing it into a cell would."""
    return float(value) if isinstance(value, str) and PLAIN_NUMBER.fullmatch(value) else value


def write(document: Any, cells: Any, rows: list[list[Value]]) -> None:
    """Write a block of values: text that starts with = becomes a formula, an ISO date a date; other
    text stays text. `ToolError` names the first invalid formula.
    """
    check_size(cells)
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
        _write_special(document, cells.getCellByPosition(x, y), value)


def _is_special(text: str) -> bool:
    return (text.startswith("=") and len(text) > 1) or bool(DATE.fullmatch(text))


def _write_special(document: Any, cell: Any, value: Value) -> None:
    from com.sun.star.lang import Locale

    formats = document.NumberFormats
    if isinstance(value, bool):
        cell.Value = float(value)
        cell.NumberFormat = formats.getStandardFormat(BOOLEAN, Locale())
        return
    assert isinstance(value, str)
    if value.startswith("="):
        cell.setFormula(parse_formula(document, value))
        error = cell.getError()
        if error in SYNTAX_ERRORS or not cell.Formula.startswith("="):
            message = f"Invalid formula {value}: {cell.String}."
            hint = 'Use English function names: =SUM(A1:A9), =IF(B2>0,"yes","no"), =Sheet2!A1.'
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
        cell.NumberFormat = format_key(document, code)


def format_key(document: Any, code: str) -> int:
    """The key of an English format code such as 0.00; `ToolError` if the code is invalid."""
    from com.sun.star.lang import Locale
    from com.sun.star.util import MalformedNumberFormatException

    # Stored in the desktop's own language: an English format would be saved as [$-409]0.00.
    formats, own = document.NumberFormats, Locale()
    try:
        key: int = formats.queryKey(code, own, False)
        return key if key >= 0 else int(formats.addNewConverted(code, Locale("en", "US", ""), own))
    except MalformedNumberFormatException:
        hint = 'Valid ones are 0.00, #,##0, 0%, YYYY-MM-DD, #,##0.00 "EUR".'
        raise ToolError(f"Not a number format: {code!r}.", code="bad_format", hint=hint) from None


def displayed_text(cell: Any) -> str:
    """The text that a cell displays."""
    text: str = cell.String
    return text


def local_currency(document: Any) -> str:
    """Currency symbol of the desktop's locale."""
    from com.sun.star.lang import Locale

    formats = document.NumberFormats
    symbol: str = formats.getByKey(formats.getStandardFormat(CURRENCY, Locale())).CurrencySymbol
    return symbol
