"""LibreOffice Calc: sheets, rows and columns, and how cells look."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from mcp_tools import ToolError, cells, documents, office
from mcp_tools.calc import app, get_workbook_info
from mcp_tools.documents import Document
from mcp_tools.sheets import (
    SPREADSHEET,
    Changed,
    Colour,
    Range,
    Row,
    Sheet,
    Workbook,
    locate,
    sheet_of,
)

__all__ = ["app"]


@app.tool()
def switch_active_sheet(sheet_name: str, document: Document = None) -> str:
    """Show another sheet; tools without `sheet` work on it from then on."""
    model = documents.find(SPREADSHEET, document)
    with office.answering():
        model.getCurrentController().setActiveSheet(sheet_of(model, sheet_name))
    return f"{sheet_name} is the active sheet."


def _new_name(model: Any, name: str) -> str:
    if name in model.Sheets.ElementNames or not name or set(name) & set("[]*?:/\\"):
        names = ", ".join(model.Sheets.ElementNames)
        hint = f"It must differ from {names} and be free of [ ] * ? : / \\."
        raise ToolError(f"A sheet cannot be named {name!r} here.", code="bad_name", hint=hint)
    return name


@app.tool()
def insert_sheet(
    sheet_name: str,
    position: Annotated[
        Optional[int], Field(ge=1, description="1 is first; last if left out")
    ] = None,
    document: Document = None,
) -> Workbook:
    """Add an empty sheet. Returns all sheets."""
    model = documents.find(SPREADSHEET, document)
    with documents.editing(model, f"Insert sheet {sheet_name}"):
        count = model.Sheets.Count
        model.Sheets.insertNewByName(
            _new_name(model, sheet_name), min((position or count + 1) - 1, count)
        )
    return get_workbook_info(document)


@app.tool()
def rename_sheet(old_name: str, new_name: str, document: Document = None) -> Workbook:
    """Rename a sheet; formulas that refer to it follow."""
    model = documents.find(SPREADSHEET, document)
    with documents.editing(model, f"Rename sheet {old_name}"):
        sheet_of(model, old_name).Name = _new_name(model, new_name)
    return get_workbook_info(document)


@app.tool(timeout=60)
def copy_sheet(
    source_sheet: str,
    new_sheet_name: Optional[str] = None,
    document: Document = None,
) -> Workbook:
    """Copy a sheet with everything on it, to the place after it. Without a name it is called like
    the source with _2.
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
def delete_sheet(sheet_name: str, document: Document = None) -> Workbook:
    """Delete a sheet with everything on it. The last sheet cannot be deleted."""
    model = documents.find(SPREADSHEET, document)
    with documents.editing(model, f"Delete sheet {sheet_name}"):
        sheet_of(model, sheet_name)
        if model.Sheets.Count == 1:
            raise ToolError("A workbook keeps at least one sheet.", code="last_sheet")
        model.Sheets.removeByName(sheet_name)
    return get_workbook_info(document)


@app.tool()
def format_range(
    range_str: Range,
    background_color: Colour = None,
    font_color: Colour = None,
    bold: Optional[bool] = None,
    italic: Optional[bool] = None,
    font_size: Annotated[Optional[float], Field(gt=1, le=400, description="points")] = None,
    alignment: Optional[Literal["left", "center", "right", "justify"]] = None,
    number_format: Annotated[
        Optional[str],
        Field(description='format code, such as 0.00, #,##0, 0%, YYYY-MM-DD, #,##0.00 "EUR"'),
    ] = None,
    wrap: Annotated[Optional[bool], Field(description="break lines within the cell")] = None,
    sheet: Sheet = None,
    document: Document = None,
) -> Changed:
    """Change how cells look; what is left out stays as it is. `number_format` changes how numbers
    and dates are shown, never their values.
    """
    at = locate(document, sheet, range_str)
    with documents.editing(at.model, f"Format {at.range}"):
        look: dict[str, object] = {}
        if background_color:
            look["CellBackColor"] = int(background_color[1:], 16)
        if font_color:
            look["CharColor"] = int(font_color[1:], 16)
        if bold is not None:
            look["CharWeight"] = 150.0 if bold else 100.0
        if italic is not None:
            look["CharPosture"] = _enum(
                "com.sun.star.awt.FontSlant", "ITALIC" if italic else "NONE"
            )
        if font_size:
            look["CharHeight"] = font_size
        if alignment:
            name = {"justify": "BLOCK"}.get(alignment, alignment.upper())
            look["HoriJustify"] = _enum("com.sun.star.table.CellHoriJustify", name)
        if number_format:
            look["NumberFormat"] = cells.number_format(at.model, number_format)
        if wrap is not None:
            look["IsTextWrapped"] = wrap
        if not look:
            raise ToolError("Nothing to change was given.", code="bad_arguments")
        for name, value in look.items():
            at.cells.setPropertyValue(name, value)
    return at.changed


def _enum(kind: str, name: str) -> object:
    import uno

    return uno.Enum(kind, name)


@app.tool()
def merge_cells(
    range_str: Range,
    merge: Annotated[bool, Field(description="false splits merged cells again")] = True,
    sheet: Sheet = None,
    document: Document = None,
) -> Changed:
    """Merge a range into one cell. What the covered cells hold is kept but hidden, as in Calc
    itself.
    """
    at = locate(document, sheet, range_str)
    with documents.editing(at.model, f"Merge {at.range}"):
        at.cells.merge(merge)
    return at.changed


@app.tool()
def adjust_column_width(
    columns: Annotated[str, Field(description="such as B or A:D")],
    width: Annotated[Optional[float], Field(gt=0, le=1000, description="millimetres")] = None,
    sheet: Sheet = None,
    document: Document = None,
) -> Changed:
    """Set the width of columns; without `width` each becomes as wide as its content needs."""
    text = columns if ":" in columns else f"{columns}:{columns}"
    at = locate(document, sheet, text)
    with documents.editing(at.model, f"Width of {columns}"):
        if width is None:
            at.cells.Columns.OptimalWidth = True
        else:
            at.cells.Columns.Width = round(width * 100)
    return at.changed


@app.tool()
def insert_rows(
    row: Row,
    count: Annotated[int, Field(ge=1, le=10000)] = 1,
    sheet: Sheet = None,
    document: Document = None,
) -> Changed:
    """Insert empty rows above a row; what was there moves down and formulas follow."""
    at = locate(document, sheet, f"{row}:{row + count - 1}")
    with documents.editing(at.model, f"Insert {count} rows"):
        changed = at.changed
        at.sheet.Rows.insertByIndex(row - 1, count)
    return changed


@app.tool()
def delete_rows(
    row: Row,
    count: Annotated[int, Field(ge=1, le=10000)] = 1,
    sheet: Sheet = None,
    document: Document = None,
) -> Changed:
    """Delete whole rows, from `row` on; the ones below move up."""
    at = locate(document, sheet, f"{row}:{row + count - 1}")
    with documents.editing(at.model, f"Delete {count} rows"):
        changed = at.changed
        at.sheet.Rows.removeByIndex(row - 1, count)
    return changed


@app.tool()
def freeze_panes(
    rows: Annotated[int, Field(ge=0, le=1000)] = 0,
    columns: Annotated[int, Field(ge=0, le=100)] = 0,
    document: Document = None,
) -> str:
    """Keep the first rows and columns of the active sheet in sight while it scrolls; 0 and 0 lets
    go of them.
    """
    model = documents.find(SPREADSHEET, document)
    with office.answering():
        model.getCurrentController().freezeAtPosition(columns, rows)
    return f"Frozen: {rows} rows and {columns} columns."
