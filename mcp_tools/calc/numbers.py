"""Tools for number formats."""

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
from ambidex.mcp_tools.office.sheets import CellRange, Range, Sheet, locate

__all__ = ["app"]


@dataclass(frozen=True)
class FormattedNumbers:
    """Cells with a new number format, and the text their first cell displays."""

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
) -> FormattedNumbers:
    """Set the number format of cells: show numbers and prices as currency, percentage, date, time,
    fraction or scientific, with decimals and thousands separators. Values do not change: percentage
    shows 0.25 as 25%. Custom format codes: calc_format_range.
    """
    target = locate(document, sheet, range_str)
    with documents.editing(target.model, f"Number format of {target.range}"):
        if format_type in ("currency", "accounting") and currency is None:
            currency = cells.local_currency(target.model)
        code = number_codes.format_code(format_type, decimal_places, currency or "", thousands)
        target.cells.NumberFormat = cells.format_key(target.model, code)
        return _describe(target)


def _describe(target: CellRange) -> FormattedNumbers:
    first = target.cells.getCellByPosition(0, 0)
    code = target.model.NumberFormats.getByKey(first.NumberFormat).FormatString
    return FormattedNumbers(target.range, target.sheet.Name, code, first.String)


@app.tool(timeout=60)
def format_numbers_to_human_readable(
    cell_range: Range,
    decimal_places: Annotated[int, Field(ge=0, le=6, description="decimals")] = 1,
    sheet: Sheet = None,
    document: Document = None,
) -> FormattedNumbers:
    """Display the big numbers of a sheet abbreviated, in human-readable form: millions as 1.2 M,
    billions as 3.4 B, smaller ones as they are. The cells keep their full values.
    """
    target = locate(document, sheet, cell_range, clip=True)
    with documents.editing(target.model, f"Short numbers in {target.range}"):
        rows = cells.check_size(target.cells).getDataArray()
        signs = {value < 0 for row in rows for value in row if isinstance(value, float)}
        if not signs:
            raise ToolError(f"{target.range} contains no numbers.", code="no_numbers")
        short = {
            negative: cells.format_key(
                target.model, number_codes.short_format(decimal_places, negative)
            )
            for negative in signs
        }
        target.cells.NumberFormat = short[min(signs)]
        if len(signs) == 2:
            _negative_cells(target, rows).NumberFormat = short[True]
        return _describe(target)


def _negative_cells(target: CellRange, rows: Sequence[Sequence[Value]]) -> Any:
    ranges = target.model.createInstance("com.sun.star.sheet.SheetCellRanges")
    below = [
        target.cells.getCellByPosition(x, y).RangeAddress
        for y, row in enumerate(rows)
        for x, value in enumerate(row)
        if isinstance(value, float) and value < 0
    ]
    ranges.addRangeAddresses(tuple(below), True)
    return ranges
