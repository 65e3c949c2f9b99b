"""Tools that change and read the formatting of cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.calc import app
from ambidex.mcp_tools.colours import AnyColour, colour
from ambidex.mcp_tools.office import cells, connection, documents
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.sheets import (
    CellRange,
    ChangedRange,
    Range,
    Sheet,
    enum,
    locate,
    merged_areas,
)

__all__ = ["app"]

Switch = Annotated[Optional[bool], Field(description="true, false or unchanged")]
MAX_FORMATS = 200
"""Maximum number of formats returned for a range."""


@dataclass(frozen=True)
class CellFormat:
    """Format of some cells. Colours are #RRGGBB; None means automatic, or no background."""

    ranges: list[str]
    number_format: str
    font: str
    size: float
    bold: bool
    italic: bool
    underline: bool
    font_color: Optional[str]
    background_color: Optional[str]
    alignment: str
    wrap: bool


@dataclass(frozen=True)
class RangeFormats:
    """The formats in a range, each with its cells, and its merged areas and formulas."""

    range: str
    sheet: str
    looks: list[CellFormat]
    merged: list[str]
    formulas: dict[str, str]
    left_out: int
    """Number of further formats in the range."""


@dataclass(frozen=True)
class HighlightedRange:
    """A highlighted range. `before` is its previous background; None for none, or several."""

    range: str
    sheet: str
    before: Optional[str]
    now: str


@app.tool()
def format_range(
    range_str: Range,
    background_color: Optional[AnyColour] = None,
    font_color: Optional[AnyColour] = None,
    bold: Switch = None,
    italic: Switch = None,
    font_size: Annotated[Optional[float], Field(gt=1, le=400, description="points")] = None,
    alignment: Annotated[
        Optional[Literal["left", "center", "right", "justify"]], Field(description="horizontal")
    ] = None,
    number_format: Annotated[
        Optional[str],
        Field(description='format code, such as 0.00, #,##0, 0%, YYYY-MM-DD, #,##0.00 "EUR"'),
    ] = None,
    wrap: Annotated[Optional[bool], Field(description="wrap text within the cell")] = None,
    underline: Switch = None,
    font_name: Annotated[
        Optional[str], Field(min_length=1, description="such as Liberation Sans")
    ] = None,
    sheet: Sheet = None,
    document: Document = None,
) -> ChangedRange:
    """Format cells: bold, italic, underline, font, font size and colour, background colour,
    alignment (centre), line wrap and number format, several at once. Whatever is left out stays
    unchanged; values never change.
    """
    target = locate(document, sheet, range_str)
    with documents.editing(target.model, f"Format {target.range}"):
        properties: dict[str, object] = {}
        if background_color:
            properties["CellBackColor"] = colour(background_color)
        if font_color:
            properties["CharColor"] = colour(font_color)
        if bold is not None:
            properties["CharWeight"] = 150.0 if bold else 100.0
        if italic is not None:
            slant = "ITALIC" if italic else "NONE"
            properties["CharPosture"] = enum("awt.FontSlant", slant)
        if font_size:
            properties["CharHeight"] = font_size
        if alignment:
            name = {"justify": "BLOCK"}.get(alignment, alignment.upper())
            properties["HoriJustify"] = enum("table.CellHoriJustify", name)
        if underline is not None:
            properties["CharUnderline"] = 1 if underline else 0
        if font_name:
            properties["CharFontName"] = font_name
        if number_format:
            properties["NumberFormat"] = cells.format_key(target.model, number_format)
        if wrap is not None:
            properties["IsTextWrapped"] = wrap
        if not properties:
            raise ToolError("No formatting was given.", code="bad_arguments")
        for name, value in properties.items():
            target.cells.setPropertyValue(name, value)
    return target.changed


@app.tool()
def merge_cells(
    range_str: Range,
    merge: Annotated[bool, Field(description="false unmerges (splits) them")] = True,
    sheet: Sheet = None,
    document: Document = None,
) -> ChangedRange:
    """Merge cells: join or combine a range into one cell, for example for a title; merge=false
    unmerges (splits) it. Covered contents are kept hidden.
    """
    target = locate(document, sheet, range_str)
    if merge and ":" not in target.range:
        raise ToolError(f"{target.range} is a single cell.", code="bad_range")
    with documents.editing(target.model, f"{'Merge' if merge else 'Split'} {target.range}"):
        target.cells.merge(merge)
    return target.changed


@app.tool()
def highlight_range(
    range_str: Range,
    color: AnyColour = "red",
    sheet: Sheet = None,
    document: Document = None,
) -> HighlightedRange:
    """Highlight cells with a background colour: mark, paint or shade a range, red by default. For
    other formatting use calc_format_range.
    """
    number = colour(color)
    target = locate(document, sheet, range_str)
    with documents.editing(target.model, f"Highlight {target.range}"):
        before = target.cells.CellBackColor
        target.cells.CellBackColor = number
    return HighlightedRange(target.range, target.sheet.Name, _hex(before), f"#{number:06X}")


def _hex(colour: Optional[int]) -> Optional[str]:
    return None if colour is None or colour < 0 else f"#{colour:06X}"


@app.tool(reads_only=True, timeout=60)
def get_range_formats(
    range_str: Range, sheet: Sheet = None, document: Document = None
) -> RangeFormats:
    """Read the formatting of cells: font, bold, italic, colours, background, alignment, number
    format, merged cells, formulas. Use it to check how a range looks, for example whether a header
    row is bold; equally formatted cells are grouped.
    """
    target = locate(document, sheet, range_str, clip=True)
    with connection.uno_errors():
        cells.check_size(target.cells)
        groups = target.cells.getUniqueCellFormatRanges()
        count = groups.getCount()
        listed = [groups.getByIndex(i) for i in range(min(count, MAX_FORMATS))]
        formats = [_cell_format(target, group) for group in listed]
        formulas = cells.read_formulas(target.cells, cells.read_values(target.model, target.cells))
        return RangeFormats(
            target.range,
            target.sheet.Name,
            formats,
            merged_areas(target),
            formulas,
            count - len(listed),
        )


def _cell_format(target: CellRange, group: Any) -> CellFormat:
    first = group.getByIndex(0)
    return CellFormat(
        [cells.range_name(address) for address in group.RangeAddresses],
        target.model.NumberFormats.getByKey(first.NumberFormat).FormatString,
        first.CharFontName,
        first.CharHeight,
        first.CharWeight > 100,
        first.CharPosture.value != "NONE",
        first.CharUnderline != 0,
        _hex(first.CharColor),
        _hex(first.CellBackColor),
        {"STANDARD": "standard", "BLOCK": "justify"}.get(
            first.HoriJustify.value, first.HoriJustify.value.lower()
        ),
        first.IsTextWrapped,
    )
