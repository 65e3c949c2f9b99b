"""LibreOffice Calc: how cells look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.calc import app
from ambidex.mcp_tools.colours import AnyColour, colour
from ambidex.mcp_tools.office import cells, connection, documents
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.sheets import At, Changed, Range, Sheet, enum, locate, merged

__all__ = ["app"]

Switch = Annotated[Optional[bool], Field(description="true, false or unchanged")]
LOOKS = 200
"""The most different looks that are told of one range."""


@dataclass(frozen=True)
class Look:
    """How some cells look. Colours are #RRGGBB, None where they are automatic or none."""

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
class Looks:
    """The looks of a range, each with its cells, and what else does not show in values."""

    range: str
    sheet: str
    looks: list[Look]
    merged: list[str]
    formulas: dict[str, str]
    left_out: int
    """So many more looks are in the range."""


@dataclass(frozen=True)
class Highlighted:
    """A range that got a background, and the background before: None if none, or several."""

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
) -> Changed:
    """Format cells: bold, italic, underline, font, font size and colour, background colour,
    alignment (centre), line wrap and number format, several at once. Whatever is left out stays
    unchanged; values never change.
    """
    at = locate(document, sheet, range_str)
    with documents.editing(at.model, f"Format {at.range}"):
        look: dict[str, object] = {}
        if background_color:
            look["CellBackColor"] = colour(background_color)
        if font_color:
            look["CharColor"] = colour(font_color)
        if bold is not None:
            look["CharWeight"] = 150.0 if bold else 100.0
        if italic is not None:
            slant = "ITALIC" if italic else "NONE"
            look["CharPosture"] = enum("awt.FontSlant", slant)
        if font_size:
            look["CharHeight"] = font_size
        if alignment:
            name = {"justify": "BLOCK"}.get(alignment, alignment.upper())
            look["HoriJustify"] = enum("table.CellHoriJustify", name)
        if underline is not None:
            look["CharUnderline"] = 1 if underline else 0
        if font_name:
            look["CharFontName"] = font_name
        if number_format:
            look["NumberFormat"] = cells.number_format(at.model, number_format)
        if wrap is not None:
            look["IsTextWrapped"] = wrap
        if not look:
            raise ToolError("Nothing to change was given.", code="bad_arguments")
        for name, value in look.items():
            at.cells.setPropertyValue(name, value)
    return at.changed


@app.tool()
def merge_cells(
    range_str: Range,
    merge: Annotated[bool, Field(description="false unmerges (splits) them")] = True,
    sheet: Sheet = None,
    document: Document = None,
) -> Changed:
    """Merge cells: join or combine a range into one cell, for example for a title; merge=false
    unmerges (splits) it. Covered contents are kept hidden.
    """
    at = locate(document, sheet, range_str)
    if merge and ":" not in at.range:
        raise ToolError(f"{at.range} is one cell already.", code="bad_range")
    with documents.editing(at.model, f"{'Merge' if merge else 'Split'} {at.range}"):
        at.cells.merge(merge)
    return at.changed


@app.tool()
def highlight_range(
    range_str: Range,
    color: AnyColour = "red",
    sheet: Sheet = None,
    document: Document = None,
) -> Highlighted:
    """Highlight cells with a background colour: mark, paint or shade a range, red by default. For
    other formatting use calc_format_range.
    """
    number = colour(color)
    at = locate(document, sheet, range_str)
    with documents.editing(at.model, f"Highlight {at.range}"):
        before = at.cells.CellBackColor
        at.cells.CellBackColor = number
    return Highlighted(at.range, at.sheet.Name, _hex(before), f"#{number:06X}")


def _hex(colour: Optional[int]) -> Optional[str]:
    return None if colour is None or colour < 0 else f"#{colour:06X}"


@app.tool(reads_only=True, timeout=60)
def get_range_formats(range_str: Range, sheet: Sheet = None, document: Document = None) -> Looks:
    """Read the formatting of cells: font, bold, italic, colours, background, alignment, number
    format, merged cells, formulas. Use it to check how a range looks, for example whether a header
    row is bold; equally formatted cells are grouped.
    """
    at = locate(document, sheet, range_str, clip=True)
    with connection.answering():
        cells.checked_size(at.cells)
        groups = at.cells.getUniqueCellFormatRanges()
        count = groups.getCount()
        told = [groups.getByIndex(i) for i in range(min(count, LOOKS))]
        looks = [_look(at, group) for group in told]
        formulas = cells.formulas_of(at.cells, cells.values_of(at.model, at.cells))
        return Looks(at.range, at.sheet.Name, looks, merged(at), formulas, count - len(told))


def _look(at: At, group: Any) -> Look:
    first = group.getByIndex(0)
    return Look(
        [cells.range_name(address) for address in group.RangeAddresses],
        at.model.NumberFormats.getByKey(first.NumberFormat).FormatString,
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
