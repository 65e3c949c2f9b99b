"""Tools for the sheets of a workbook and their view in the window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.calc import app
from ambidex.mcp_tools.calc.workbook import get_workbook_info
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.sheets import SPREADSHEET, Workbook, sheet_of

__all__ = ["app"]

BY_VALUE = 3
"""DocumentZoomType.BY_VALUE."""


@dataclass(frozen=True)
class SwitchedSheet:
    """The active sheet, the previous one, and whether the active one was created by the call."""

    active: str
    before: str
    created: bool


@app.tool()
def switch_active_sheet(
    sheet_name: Annotated[str, Field(min_length=1, description="sheet name")],
    create: Annotated[bool, Field(description="add the sheet at the end if it is missing")] = True,
    document: Document = None,
) -> SwitchedSheet:
    """Go to another sheet tab: make it the active one, on which tools without `sheet` then work.
    Unless `create` is false, a missing sheet is added; see `created` in the result.
    """
    model = documents.find(SPREADSHEET, document)
    with connection.uno_errors():
        before = sheet_of(model, None).Name
    created = create and sheet_name not in model.Sheets.ElementNames
    if created:
        insert_sheet(sheet_name, None, document)
    with connection.uno_errors():
        sheet = sheet_of(model, sheet_name)
        if not sheet.IsVisible:
            raise ToolError(
                f"The sheet {sheet_name} is hidden.", code="hidden", hint="Show it first."
            )
        model.getCurrentController().setActiveSheet(sheet)
        return SwitchedSheet(sheet_of(model, None).Name, before, created)


def _new_name(model: Any, name: str) -> str:
    if name in model.Sheets.ElementNames or not name or set(name) & set("[]*?:/\\"):
        names = ", ".join(model.Sheets.ElementNames)
        hint = f"The name must differ from {names} and must not contain [ ] * ? : / \\."
        raise ToolError(f"Invalid name for a sheet: {name!r}.", code="bad_name", hint=hint)
    return name


@app.tool()
def insert_sheet(
    sheet_name: Annotated[str, Field(description="name of the new sheet")],
    position: Annotated[Optional[int], Field(ge=1, description="1 is first; default: last")] = None,
    document: Document = None,
) -> Workbook:
    """Insert a new empty sheet: add another worksheet tab to the workbook. Returns all sheets."""
    model = documents.find(SPREADSHEET, document)
    with documents.editing(model, f"Insert sheet {sheet_name}"):
        count = model.Sheets.Count
        model.Sheets.insertNewByName(
            _new_name(model, sheet_name), min((position or count + 1) - 1, count)
        )
    return get_workbook_info(document)


@app.tool()
def rename_sheet(
    old_name: Annotated[str, Field(description="current name")],
    new_name: Annotated[str, Field(description="new name")],
    document: Document = None,
) -> Workbook:
    """Rename a sheet: change the name of a worksheet tab; formulas that refer to it are updated."""
    model = documents.find(SPREADSHEET, document)
    with documents.editing(model, f"Rename sheet {old_name}"):
        sheet_of(model, old_name).Name = _new_name(model, new_name)
    return get_workbook_info(document)


@app.tool(timeout=60)
def copy_sheet(
    source_sheet: Annotated[str, Field(description="the sheet to copy")],
    new_sheet_name: Annotated[Optional[str], Field(description="name of the copy")] = None,
    document: Document = None,
) -> Workbook:
    """Duplicate a whole sheet: make a copy of the worksheet with all its contents, right after it,
    under a new name (default: the old one with _2).
    """
    model = documents.find(SPREADSHEET, document)
    with documents.editing(model, f"Copy sheet {source_sheet}"):
        after = sheet_of(model, source_sheet).RangeAddress.Sheet + 1
        names = set(model.Sheets.ElementNames)
        free = next(
            f"{source_sheet}_{i}"
            for i in range(2, len(names) + 3)
            if f"{source_sheet}_{i}" not in names
        )
        model.Sheets.copyByName(source_sheet, _new_name(model, new_sheet_name or free), after)
    return get_workbook_info(document)


@app.tool()
def delete_sheet(
    sheet_name: Annotated[str, Field(description="the sheet to delete")],
    document: Document = None,
) -> Workbook:
    """Delete a sheet: remove a worksheet and all it contains from the workbook. The only sheet
    cannot be deleted.
    """
    model = documents.find(SPREADSHEET, document)
    with documents.editing(model, f"Delete sheet {sheet_name}"):
        sheet_of(model, sheet_name)
        if model.Sheets.Count == 1:
            raise ToolError("A workbook keeps at least one sheet.", code="last_sheet")
        model.Sheets.removeByName(sheet_name)
    return get_workbook_info(document)


@app.tool()
def reorder_sheets(
    sheet_name: Annotated[str, Field(description="the sheet to move")],
    position: Annotated[int, Field(ge=0, description="0 is first")],
    document: Document = None,
) -> Workbook:
    """Move a sheet to another position: change the order of the sheet tabs, for example before or
    after another or to the front. Returns all sheets in their new order.
    """
    model = documents.find(SPREADSHEET, document)
    with documents.editing(model, f"Move sheet {sheet_name}"):
        names = list(model.Sheets.ElementNames)
        sheet_of(model, sheet_name)
        if position >= len(names):
            hint = f"The {len(names)} sheets have positions 0 to {len(names) - 1}."
            raise ToolError(f"No such position: {position}.", code="bad_position", hint=hint)
        # Calc counts the gaps between sheets while the sheet is still at its old position.
        gap = position + (position > names.index(sheet_name))
        model.Sheets.moveByName(sheet_name, gap)
        if model.Sheets.ElementNames[position] != sheet_name:
            raise ToolError("Calc did not move the sheet.", code="failed")
    return get_workbook_info(document)


@app.tool()
def set_zoom_level(
    zoom_percentage: Annotated[int, Field(ge=10, le=400, description="100 is actual size")],
    document: Document = None,
) -> str:
    """Zoom the active sheet in or out: make it appear bigger, easier to read, or smaller in the
    window, in percent. Printing is not affected.
    """
    model = documents.find(SPREADSHEET, document)
    with connection.uno_errors():
        view = model.getCurrentController()
        before = view.ZoomValue
        view.ZoomType, view.ZoomValue = BY_VALUE, zoom_percentage
        return f"Zoom is {view.ZoomValue} %, it was {before} %."


@app.tool()
def freeze_panes(
    rows: Annotated[int, Field(ge=0, le=1000, description="how many from the top")] = 0,
    columns: Annotated[int, Field(ge=0, le=100, description="how many from the left")] = 0,
    document: Document = None,
) -> str:
    """Freeze panes: keep the top rows (header row) and the first columns visible while scrolling; 0
    and 0 unfreezes. To freeze the range A1:B1, freeze 1 row and 2 columns.
    """
    model = documents.find(SPREADSHEET, document)
    with connection.uno_errors():
        view = model.getCurrentController()
        view.freezeAtPosition(columns, rows)
        if view.hasFrozenPanes() != bool(rows or columns):
            raise ToolError("Calc did not freeze the panes.", code="failed")
    return f"Frozen: {rows} rows and {columns} columns of {sheet_of(model, None).Name}."
