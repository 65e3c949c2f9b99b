"""Tools that add, delete, move and fill boxes on slides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.colours import AnyColour, colour
from ambidex.mcp_tools.impress import app, slides
from ambidex.mcp_tools.impress.info import BoxInfo, Place, box_info, place_of
from ambidex.mcp_tools.impress.slides import PRESENTATION, Box, Slide, locate
from ambidex.mcp_tools.impress.text import ChangedBox
from ambidex.mcp_tools.impress.undo import changing
from ambidex.mcp_tools.office import documents
from ambidex.mcp_tools.office.documents import Document

__all__ = ["app"]

Length = Annotated[Optional[float], Field(gt=0, le=500, description="centimetres")]
Coordinate = Annotated[
    Optional[float],
    Field(ge=-500, le=500, description="cm from the slide's upper left corner"),
]


@dataclass(frozen=True)
class MovedBox:
    """Place of a box before and after a move, in centimetres."""

    slide_index: int
    box_index: int
    before: Place
    after: Place


@dataclass(frozen=True)
class DeletedBox:
    """A deleted box. The indices of the boxes above it are now one lower."""

    slide_index: int
    box: BoxInfo
    boxes_left: int


@app.tool()
def delete_content(slide_index: Slide, box_index: Box, document: Document = None) -> DeletedBox:
    """Delete an object from a slide: remove (take off) a text box, picture, logo, shape or table.
    Boxes above it are renumbered. To clear only its text use impress_write_text. Returns what was
    deleted.
    """
    target = locate(document, slide_index, box_index)
    with documents.editing(target.model, "Delete box"):
        before = box_info(box_index, target.shape)
        target.page.remove(target.shape)
        return DeletedBox(slide_index, before, target.page.Count)


@app.tool()
def set_background_color(
    slide_index: Slide, box_index: Box, color: AnyColour, document: Document = None
) -> ChangedBox:
    """Set the background (fill) colour of a text box or shape, the area behind its text; of a table
    all cells. For the whole slide use impress_set_slide_background.
    """
    value = colour(color)
    target = locate(document, slide_index, box_index)
    with changing(target.model, "Fill box") as changes:
        import uno

        areas = [cell for row in slides.cells(target.shape) for cell in row] or [target.shape]
        for area in areas:
            if not area.getPropertySetInfo().hasPropertyByName("FillStyle"):
                kind = slides.kind_of(target.shape)
                raise ToolError(
                    f"Box {box_index} is of kind {kind}, which has no fill.", code="no_fill"
                )
            solid = uno.Enum("com.sun.star.drawing.FillStyle", "SOLID")
            changes.set(
                area, FillStyle=solid, FillColor=value, FillColorTheme=-1, FillTransparence=0
            )
        return ChangedBox(slide_index, box_info(box_index, target.shape))


@app.tool()
def position_box(
    slide_index: Slide,
    box_index: Box,
    position: Annotated[
        Literal[
            "left",
            "right",
            "center",
            "top",
            "bottom",
            "top-left",
            "top-right",
            "bottom-left",
            "bottom-right",
        ],
        Field(
            description="left and right move it only horizontally, top and bottom only vertically"
        ),
    ],
    document: Document = None,
) -> MovedBox:
    """Move a box (text box, picture, title) to the left, right, top, bottom, a corner or the centre
    of the slide, keeping its size. For exact coordinates use impress_place_box.
    """
    target = locate(document, slide_index, box_index)
    with changing(target.model, "Move box") as changes:
        before, size = target.shape.Position, target.shape.Size
        right, bottom = target.page.Width - size.Width, target.page.Height - size.Height
        x, y = before.X, before.Y
        if position == "center":
            x, y = right // 2, bottom // 2
        parts = position.split("-")
        x = 0 if "left" in parts else right if "right" in parts else x
        y = 0 if "top" in parts else bottom if "bottom" in parts else y
        old = place_of(target.shape)
        changes.place(target.shape, x, y, size.Width, size.Height)
        return MovedBox(slide_index, box_index, old, place_of(target.shape))


@app.tool()
def place_box(
    slide_index: Slide,
    box_index: Box,
    x: Coordinate = None,
    y: Coordinate = None,
    width: Length = None,
    height: Length = None,
    document: Document = None,
) -> MovedBox:
    """Set the exact position (x, y) and size of a box in cm: move or resize a picture, shape or
    text box. What is left out stays; an image given only width or height keeps its proportions. A
    text box with a given height no longer grows with its text.
    """
    if (x, y, width, height) == (None, None, None, None):
        raise ToolError("Give x, y, width or height.", code="bad_arguments")
    target = locate(document, slide_index, box_index)
    with changing(target.model, "Place box") as changes:
        before, size = target.shape.Position, target.shape.Size
        keeps_ratio = slides.kind_of(target.shape) in {"image", "media"}
        scaled = scaled_size(width, height, size.Width, size.Height) if keeps_ratio else None
        wide, high = scaled or (
            to_uno_length(width, size.Width),
            to_uno_length(height, size.Height),
        )
        old = place_of(target.shape)
        left, top = to_uno_length(x, before.X), to_uno_length(y, before.Y)
        if height is not None:
            changes.set(target.shape, TextAutoGrowHeight=False)
        changes.place(target.shape, left, top, wide, high)
        return MovedBox(slide_index, box_index, old, place_of(target.shape))


def to_uno_length(length: Optional[float], otherwise: int = 0) -> int:
    """Convert centimetres to UNO's unit, 1/100 mm."""
    return otherwise if length is None else round(length * 1000)


