"""Tool that reorders the columns of a sheet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.calc import app
from ambidex.mcp_tools.office import cells, columns, documents
from ambidex.mcp_tools.office.cells import Value
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.sheets import (
    SPREADSHEET,
    CellRange,
    Sheet,
    header_row,
    merged_areas,
    sheet_of,
    used_range,
)

__all__ = ["app"]


@dataclass(frozen=True)
class ReorderedColumns:
    """Row 1 before and after the columns were reordered."""

    sheet: str
    before: list[Value]
    now: list[Value]


@app.tool(timeout=60)
def reorder_columns(
    column_order: Annotated[
        list[str],
        Field(min_length=2, description='letters, such as ["C","A","B"], or headers of row 1'),
    ],
    sheet: Sheet = None,
    document: Document = None,
) -> ReorderedColumns:
    """Rearrange columns: move or swap them into another order. The columns named come first to last
    in the places they occupy now, others stay. Formats and widths move along; formulas keep
    pointing at the same data.
    """
    model = documents.find(SPREADSHEET, document)
    with documents.editing(model, "Reorder columns"):
        target_sheet = sheet_of(model, sheet)
        before = header_row(target_sheet)
        order = columns.find_columns(column_order, before)
        if len(set(order)) < len(order):
            names = ", ".join(map(cells.column_name, order))
            raise ToolError(f"A column is listed twice: {names}.", code="bad_arguments")
        _refuse_merged(CellRange(model, target_sheet, target_sheet), set(order))
        _move(target_sheet, order)
        now = header_row(target_sheet)
    return ReorderedColumns(target_sheet.Name, before, now + [""] * (len(before) - len(now)))


def _refuse_merged(cell_range: CellRange, moved: set[int]) -> None:
    for name in merged_areas(cell_range):
        area = cells.parse_area(name)
        assert area.left is not None
        assert area.right is not None
        if area.right > area.left and moved & set(range(area.left, area.right + 1)):
            message = f"The merged cells {name} span columns that would be separated."
            raise ToolError(
                message, code="merged", hint="Unmerge them with calc_merge_cells first."
            )


def _move(sheet: Any, order: list[int]) -> None:
    columns_ = sheet.Columns
    targets = sorted(order)
    formats = [(columns_.getByIndex(x).Width, columns_.getByIndex(x).IsVisible) for x in order]
    beyond = used_range(sheet).RangeAddress.EndColumn + 1
    if beyond + len(order) > columns_.Count:
        raise ToolError("There are no free columns right of the data.", code="full")

    def move(source: int, target: int) -> None:
        corner = columns_.getByIndex(target).getCellByPosition(0, 0).CellAddress
        sheet.moveRange(corner, columns_.getByIndex(source).RangeAddress)

    # Cut and paste like a person, so that references follow the cells.
    for i, source in enumerate(order):
        move(source, beyond + i)
    for i, target in enumerate(targets):
        move(beyond + i, target)
    for target, (width, visible) in zip(targets, formats, strict=True):
        column = columns_.getByIndex(target)
        column.Width, column.IsVisible = width, visible
