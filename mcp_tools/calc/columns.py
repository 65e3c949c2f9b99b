"""LibreOffice Calc: the columns of a sheet in another order."""

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
    At,
    Sheet,
    header_of,
    merged,
    sheet_of,
    used,
)

__all__ = ["app"]


@dataclass(frozen=True)
class Reordered:
    """What row 1 held before and holds now."""

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
) -> Reordered:
    """Rearrange columns: move or swap them into another order. The columns named come first to last
    in the places they occupy now, others stay. Formats and widths move along; formulas keep
    pointing at the same data.
    """
    model = documents.find(SPREADSHEET, document)
    with documents.editing(model, "Reorder columns"):
        found = sheet_of(model, sheet)
        before = header_of(found)
        order = columns.named(column_order, before)
        if len(set(order)) < len(order):
            given = ", ".join(map(cells.column_name, order))
            raise ToolError(f"A column is named twice: {given}.", code="bad_arguments")
        _refuse_merged(At(model, found, found), set(order))
        _move(found, order)
        now = header_of(found)
    return Reordered(found.Name, before, now + [""] * (len(before) - len(now)))


def _refuse_merged(at: At, moved: set[int]) -> None:
    for name in merged(at):
        area = cells.area(name)
        assert area.left is not None
        assert area.right is not None
        if area.right > area.left and moved & set(range(area.left, area.right + 1)):
            message = f"{name} is merged across columns that would be torn apart."
            raise ToolError(message, code="merged", hint="Split it by calc_merge_cells first.")


def _move(sheet: Any, order: list[int]) -> None:
    lines = sheet.Columns
    places = sorted(order)
    looks = [(lines.getByIndex(x).Width, lines.getByIndex(x).IsVisible) for x in order]
    beyond = used(sheet).RangeAddress.EndColumn + 1
    if beyond + len(order) > lines.Count:
        raise ToolError("There is no room beside the data.", code="full")

    def move(source: int, target: int) -> None:
        corner = lines.getByIndex(target).getCellByPosition(0, 0).CellAddress
        sheet.moveRange(corner, lines.getByIndex(source).RangeAddress)

    # Cut and paste, as a person would do it: so references follow the cells.
    for i, source in enumerate(order):
        move(source, beyond + i)
    for i, target in enumerate(places):
        move(beyond + i, target)
    for target, (width, visible) in zip(places, looks, strict=True):
        column = lines.getByIndex(target)
        column.Width, column.IsVisible = width, visible
