"""LibreOffice Calc: workbooks and their cells. The rest is in the modules named calc_*."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mcp_tools import ToolError
from mcp_tools.calc import app
from mcp_tools.office import cells, connection, documents
from mcp_tools.office.documents import Document
from mcp_tools.office.sheets import (
    SPREADSHEET,
    At,
    Cell,
    CellValue,
    Changed,
    Column,
    New,
    Range,
    Row,
    Sheet,
    SheetInfo,
    Values,
    Workbook,
    block,
    cell_value,
    locate,
    one_cell,
    sheet_of,
    used,
)


@app.tool(timeout=documents.OPENS_WITHIN)
def open_workbook(path: Annotated[str, Field(description="such as ~/budget.xlsx")]) -> Workbook:
    """Open a spreadsheet file in Calc and make it the active document. Returns its sheets."""
    model = documents.open_file(SPREADSHEET, path)
    return get_workbook_info(str(documents.file_of(model)))


@app.tool(reads_only=True)
def get_workbook_info(document: Document = None) -> Workbook:
    """See which sheets a spreadsheet has, which is active, how far each is used, and whether there
    are unsaved changes.
    """
    model = documents.find(SPREADSHEET, document)
    with connection.answering():
        active = sheet_of(model, None).Name
        sheets = [model.Sheets.getByName(name) for name in model.Sheets.ElementNames]
        listed = [
            SheetInfo(
                each.Name, At(model, each, used(each)).range, each.IsVisible, each.Name == active
            )
            for each in sheets
        ]
        file = documents.file_of(model)
        return Workbook(model.Title, str(file) if file else None, model.isModified(), listed)


@app.tool(reads_only=True, timeout=60)
def env_info(
    sheet_name: Sheet = None,
    rows: Annotated[int, Field(ge=1, le=500, description="at most so many rows")] = 50,
    document: Document = None,
) -> Values:
    """Look at the beginning of a sheet when you do not know its layout yet: the first rows and 50
    columns.
    """
    model = documents.find(SPREADSHEET, document)
    with connection.answering():
        sheet = sheet_of(model, sheet_name)
        end = used(sheet).RangeAddress
        last = min(end.EndColumn, 49), min(end.EndRow, rows - 1)
        return _values(At(model, sheet, sheet.getCellRangeByPosition(0, 0, *last)))


def _values(at: At) -> Values:
    values = cells.values_of(at.model, at.cells)
    formulas = cells.formulas_of(at.cells, values)
    return Values(at.range, at.sheet.Name, values, formulas)


@app.tool(reads_only=True)
def get_cell_value(cell: Cell, sheet: Sheet = None, document: Document = None) -> CellValue:
    """Read one cell: its value, the text the sheet shows, and its formula if it has one."""
    at = one_cell(document, sheet, cell)
    with connection.answering():
        return cell_value(at)


@app.tool()
def set_cell_value(
    cell: Cell, value: New, sheet: Sheet = None, document: Document = None
) -> CellValue:
    """Write one cell. Numbers, and text that is plainly one ("42", "-3.5"), are stored as numbers;
    text starting with = is a formula in English, with commas or semicolons; text that is an ISO
    date (2024-05-01) is stored as a date; other text stays text ("007"), and a leading ' keeps any
    text as it is. Returns what the cell holds then: look there for #DIV/0! and the like.
    """
    at = one_cell(document, sheet, cell)
    with documents.editing(at.model, f"Set {at.range}"):
        cells.put(at.model, at.cells, [[cells.typed(value)]])
        return cell_value(at)


@app.tool(reads_only=True, timeout=60)
def get_range_values(range_str: Range, sheet: Sheet = None, document: Document = None) -> Values:
    """Read a block of cells at once, row by row, with the formulas in it. Open ranges such as A:C
    end with the content.
    """
    at = locate(document, sheet, range_str, clip=True)
    with connection.answering():
        return _values(at)


@app.tool(timeout=60)
def set_range_values(
    start_cell: Cell,
    values: Annotated[list[list[New]], Field(min_length=1, description="rows of cells")],
    sheet: Sheet = None,
    document: Document = None,
) -> Changed:
    """Write a block of cells at once, `start_cell` being its upper left corner. Values are taken as
    by calc_set_cell_value, but text that is a number ("42") stays text; null empties a cell. All
    rows need the same length.
    """
    if len({len(row) for row in values}) != 1 or not values[0]:
        lengths = ", ".join(str(len(row)) for row in values[:20])
        raise ToolError(f"The rows have different lengths: {lengths}.", code="bad_values")
    at = block(document, sheet, start_cell, len(values), len(values[0]))
    with documents.editing(at.model, f"Set {at.range}"):
        cells.put(at.model, at.cells, values)
    return at.changed


@app.tool(reads_only=True, timeout=60)
def get_column_data(column_name: Column, sheet: Sheet = None, document: Document = None) -> Values:
    """Read a whole column from row 1 to the last used row."""
    return get_range_values(f"{column_name}:{column_name}", sheet, document)


@app.tool(timeout=60)
def set_column_values(
    column_name: Column,
    data: Annotated[
        list[New], Field(min_length=1, description="one value for each row, downwards")
    ],
    start_index: Row = 2,
    sheet: Sheet = None,
    document: Document = None,
) -> Changed:
    """Write values down a column from row `start_index` on (2 leaves a header in row 1 alone).
    Values are taken as by calc_set_range_values.
    """
    return set_range_values(
        f"{column_name}{start_index}", [[each] for each in data], sheet, document
    )


@app.tool()
def clear_range(
    range_str: Range,
    formats: Annotated[
        bool, Field(description="also remove colours, fonts, number formats")
    ] = False,
    sheet: Sheet = None,
    document: Document = None,
) -> Changed:
    """Empty cells: values, text, dates and formulas; with `formats` their look as well."""
    at = locate(document, sheet, range_str)
    with documents.editing(at.model, f"Clear {at.range}"):
        at.cells.clearContents(1 | 2 | 4 | 16 | (32 | 64 if formats else 0))
    return at.changed


@app.tool()
def undo(document: Document = None) -> str:
    """Take back the last change of a spreadsheet, whoever made it. A tool's change is one step."""
    return documents.undo(documents.find(SPREADSHEET, document))
