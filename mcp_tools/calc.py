"""LibreOffice Calc: cells of open spreadsheets, and their files. The rest is in `calc_layout`."""

from __future__ import annotations

from typing import Annotated, Optional

from pydantic import Field

from mcp_tools import App, ToolError, cells, documents, office
from mcp_tools.documents import Document, Saved
from mcp_tools.sheets import (
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

# Writer's tools run in the same worker: one preparation and one recovery serve both.
app = App(
    "calc",
    "LibreOffice Calc",
    worker="office",
    prepare="mcp_tools.office:ready",
    recover="mcp_tools.office:recover",
)


@app.tool(timeout=60)
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
    with office.answering():
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
    with office.answering():
        sheet = sheet_of(model, sheet_name)
        end = used(sheet).RangeAddress
        last = min(end.EndColumn, 49), min(end.EndRow, rows - 1)
        return _values(At(model, sheet, sheet.getCellRangeByPosition(0, 0, *last)))


def _values(at: At) -> Values:
    values = cells.values_of(at.model, at.cells)
    start = at.cells.RangeAddress
    formulas = {
        f"{cells.column_name(start.StartColumn + x)}{start.StartRow + y + 1}": text
        for y, row in enumerate(at.cells.getFormulaArray())
        for x, text in enumerate(row)
        if text.startswith("=") and text != values[y][x]  # text that begins with = reads the same
    }
    return Values(at.range, at.sheet.Name, values, formulas)


@app.tool(reads_only=True)
def get_cell_value(cell: Cell, sheet: Sheet = None, document: Document = None) -> CellValue:
    """Read one cell: its value, the text the sheet shows, and its formula if it has one."""
    at = one_cell(document, sheet, cell)
    with office.answering():
        return cell_value(at)


@app.tool()
def set_cell_value(
    cell: Cell, value: New, sheet: Sheet = None, document: Document = None
) -> CellValue:
    """Write one cell. Numbers are stored as numbers; text starting with = is a formula in English,
    with commas or semicolons; text that is an ISO date (2024-05-01) is stored as a date; other
    text stays text, and a leading ' keeps any text as it is. Returns what the cell holds then:
    look there for #DIV/0! and the like.
    """
    at = one_cell(document, sheet, cell)
    with documents.editing(at.model, f"Set {at.range}"):
        cells.put(at.model, at.cells, [[value]])
        return cell_value(at)


@app.tool(reads_only=True, timeout=60)
def get_range_values(range_str: Range, sheet: Sheet = None, document: Document = None) -> Values:
    """Read a block of cells at once, row by row, with the formulas in it. Open ranges such as A:C
    end with the content.
    """
    at = locate(document, sheet, range_str, clip=True)
    with office.answering():
        return _values(at)


@app.tool(timeout=60)
def set_range_values(
    start_cell: Cell,
    values: Annotated[list[list[New]], Field(min_length=1, description="rows of cells")],
    sheet: Sheet = None,
    document: Document = None,
) -> Changed:
    """Write a block of cells at once, `start_cell` being its upper left corner. Values are taken as
    by calc_set_cell_value; null empties a cell. All rows need the same length.
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
    Values are taken as by calc_set_cell_value.
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


@app.tool(timeout=60)
def copy_range(
    source_range: Range,
    target_cell: Cell,
    source_sheet: Sheet = None,
    target_sheet: Sheet = None,
    document: Document = None,
) -> Changed:
    """Copy cells with formats and formulas, whose relative references follow, to another place or
    sheet of the workbook. To fill a formula down, copy it once per row or write the formulas by
    calc_set_range_values.
    """
    source = locate(document, source_sheet, source_range, clip=True)
    size = source.cells.RangeAddress
    rows, columns = size.EndRow - size.StartRow + 1, size.EndColumn - size.StartColumn + 1
    goal = block(document, target_sheet or source.sheet.Name, target_cell, rows, columns)
    with documents.editing(goal.model, f"Copy {source.range} to {goal.range}"):
        address = goal.cells.getCellByPosition(0, 0).CellAddress
        goal.sheet.copyRange(address, source.cells.RangeAddress)
    return goal.changed


@app.tool(timeout=60)
def sort_range(
    range_str: Range,
    by_column: Column,
    ascending: bool = True,
    has_header: Annotated[bool, Field(description="the first row is a header and stays")] = True,
    sheet: Sheet = None,
    document: Document = None,
) -> Changed:
    """Sort the rows of a range by one of its columns; whole rows of the range move together. Give
    the whole table, such as A1:E20 or A:E, not only the column to sort by.
    """
    from com.sun.star.table import TableSortField

    at = locate(document, sheet, range_str, clip=True)
    address = at.cells.RangeAddress
    index = cells.column_number(by_column) - address.StartColumn
    if not 0 <= index <= address.EndColumn - address.StartColumn:
        raise ToolError(f"Column {by_column} is not in {at.range}.", code="bad_range")
    order = TableSortField()
    order.Field, order.IsAscending = index, ascending
    with documents.editing(at.model, f"Sort {at.range}"):
        fields = _uno_any("[]com.sun.star.table.TableSortField", (order,))
        given = documents.property_values(
            ContainsHeader=has_header, IsSortColumns=False, SortFields=fields
        )
        at.cells.sort(given)
    return at.changed


def _uno_any(kind: str, value: object) -> object:
    import uno

    return uno.Any(kind, value)


@app.tool(timeout=60)
def find_and_replace(
    search: Annotated[str, Field(min_length=1)],
    replacement: str,
    match_case: bool = True,
    whole_cells: Annotated[bool, Field(description="only cells that are exactly the text")] = False,
    regular_expression: bool = False,
    sheet: Sheet = None,
    document: Document = None,
) -> int:
    """Replace text in the cells and formulas of one sheet. Returns how many cells changed."""
    model = documents.find(SPREADSHEET, document)
    with documents.editing(model, f"Replace {search}"):
        found = sheet_of(model, sheet)
        asked = found.createReplaceDescriptor()
        asked.SearchString, asked.ReplaceString = search, replacement
        asked.SearchCaseSensitive, asked.SearchWords = match_case, whole_cells
        asked.SearchRegularExpression = regular_expression
        count: int = found.replaceAll(asked)
        return count


@app.tool()
def undo(document: Document = None) -> str:
    """Take back the last change of a spreadsheet, whoever made it. A tool's change is one step."""
    return documents.undo(documents.find(SPREADSHEET, document))


@app.tool(timeout=60)
def save(document: Document = None) -> Saved:
    """Save a spreadsheet to its own file, in the format that file has. No dialog appears."""
    return documents.save(documents.find(SPREADSHEET, document))


@app.tool(timeout=60)
def save_as(
    file_path: Annotated[str, Field(description="ends in .ods .xlsx .xls .csv or .html")],
    overwrite: bool = False,
    document: Document = None,
) -> Saved:
    """Save a spreadsheet under another name; the window goes on with that file. A .csv holds the
    active sheet only.
    """
    return documents.save_as(
        documents.find(SPREADSHEET, document), SPREADSHEET, file_path, overwrite
    )


@app.tool(timeout=60)
def export_to_pdf(
    file_path: Annotated[
        Optional[str], Field(description="beside the file itself if left out")
    ] = None,
    overwrite: bool = False,
    document: Document = None,
) -> Saved:
    """Write all sheets of a spreadsheet to a PDF; the spreadsheet itself stays as it is."""
    model = documents.find(SPREADSHEET, document)
    return documents.export_pdf(model, "calc_pdf_Export", file_path, overwrite)