def scaled_size(
    width: Optional[float], height: Optional[float], wide: int, high: int
) -> tuple[int, int]:
    """Size in 1/100 mm from centimetres; a missing width or height keeps the proportions."""
    if width is None and height is not None:
        return max(1, round(wide * height * 1000 / high)), to_uno_length(height, high)
    if height is None and width is not None:
        return to_uno_length(width, wide), max(1, round(high * width * 1000 / wide))
    return to_uno_length(width, wide), to_uno_length(height, high)


@app.tool()
def insert_textbox(
    slide_index: Slide,
    text: Annotated[str, Field(max_length=50000, description="a newline starts a new line")],
    x: Annotated[float, Field(ge=-500, le=500, description="cm from the left")] = 2.0,
    y: Annotated[float, Field(ge=-500, le=500, description="cm from the top")] = 2.0,
    width: Annotated[float, Field(gt=0, le=500, description="centimetres")] = 10.0,
    height: Annotated[float, Field(gt=0, le=500, description="cm; grows with the text")] = 1.5,
    document: Document = None,
) -> ChangedBox:
    """Add a new text box (text frame), for example a caption, to a slide, on top of the others. For
    an empty title or content box that is already there use impress_write_text. Returns the new box.
    """
    model = documents.find(PRESENTATION, document)
    with changing(model, "Insert text box") as changes:
        page = slides.slide_at(model, slide_index)
        rectangle = (
            to_uno_length(x),
            to_uno_length(y),
            to_uno_length(width),
            to_uno_length(height),
        )
        shape = changes.add(
            page,
            lambda: model.createInstance("com.sun.star.drawing.TextShape"),
            rectangle,
            lambda new_shape: new_shape.setString(text),
        )
        return ChangedBox(slide_index, box_info(page.Count - 1, shape))


@app.tool()
def insert_table(
    slide_index: Slide,
    rows: Annotated[int, Field(ge=1, le=100, description="how many")],
    columns: Annotated[int, Field(ge=1, le=50, description="how many")],
    x: Coordinate = None,
    y: Coordinate = None,
    width: Length = None,
    height: Length = None,
    document: Document = None,
) -> ChangedBox:
    """Add a new empty table to a slide, with rows and columns, on top of other boxes; default:
    centred, three quarters of the width. Fill it with impress_set_table_cells. Returns it.
    """
    model = documents.find(PRESENTATION, document)
    with changing(model, "Insert table") as changes:
        page = slides.slide_at(model, slide_index)
        wide, high = to_uno_length(width, page.Width * 3 // 4), to_uno_length(height, rows * 1000)
        left = to_uno_length(x, (page.Width - wide) // 2)
        top = to_uno_length(y, (page.Height - high) // 2)

        def add_lines(new_shape: Any) -> None:
            if rows > 1:
                new_shape.Model.Rows.insertByIndex(0, rows - 1)
            if columns > 1:
                new_shape.Model.Columns.insertByIndex(0, columns - 1)

        shape = changes.add(
            page,
            lambda: model.createInstance("com.sun.star.drawing.TableShape"),
            (left, top, wide, high),
            add_lines,
        )
        return ChangedBox(slide_index, box_info(page.Count - 1, shape))
