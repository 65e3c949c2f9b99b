"""Tools that copy, fill, transpose, sort and search blocks of cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.calc import app
from ambidex.mcp_tools.office import cells, connection, documents
from ambidex.mcp_tools.office import columns as table_columns
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.sheets import (
    SPREADSHEET,
    Cell,
    CellRange,
    ChangedRange,
    Column,
    Range,
    Sheet,
    block_at,
    enum,
    header_row,
    locate,
    merged_areas,
    region,
    sheet_of,
    used_range,
)

__all__ = ["app"]

Ascending = Annotated[bool, Field(description="smallest first; false: largest first (descending)")]
MAX_TRANSPOSED = 4000
"""Maximum number of cells transposed in one call: formats are copied cell by cell."""


@dataclass(frozen=True)
class FilledCells:
    """Cells that were blank and have been filled."""

    sheet: str
    ranges: list[str]
    cells: int


@app.tool(timeout=60)
def copy_range(
    source_range: Range,
    target_cell: Cell,
    source_sheet: Sheet = None,
    target_sheet: Sheet = None,
    document: Document = None,
) -> ChangedRange:
    """Copy and paste a block of cells to another place: duplicate values, formatting and formulas
    (relative references adjusted), on the same or another sheet.
    """
    source = locate(document, source_sheet, source_range, clip=True)
    size = source.cells.RangeAddress
    rows, columns = size.EndRow - size.StartRow + 1, size.EndColumn - size.StartColumn + 1
    target = block_at(document, target_sheet or source.sheet.Name, target_cell, rows, columns)
    with documents.editing(target.model, f"Copy {source.range} to {target.range}"):
        address = target.cells.getCellByPosition(0, 0).CellAddress
        target.sheet.copyRange(address, source.cells.RangeAddress)
    return target.changed


@app.tool(timeout=60)
def copy_cells_between_sheets(
    source_range: Range,
    target_sheet_name: Annotated[str, Field(description="a sheet that exists")],
    target_start_cell: Cell,
    source_sheet: Sheet = None,
    document: Document = None,
) -> ChangedRange:
    """Copy a range of cells from one sheet (tab) onto another, which must exist, with formatting
    and formulas (relative references adjusted). Overwrites what is there.
    """
    return copy_range(source_range, target_start_cell, source_sheet, target_sheet_name, document)


@app.tool(timeout=60)
def fill_down(
    source_range: Annotated[str, Field(description="one row of cells, such as D2 or B2:D2")],
    rows_to_fill: Annotated[int, Field(ge=1, le=100_000, description="number of rows below it")],
    sheet: Sheet = None,
    document: Document = None,
) -> ChangedRange:
    """Fill down: copy a formula or row of cells into the rows below, like dragging the fill handle.
    Relative references are adjusted; values stay the same, formats are copied.
    """
    source = locate(document, sheet, source_range)
    left, top, right, bottom = cells.corners(source.cells)
    if top != bottom:
        raise ToolError(f"{source.range} is more than one row.", code="bad_range")
    end = f"{cells.column_name(right)}{bottom + rows_to_fill + 1}"
    whole = locate(document, source.sheet.Name, f"{cells.column_name(left)}{top + 1}:{end}")
    with documents.editing(source.model, f"Fill {whole.range}"):
        down, same = enum("sheet.FillDirection", "TO_BOTTOM"), enum("sheet.FillMode", "SIMPLE")
        whole.cells.fillSeries(down, same, enum("sheet.FillDateMode", "FILL_DATE_DAY"), 0, 0)
    return whole.changed


@app.tool(timeout=60)
def transpose_range(
    source_range: Range,
    target_cell: Cell,
    sheet: Sheet = None,
    document: Document = None,
) -> ChangedRange:
    """Transpose a table: turn rows into columns and columns into rows (swap them). Copies formats,
    values and the results of formulas to `target_cell`, overwriting what is there; the source
    stays.
    """
    source = locate(document, sheet, source_range, clip=True)
    left, top, right, bottom = cells.corners(source.cells)
    across, down = right - left + 1, bottom - top + 1
    if across * down > MAX_TRANSPOSED:
        message = f"{source.range} has {across * down} cells; the limit is {MAX_TRANSPOSED}."
        raise ToolError(message, code="too_large", hint="Transpose smaller parts.")
    target = block_at(document, source.sheet.Name, target_cell, across, down)
    if source.sheet.Name == target.sheet.Name and len(
        source.cells.queryIntersection(target.cells.RangeAddress).RangeAddresses
    ):
        message = f"{target.range} would overlap {source.range}."
        raise ToolError(message, code="overlap", hint="Choose a target next to or below it.")
    rows = source.cells.getDataArray()
    with documents.editing(target.model, f"Transpose {source.range} to {target.range}"):
        for y in range(down):
            for x in range(across):
                corner = target.cells.getCellByPosition(y, x).CellAddress
                cell = source.cells.getCellByPosition(x, y).RangeAddress
                target.sheet.copyRange(corner, cell)
        target.cells.setDataArray(tuple(zip(*rows, strict=True)))
    return target.changed


@app.tool(timeout=60)
def sort_range(
    range_str: Range,
    by_column: Column,
    ascending: Ascending = True,
    has_header: Annotated[
        bool, Field(description="the first row is a header and stays on top")
    ] = True,
    sheet: Sheet = None,
    document: Document = None,
) -> ChangedRange:
    """Sort a table, given as a range, by one column, ascending or descending: put records in
    alphabetical order, highest or lowest first, newest first, keeping rows together. Give all
    columns, such as A1:E20, not only the one to sort by.
    """
    target = locate(document, sheet, range_str, clip=True)
    address = target.cells.RangeAddress
    index = cells.column_number(by_column) - address.StartColumn
    if not 0 <= index <= address.EndColumn - address.StartColumn:
        raise ToolError(f"Column {by_column} is not in {target.range}.", code="bad_range")
    _sort(target, index, ascending, has_header)
    return target.changed


@app.tool(timeout=60)
def sort_column(
    column_name: Annotated[
        str, Field(min_length=1, description="column letters, or the header in row 1")
    ],
    ascending: Ascending = True,
    start_index: Annotated[
        int, Field(ge=1, description="first row to sort; 2 skips the header row")
    ] = 2,
    sheet: Sheet = None,
    document: Document = None,
) -> ChangedRange:
    """Sort by a single column, ascending (small to large) or descending, without giving a range:
    rows of the surrounding block of entries move together, from `start_index` down to the first
    empty row. Returns what was sorted.
    """
    model = documents.find(SPREADSHEET, document)
    with connection.uno_errors():
        target_sheet = sheet_of(model, sheet)
        (column,) = table_columns.find_columns([column_name], header_row(target_sheet))
        last = used_range(target_sheet).RangeAddress.EndRow
        values = target_sheet.getCellRangeByPosition(column, 0, column, last).getDataArray()
        row = next((y for y in range(start_index - 1, last + 1) if values[y][0] != ""), None)
        if row is None:
            message = f"Column {column_name} is empty from row {start_index} on."
            raise ToolError(message, code="empty")
        left, top, right, bottom = cells.corners(region(target_sheet, column, row))
        top = max(top, start_index - 1)
        target = CellRange(
            model, target_sheet, target_sheet.getCellRangeByPosition(left, top, right, bottom)
        )
    _sort(target, column - left, ascending, has_header=False)
    return target.changed


def _sort(cell_range: CellRange, index: int, ascending: bool, has_header: bool) -> None:
    import uno
    from com.sun.star.table import TableSortField

    merged = merged_areas(cell_range)
    if merged:
        message = f"Cannot sort merged cells: {', '.join(merged)}."
        raise ToolError(message, code="merged", hint="Unmerge them with calc_merge_cells first.")
    order = TableSortField()
    order.Field, order.IsAscending = index, ascending
    with documents.editing(cell_range.model, f"Sort {cell_range.range}"):
        fields = uno.Any("[]com.sun.star.table.TableSortField", (order,))
        arguments = documents.property_values(
            ContainsHeader=has_header, IsSortColumns=False, SortFields=fields
        )
        cell_range.cells.sort(arguments)


@app.tool(timeout=60)
def find_and_replace(
    search: Annotated[str, Field(min_length=1, description="text to look for")],
    replacement: Annotated[str, Field(description="the new text")],
    match_case: Annotated[bool, Field(description="case-sensitive")] = True,
    whole_cells: Annotated[bool, Field(description="match entire cells only")] = False,
    regular_expression: Annotated[
        bool, Field(description="`search` is one; $1 in `replacement` is its first group")
    ] = False,
    sheet: Sheet = None,
    document: Document = None,
) -> int:
    """Find and replace text in all cells and formulas of a sheet: change every occurrence, also by
    regular expression. Returns how many cells changed.
    """
    model = documents.find(SPREADSHEET, document)
    with documents.editing(model, f"Replace {search}"):
        target_sheet = sheet_of(model, sheet)
        descriptor = target_sheet.createReplaceDescriptor()
        descriptor.SearchString, descriptor.ReplaceString = search, replacement
        descriptor.SearchCaseSensitive, descriptor.SearchWords = match_case, whole_cells
        descriptor.SearchRegularExpression = regular_expression
        count: int = target_sheet.replaceAll(descriptor)
        return count


@app.tool(timeout=60)
def fill_blank_down(
    columns: Annotated[
        Optional[list[str]],
        Field(min_length=1, description="letters or headers; default: all used columns"),
    ] = None,
    range_str: Annotated[
        Optional[str],
        Field(description="only this range, such as B1:E30; its first row is not filled"),
    ] = None,
    sheet: Sheet = None,
    document: Document = None,
) -> FilledCells:
    """Fill blank cells with the value of the cell above: repeat group names down in empty cells.
    Without `range_str` all rows below header row 1 are filled. Returns the filled cells.
    """
    area = locate(document, sheet, range_str or "A2:A2", clip=True)
    with documents.editing(area.model, "Fill blank cells"):
        left, top, right, bottom = cells.corners(area.cells)
        if range_str is None:
            _, _, right, bottom = cells.corners(used_range(area.sheet))
        numbers = list(range(left, right + 1))
        if columns:
            numbers = table_columns.find_columns(columns, header_row(area.sheet))
        filled = [
            run
            for x in numbers
            if left <= x <= right and bottom > top
            for run in _fill(area.sheet, x, top + 1, bottom)
        ]
    names = [cells.range_name(run.RangeAddress) for run in filled]
    return FilledCells(area.sheet.Name, names, sum(run.Rows.Count for run in filled))


def _fill(sheet: Any, column: int, top: int, bottom: int) -> list[Any]:
    """Fill empty cells of a column from above; return the filled runs of cells."""
    filled = []
    empty = sheet.getCellRangeByPosition(column, top, column, bottom).queryEmptyCells()
    for address in empty.RangeAddresses:
        above = sheet.getCellByPosition(column, address.StartRow - 1)
        value = above.getDataArray()[0][0]
        if value in ("", None):  # empty, or an error
            continue
        run = sheet.getCellRangeByPosition(column, address.StartRow, column, address.EndRow)
        run.setDataArray(((value,),) * (address.EndRow - address.StartRow + 1))
        run.NumberFormat = above.NumberFormat
        filled.append(run)
    return filled
