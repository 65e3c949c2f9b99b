"""LibreOffice Calc: how numbers are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.calc import app
from ambidex.mcp_tools.office import cells, documents, number_codes
from ambidex.mcp_tools.office.cells import Value
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.sheets import At, Range, Sheet, locate

__all__ = ["app"]


@dataclass(frozen=True)
class NumberFormat:
    """Cells whose numbers are shown otherwise now, and how the first of them is shown."""

    range: str
    sheet: str
    format: str
    first_shown: str


@app.tool()
def set_number_format(
    range_str: Range,
    format_type: Annotated[
        Literal[
            "general",
            "number",
            "currency",
            "accounting",
            "date",
            "time",
            "percentage",
            "fraction",
            "scientific",
            "text",
        ],
        Field(description="general: automatic"),
    ],
    decimal_places: Annotated[
        Optional[int],
        Field(ge=0, le=20, description="default: none for number, otherwise 2"),
    ] = None,
    currency: Annotated[
        Optional[str],
        Field(
            min_length=1,
            max_length=8,
            pattern=r'^[^"\[\]]+$',
            description="code such as EUR, or symbol; default: the locale's",
        ),
    ] = None,
    thousands: Annotated[
        Optional[bool],
        Field(description="thousands separator: 1,234; default: as usual for the type"),
    ] = None,
    sheet: Sheet = None,
    document: Document = None,
) -> NumberFormat:
    """Set the number format of cells: show numbers and prices as currency, percentage, date, time,
    fraction or scientific, with decimals and thousands separators. Values do not change: percentage
    shows 0.25 as 25%. Custom format codes: calc_format_range.
    """
    at = locate(document, sheet, range_str)
    with documents.editing(at.model, f"Number format of {at.range}"):
        if format_type in ("currency", "accounting") and currency is None:
            currency = cells.own_currency(at.model)
        code = number_codes.code(format_type, decimal_places, currency or "", thousands)
        at.cells.NumberFormat = cells.number_format(at.model, code)
        return _formatted(at)


def _formatted(at: At) -> NumberFormat:
    first = at.cells.getCellByPosition(0, 0)
    code = at.model.NumberFormats.getByKey(first.NumberFormat).FormatString
    return NumberFormat(at.range, at.sheet.Name, code, first.String)


@app.tool(timeout=60)
def format_numbers_to_human_readable(
    cell_range: Range,
    decimal_places: Annotated[int, Field(ge=0, le=6, description="decimals")] = 1,
    sheet: Sheet = None,
    document: Document = None,
) -> NumberFormat:
    """Display the big numbers of a sheet abbreviated, in human-readable form: millions as 1.2 M,
    billions as 3.4 B, smaller ones as they are. The cells keep their full values.
    """
    at = locate(document, sheet, cell_range, clip=True)
    with documents.editing(at.model, f"Short numbers in {at.range}"):
        rows = cells.checked_size(at.cells).getDataArray()
        signs = {each < 0 for row in rows for each in row if isinstance(each, float)}
        if not signs:
            raise ToolError(f"There are no numbers in {at.range}.", code="no_numbers")
        short = {
            negative: cells.number_format(at.model, number_codes.short(decimal_places, negative))
            for negative in signs
        }
        at.cells.NumberFormat = short[min(signs)]
        if len(signs) == 2:
            _negative(at, rows).NumberFormat = short[True]
        return _formatted(at)


def _negative(at: At, rows: Sequence[Sequence[Value]]) -> Any:
    chosen = at.model.createInstance("com.sun.star.sheet.SheetCellRanges")
    below = [
        at.cells.getCellByPosition(x, y).RangeAddress
        for y, row in enumerate(rows)
        for x, each in enumerate(row)
        if isinstance(each, float) and each < 0
    ]
    chosen.addRangeAddresses(tuple(below), True)
    return chosen
