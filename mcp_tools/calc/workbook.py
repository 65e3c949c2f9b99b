"""Tools that open workbooks and read and write cells."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.calc import app
from ambidex.mcp_tools.office import cells, connection, documents
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.sheets import (
    SPREADSHEET,
    Cell,
    CellRange,
    CellValue,
    ChangedRange,
    Column,
    New,
    Range,
    Row,
    Sheet,
    SheetInfo,
    Values,
    Workbook,
    block_at,
    locate,
    locate_cell,
    read_cell,
    sheet_of,
    used_range,
)


@app.tool(timeout=documents.OPENS_WITHIN)
def open_workbook(path: Annotated[str, Field(description="such as ~/budget.xlsx")]) -> Workbook:
    """Open or load a spreadsheet file (ods, xlsx) in Calc and make it the active document. Returns
    its sheets.
    """
    model = documents.open_file(SPREADSHEET, path)
    return get_workbook_info(str(documents.file_of(model)))


@app.tool(reads_only=True)
def get_workbook_info(document: Document = None) -> Workbook:
    """Find out how many and which sheets (tabs) a workbook has: its file, sheet names and used
    sizes, the active sheet, and whether there are unsaved changes.
    """
    model = documents.find(SPREADSHEET, document)
    with connection.uno_errors():
        active = sheet_of(model, None).Name
        sheets = [model.Sheets.getByName(name) for name in model.Sheets.ElementNames]
        listed = [
            SheetInfo(
                sheet.Name,
                CellRange(model, sheet, used_range(sheet)).range,
                sheet.IsVisible,
                sheet.Name == active,
            )
            for sheet in sheets
        ]
        file = documents.file_of(model)
        return Workbook(model.Title, str(file) if file else None, model.isModified(), listed)


@app.tool(reads_only=True, timeout=60)
def env_info(
    sheet_name: Sheet = None,
    rows: Annotated[int, Field(ge=1, le=500, description="maximum number of rows")] = 50,
    document: Document = None,
) -> Values:
    """Show the first rows and 50 columns of a sheet: an overview of its headers and content when
    you do not know the layout yet.
    """
    model = documents.find(SPREADSHEET, document)
    with connection.uno_errors():
        sheet = sheet_of(model, sheet_name)
        end = used_range(sheet).RangeAddress
        last = min(end.EndColumn, 49), min(end.EndRow, rows - 1)
        return _values(CellRange(model, sheet, sheet.getCellRangeByPosition(0, 0, *last)))


def _values(cell_range: CellRange) -> Values:
    values = cells.read_values(cell_range.model, cell_range.cells)
    formulas = cells.read_formulas(cell_range.cells, values)
    return Values(cell_range.range, cell_range.sheet.Name, values, formulas)


@app.tool(reads_only=True)
def get_cell_value(cell: Cell, sheet: Sheet = None, document: Document = None) -> CellValue:
    """Read a single cell: its value, its displayed text and its formula, if any."""
    target = locate_cell(document, sheet, cell)
    with connection.uno_errors():
        return read_cell(target)


@app.tool()
def set_cell_value(
    cell: Cell, value: New, sheet: Sheet = None, document: Document = None
) -> CellValue:
    """Put (enter, type) a number, text, date or formula such as =SUM(A1:A9) into one cell, or
    change its content. Text that looks like a number ("42") becomes one, =… a formula (English
    function names), an ISO date (2024-05-01) a date; anything else ("007") and text after a leading
    ' stays text. Returns the cell's new content: check it for #DIV/0! and other errors.
    """
    target = locate_cell(document, sheet, cell)
    with documents.editing(target.model, f"Set {target.range}"):
        cells.write(target.model, target.cells, [[cells.parse_number(value)]])
        return read_cell(target)


@app.tool(reads_only=True, timeout=60)
def get_range_values(range_str: Range, sheet: Sheet = None, document: Document = None) -> Values:
    """Read a block of cells at once: the values (numbers, text) of a range row by row, with their
    formulas. Open ranges such as A:C end at the last used cell.
    """
    target = locate(document, sheet, range_str, clip=True)
    with connection.uno_errors():
        return _values(target)


@app.tool(timeout=60)
def set_range_values(
    start_cell: Cell,
    values: Annotated[list[list[New]], Field(min_length=1, description="rows of cells")],
    sheet: Sheet = None,
    document: Document = None,
) -> ChangedRange:
    """Write (paste) a two-dimensional block of values: fill a range with a table of data, row by
    row, from its upper left cell `start_cell`. Values are converted as in calc_set_cell_value, but
    "42" stays text and null empties a cell. All rows must be equally long.
    """
    if len({len(row) for row in values}) != 1 or not values[0]:
        lengths = ", ".join(str(len(row)) for row in values[:20])
        raise ToolError(f"The rows have different lengths: {lengths}.", code="bad_values")
    target = block_at(document, sheet, start_cell, len(values), len(values[0]))
    with documents.editing(target.model, f"Set {target.range}"):
        cells.write(target.model, target.cells, values)
    return target.changed


@app.tool(reads_only=True, timeout=60)
def get_column_data(column_name: Column, sheet: Sheet = None, document: Document = None) -> Values:
    """Read all values of one column as a list, from row 1 to the last used row."""
    return get_range_values(f"{column_name}:{column_name}", sheet, document)


@app.tool(timeout=60)
def set_column_values(
    column_name: Column,
    data: Annotated[list[New], Field(min_length=1, description="one value per row")],
    start_index: Row = 2,
    sheet: Sheet = None,
    document: Document = None,
) -> ChangedRange:
    """Write a list of values into a column, one below the other, from row `start_index` on (2 keeps
    the header). Values are converted as in calc_set_range_values.
    """
    return set_range_values(
        f"{column_name}{start_index}", [[value] for value in data], sheet, document
    )


@app.tool()
def clear_range(
    range_str: Range,
    formats: Annotated[
        bool, Field(description="also remove colours, fonts, number formats")
    ] = False,
    sheet: Sheet = None,
    document: Document = None,
) -> ChangedRange:
    """Clear cells: erase (empty, delete) the contents of a range, values and formulas; with
    `formats` its formatting too. Cells do not move.
    """
    target = locate(document, sheet, range_str)
    with documents.editing(target.model, f"Clear {target.range}"):
        target.cells.clearContents(1 | 2 | 4 | 16 | (32 | 64 if formats else 0))
    return target.changed


@app.tool()
def undo(document: Document = None) -> str:
    """Undo the last change in a spreadsheet (Ctrl+Z), whoever made it: revert an edit or a mistake.
    A tool call is one step.
    """
    return documents.undo(documents.find(SPREADSHEET, document))
