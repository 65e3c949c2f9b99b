"""LibreOffice Calc: rows and columns, put in, taken out, hidden, and how large they are."""

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
    Changed,
    Column,
    Row,
    Sheet,
    locate,
    sheet_of,
    used,
)

__all__ = ["app"]

POINT = 2540 / 72
"""In hundredths of a millimetre, as all of UNO's lengths."""
FINE = 20
"""A digit is measured so many times larger: widths come in whole pixels."""
Count = Annotated[int, Field(ge=1, le=10000, description="how many")]


@dataclass(frozen=True)
class Sized:
    """Columns or rows, and the size of the first of them, before and now, in the tool's unit."""

    range: str
    sheet: str
    before: float
    now: float


@dataclass(frozen=True)
class Hidden:
    """Rows that were hidden, by number; `already` were so before."""

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
) -> Sized:
    """Set the width of columns, wider or narrower, so that text is not cut off; with `autofit`, or
    without `width`, fit each to its contents (optimal width).
    """
    at = locate(document, sheet, columns if ":" in columns else f"{columns}:{columns}")
    with documents.editing(at.model, f"Width of {columns}"):
        digit = _digit(at.model)
        lines = at.cells.Columns
        before = lines.getByIndex(0).Width
        if autofit or width is None:
            lines.OptimalWidth = True
        else:
            lines.Width = round(width * digit)
        now = lines.getByIndex(0).Width
    return Sized(columns, at.sheet.Name, round(before / digit, 2), round(now / digit, 2))


def _digit(model: Any) -> float:
    """The width of a digit in the workbook's own font: what a column's width is counted in."""
    from com.sun.star.awt import FontDescriptor

    style = model.StyleFamilies.getByName("CellStyles").getByName("Default")
    font = FontDescriptor()
    # Such a font's height is one of pixels, so it has as many as it has points.
    font.Name, font.Height = style.CharFontName, round(style.CharHeight * FINE)
    window = model.getCurrentController().Frame.ContainerWindow
    width: float = window.getFont(font).getCharWidth("0") / FINE * POINT
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
) -> Sized:
    """Set the height of rows, taller or lower; with `autofit`, or without `height`, fit each to its
    text (optimal height).
    """
    at = locate(document, sheet, rows if ":" in rows else f"{rows}:{rows}")
    with documents.editing(at.model, f"Height of {rows}"):
        lines = at.cells.Rows
        before = lines.getByIndex(0).Height
        if autofit or height is None:
            lines.OptimalHeight = True
        else:
            lines.Height = round(height * POINT)
        now = lines.getByIndex(0).Height
    return Sized(rows, at.sheet.Name, round(before / POINT, 2), round(now / POINT, 2))


@app.tool()
def insert_rows(
    row: Row,
    count: Count = 1,
    sheet: Sheet = None,
    document: Document = None,
) -> Changed:
    """Insert blank rows above a row: add empty lines, room for new entries, in the middle of a
    sheet. Rows below move down and formulas are adjusted.
    """
    at = locate(document, sheet, f"{row}:{row + count - 1}")
    with documents.editing(at.model, f"Insert {count} rows"):
        changed = at.changed
        at.sheet.Rows.insertByIndex(row - 1, count)
    return changed


@app.tool()
def delete_rows(
    row: Row,
    count: Count = 1,
    sheet: Sheet = None,
    document: Document = None,
) -> Changed:
    """Delete entire rows of a table or sheet, starting at `row`: remove the lines so that the rows
    below move up.
    """
    at = locate(document, sheet, f"{row}:{row + count - 1}")
    with documents.editing(at.model, f"Delete {count} rows"):
        changed = at.changed
        at.sheet.Rows.removeByIndex(row - 1, count)
    return changed


@app.tool()
def insert_columns(
    column: Column, count: Count = 1, sheet: Sheet = None, document: Document = None
) -> Changed:
    """Insert new empty columns before (left of) a column. Columns to the right move on and formulas
    are adjusted.
    """
    at = locate(document, sheet, _columns(column, count))
    with documents.editing(at.model, f"Insert {count} columns"):
        changed = at.changed
        at.sheet.Columns.insertByIndex(cells.column_number(column), count)
    return changed


@app.tool()
def delete_columns(
    column: Column, count: Count = 1, sheet: Sheet = None, document: Document = None
) -> Changed:
    """Delete entire columns of a sheet, starting at `column`: remove them so that the columns to
    the right move left.
    """
    at = locate(document, sheet, _columns(column, count))
    with documents.editing(at.model, f"Delete {count} columns"):
        changed = at.changed
        at.sheet.Columns.removeByIndex(cells.column_number(column), count)
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
) -> Hidden:
    """Hide the rows (lines) that contain a certain value: every row with a cell that shows exactly
    this. Nothing is deleted and no filter is set; the header row 1 stays visible.
    """
    model = documents.find(SPREADSHEET, document)
    with documents.editing(model, f"Hide rows with {value}"):
        found = sheet_of(model, sheet)
        lines = found.Rows
        rows = [row for row in sorted(_showing(used(found), value)) if row > 0]
        if not rows:
            message = f"No cell of {found.Name} below row 1 shows {value!r}."
            raise ToolError(message, code="not_found", hint="It must be the whole cell.")
        already = [row + 1 for row in rows if not lines.getByIndex(row).IsVisible]
        for row in rows:
            lines.getByIndex(row).IsVisible = False
    return Hidden(found.Name, [row + 1 for row in rows], already)


def _showing(block: Any, value: str) -> set[int]:
    """The rows of the sheet, from 0, in which a cell of the block shows exactly that."""
    rows = set()
    numeral = any(each.isdigit() for each in value)
    for y, row in enumerate(block.getDataArray()):
        for x, each in enumerate(row):
            if each == value or (
                numeral
                and isinstance(each, float)
                and block.getCellByPosition(x, y).String == value
            ):
                rows.add(y)
    for at in block.queryFormulaCells(cells.ERRORS).RangeAddresses:
        for y in range(at.StartRow, at.EndRow + 1):
            for x in range(at.StartColumn, at.EndColumn + 1):
                if block.getCellByPosition(x, y).String == value:
                    rows.add(y)
    return rows
