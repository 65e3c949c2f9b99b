"""Tools that insert, delete, resize and hide rows and columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.calc import app
from ambidex.mcp_tools.office import cells, documents
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.sheets import (
    SPREADSHEET,
    ChangedRange,
    Column,
    Row,
    Sheet,
    locate,
    sheet_of,
    used_range,
)

__all__ = ["app"]

POINT = 2540 / 72
"""One point in hundredths of a millimetre, UNO's unit of length."""
SCALE = 20
"""Magnification for measuring a digit, because widths are whole pixels."""
Count = Annotated[int, Field(ge=1, le=10000, description="how many")]


@dataclass(frozen=True)
class ResizedLines:
    """Resized columns or rows; `before` and `now` are the first one's size in the tool's unit."""

    range: str
    sheet: str
    before: float
    now: float


@dataclass(frozen=True)
class HiddenRows:
    """Numbers of the rows hidden; the rows in `already` were hidden before."""

    sheet: str
    rows: list[int]
    already: list[int]


@app.tool()
def adjust_column_width(
    columns: Annotated[str, Field(description="such as B or A:D")],
    width: Annotated[
        Optional[float],
        Field(
            gt=0,
            le=255,
            description="in characters, as in Excel; 8.43 is the default",
        ),
    ] = None,
    autofit: Annotated[bool, Field(description="fit to the contents")] = False,
    sheet: Sheet = None,
    document: Document = None,
) -> ResizedLines:
    """Set the width of columns, wider or narrower, so that text is not cut off; with `autofit`, or
    without `width`, fit each to its contents (optimal width).
    """
    target = locate(document, sheet, columns if ":" in columns else f"{columns}:{columns}")
    with documents.editing(target.model, f"Width of {columns}"):
        digit = _digit_width(target.model)
        lines = target.cells.Columns
        before = lines.getByIndex(0).Width
        if autofit or width is None:
            lines.OptimalWidth = True
        else:
            lines.Width = round(width * digit)
        now = lines.getByIndex(0).Width
    return ResizedLines(columns, target.sheet.Name, round(before / digit, 2), round(now / digit, 2))


def _digit_width(model: Any) -> float:
    """Width of a digit in the workbook's default font, the unit of column widths."""
    from com.sun.star.awt import FontDescriptor

    style = model.StyleFamilies.getByName("CellStyles").getByName("Default")
    font = FontDescriptor()
    # FontDescriptor takes a height in pixels; use the number of points, scaled.
    font.Name, font.Height = style.CharFontName, round(style.CharHeight * SCALE)
    window = model.getCurrentController().Frame.ContainerWindow
    width: float = window.getFont(font).getCharWidth("0") / SCALE * POINT
    return width


@app.tool()
def adjust_row_height(
    rows: Annotated[str, Field(description="such as 3 or 1:10")],
    height: Annotated[
        Optional[float], Field(gt=0, le=1000, description="points; 12.8 is the default")
    ] = None,
    autofit: Annotated[bool, Field(description="fit to the contents")] = False,
    sheet: Sheet = None,
    document: Document = None,
) -> ResizedLines:
    """Set the height of rows, taller or lower; with `autofit`, or without `height`, fit each to its
    text (optimal height).
    """
    target = locate(document, sheet, rows if ":" in rows else f"{rows}:{rows}")
    with documents.editing(target.model, f"Height of {rows}"):
        lines = target.cells.Rows
        before = lines.getByIndex(0).Height
        if autofit or height is None:
            lines.OptimalHeight = True
        else:
            lines.Height = round(height * POINT)
        now = lines.getByIndex(0).Height
    return ResizedLines(rows, target.sheet.Name, round(before / POINT, 2), round(now / POINT, 2))


