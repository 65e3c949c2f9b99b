"""LibreOffice Calc: blocks of cells sorted, copied, filled, transposed, searched."""

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
    At,
    Cell,
    Changed,
    Column,
    Range,
    Sheet,
    block,
    enum,
    header_of,
    locate,
    merged,
    region,
    sheet_of,
    used,
)

__all__ = ["app"]

Ascending = Annotated[bool, Field(description="smallest first; false: largest first (descending)")]
TRANSPOSED = 4000
"""The most cells that are transposed in one call: each look is copied by itself."""


@dataclass(frozen=True)
class Filled:
    """Cells that were blank and now hold something."""

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
) -> Changed:
    """Copy and paste a block of cells to another place: duplicate values, formatting and formulas
    (relative references adjusted), on the same or another sheet.
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
def copy_cells_between_sheets(
    source_range: Range,
    target_sheet_name: Annotated[str, Field(description="a sheet that exists")],
    target_start_cell: Cell,
    source_sheet: Sheet = None,
    document: Document = None,
) -> Changed:
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
) -> Changed:
    """Fill down: copy a formula or row of cells into the rows below, like dragging the fill handle.
    Relative references are adjusted; values stay the same, formats are copied.
    """
    at = locate(document, sheet, source_range)
    left, top, right, bottom = cells.bounds(at.cells)
    if top != bottom:
        raise ToolError(f"{at.range} is not one row.", code="bad_range")
    end = f"{cells.column_name(right)}{bottom + rows_to_fill + 1}"
    whole = locate(document, at.sheet.Name, f"{cells.column_name(left)}{top + 1}:{end}")
    with documents.editing(at.model, f"Fill {whole.range}"):
        down, same = enum("sheet.FillDirection", "TO_BOTTOM"), enum("sheet.FillMode", "SIMPLE")
        whole.cells.fillSeries(down, same, enum("sheet.FillDateMode", "FILL_DATE_DAY"), 0, 0)
    return whole.changed


@app.tool(timeout=60)
def transpose_range(
    source_range: Range,
    target_cell: Cell,
    sheet: Sheet = None,
    document: Document = None,
) -> Changed:
    """Transpose a table: turn rows into columns and columns into rows (swap them). Copies formats,
    values and the results of formulas to `target_cell`, overwriting what is there; the source
    stays.
    """
    source = locate(document, sheet, source_range, clip=True)
    left, top, right, bottom = cells.bounds(source.cells)
    across, down = right - left + 1, bottom - top + 1
    if across * down > TRANSPOSED:
        message = f"{source.range} has {across * down} cells; {TRANSPOSED} are the most."
        raise ToolError(message, code="too_large", hint="Transpose parts of it.")
    goal = block(document, source.sheet.Name, target_cell, across, down)
    if source.sheet.Name == goal.sheet.Name and len(
        source.cells.queryIntersection(goal.cells.RangeAddress).RangeAddresses
    ):
        message = f"{goal.range} would cover part of {source.range}."
        raise ToolError(message, code="overlap", hint="Choose a target beside or below it.")
    rows = source.cells.getDataArray()
    with documents.editing(goal.model, f"Transpose {source.range} to {goal.range}"):
        for y in range(down):
            for x in range(across):
                corner = goal.cells.getCellByPosition(y, x).CellAddress
                cell = source.cells.getCellByPosition(x, y).RangeAddress
                goal.sheet.copyRange(corner, cell)
        goal.cells.setDataArray(tuple(zip(*rows, strict=True)))
    return goal.changed


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
) -> Changed:
    """Sort a table, given as a range, by one column, ascending or descending: put records in
    alphabetical order, highest or lowest first, newest first, keeping rows together. Give all
    columns, such as A1:E20, not only the one to sort by.
    """
    at = locate(document, sheet, range_str, clip=True)
    address = at.cells.RangeAddress
    index = cells.column_number(by_column) - address.StartColumn
    if not 0 <= index <= address.EndColumn - address.StartColumn:
        raise ToolError(f"Column {by_column} is not in {at.range}.", code="bad_range")
    _sort(at, index, ascending, has_header)
    return at.changed


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
) -> Changed:
    """Sort by a single column, ascending (small to large) or descending, without giving a range:
    rows of the surrounding block of entries move together, from `start_index` down to the first
    empty row. Returns what was sorted.
    """
    model = documents.find(SPREADSHEET, document)
    with connection.answering():
        found = sheet_of(model, sheet)
        (column,) = table_columns.named([column_name], header_of(found))
        last = used(found).RangeAddress.EndRow
        lines = found.getCellRangeByPosition(column, 0, column, last).getDataArray()
        row = next((y for y in range(start_index - 1, last + 1) if lines[y][0] != ""), None)
        if row is None:
            message = f"Column {column_name} holds nothing from row {start_index} on."
            raise ToolError(message, code="empty")
        left, top, right, bottom = cells.bounds(region(found, column, row))
        top = max(top, start_index - 1)
        at = At(model, found, found.getCellRangeByPosition(left, top, right, bottom))
    _sort(at, column - left, ascending, has_header=False)
    return at.changed


def _sort(at: At, index: int, ascending: bool, has_header: bool) -> None:
    import uno
    from com.sun.star.table import TableSortField

    across = merged(at)
    if across:
        message = f"Merged cells cannot be sorted: {', '.join(across)}."
        raise ToolError(message, code="merged", hint="Split them by calc_merge_cells first.")
    order = TableSortField()
    order.Field, order.IsAscending = index, ascending
    with documents.editing(at.model, f"Sort {at.range}"):
        fields = uno.Any("[]com.sun.star.table.TableSortField", (order,))
        given = documents.property_values(
            ContainsHeader=has_header, IsSortColumns=False, SortFields=fields
        )
        at.cells.sort(given)


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
        found = sheet_of(model, sheet)
        asked = found.createReplaceDescriptor()
        asked.SearchString, asked.ReplaceString = search, replacement
        asked.SearchCaseSensitive, asked.SearchWords = match_case, whole_cells
        asked.SearchRegularExpression = regular_expression
        count: int = found.replaceAll(asked)
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
) -> Filled:
    """Fill blank cells with the value of the cell above: repeat group names down in empty cells.
    Without `range_str` all rows below header row 1 are filled. Returns the filled cells.
    """
    at = locate(document, sheet, range_str or "A2:A2", clip=True)
    with documents.editing(at.model, "Fill blank cells"):
        left, top, right, bottom = cells.bounds(at.cells)
        if range_str is None:
            _, _, right, bottom = cells.bounds(used(at.sheet))
        wanted = list(range(left, right + 1))
        if columns:
            wanted = table_columns.named(columns, header_of(at.sheet))
        filled = [
            run
            for x in wanted
            if left <= x <= right and bottom > top
            for run in _fill(at.sheet, x, top + 1, bottom)
        ]
    names = [cells.range_name(run.RangeAddress) for run in filled]
    return Filled(at.sheet.Name, names, sum(run.Rows.Count for run in filled))


def _fill(sheet: Any, column: int, top: int, bottom: int) -> list[Any]:
    """The runs of empty cells of a column that were given what stands above them."""
    filled = []
    empty = sheet.getCellRangeByPosition(column, top, column, bottom).queryEmptyCells()
    for at in empty.RangeAddresses:
        above = sheet.getCellByPosition(column, at.StartRow - 1)
        value = above.getDataArray()[0][0]
        if value in ("", None):  # nothing, or an error
            continue
        run = sheet.getCellRangeByPosition(column, at.StartRow, column, at.EndRow)
        run.setDataArray(((value,),) * (at.EndRow - at.StartRow + 1))
        run.NumberFormat = above.NumberFormat
        filled.append(run)
    return filled