@app.tool()
def insert_rows(
    row: Row,
    count: Count = 1,
    sheet: Sheet = None,
    document: Document = None,
) -> ChangedRange:
    """Insert blank rows above a row: add empty lines, room for new entries, in the middle of a
    sheet. Rows below move down and formulas are adjusted.
    """
    target = locate(document, sheet, f"{row}:{row + count - 1}")
    with documents.editing(target.model, f"Insert {count} rows"):
        changed = target.changed
        target.sheet.Rows.insertByIndex(row - 1, count)
    return changed


@app.tool()
def delete_rows(
    row: Row,
    count: Count = 1,
    sheet: Sheet = None,
    document: Document = None,
) -> ChangedRange:
    """Delete entire rows of a table or sheet, starting at `row`: remove the lines so that the rows
    below move up.
    """
    target = locate(document, sheet, f"{row}:{row + count - 1}")
    with documents.editing(target.model, f"Delete {count} rows"):
        changed = target.changed
        target.sheet.Rows.removeByIndex(row - 1, count)
    return changed


@app.tool()
def insert_columns(
    column: Column, count: Count = 1, sheet: Sheet = None, document: Document = None
) -> ChangedRange:
    """Insert new empty columns before (left of) a column. Columns to the right move on and formulas
    are adjusted.
    """
    target = locate(document, sheet, _columns(column, count))
    with documents.editing(target.model, f"Insert {count} columns"):
        changed = target.changed
        target.sheet.Columns.insertByIndex(cells.column_number(column), count)
    return changed


@app.tool()
def delete_columns(
    column: Column, count: Count = 1, sheet: Sheet = None, document: Document = None
) -> ChangedRange:
    """Delete entire columns of a sheet, starting at `column`: remove them so that the columns to
    the right move left.
    """
    target = locate(document, sheet, _columns(column, count))
    with documents.editing(target.model, f"Delete {count} columns"):
        changed = target.changed
        target.sheet.Columns.removeByIndex(cells.column_number(column), count)
    return changed


def _columns(column: str, count: int) -> str:
    return f"{column}:{cells.column_name(cells.column_number(column) + count - 1)}"


@app.tool(timeout=60)
def hide_row_data(
    value: Annotated[
        str, Field(min_length=1, description="complete text of a cell, such as N/A")
    ] = "N/A",
    sheet: Sheet = None,
    document: Document = None,
) -> HiddenRows:
    """Hide the rows (lines) that contain a certain value: every row with a cell that shows exactly
    this. Nothing is deleted and no filter is set; the header row 1 stays visible.
    """
    model = documents.find(SPREADSHEET, document)
    with documents.editing(model, f"Hide rows with {value}"):
        target_sheet = sheet_of(model, sheet)
        lines = target_sheet.Rows
        rows = [row for row in sorted(_rows_showing(used_range(target_sheet), value)) if row > 0]
        if not rows:
            message = f"No cell of {target_sheet.Name} below row 1 displays {value!r}."
            raise ToolError(message, code="not_found", hint="Give the complete text of the cell.")
        already = [row + 1 for row in rows if not lines.getByIndex(row).IsVisible]
        for row in rows:
            lines.getByIndex(row).IsVisible = False
    return HiddenRows(target_sheet.Name, [row + 1 for row in rows], already)


def _rows_showing(block: Any, value: str) -> set[int]:
    """Numbers, from 0, of the rows in which a cell of the block displays exactly `value`."""
    rows = set()
    has_digits = any(character.isdigit() for character in value)
    for y, row in enumerate(block.getDataArray()):
        for x, content in enumerate(row):
            if content == value or (
                has_digits
                and isinstance(content, float)
                and block.getCellByPosition(x, y).String == value
            ):
                rows.add(y)
    for address in block.queryFormulaCells(cells.ERRORS).RangeAddresses:
        for y in range(address.StartRow, address.EndRow + 1):
            for x in range(address.StartColumn, address.EndColumn + 1):
                if block.getCellByPosition(x, y).String == value:
                    rows.add(y)
    return rows
