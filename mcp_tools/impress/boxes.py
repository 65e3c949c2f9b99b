"""LibreOffice Impress: boxes on slides come, go, move and are filled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.colours import AnyColour, colour
from ambidex.mcp_tools.impress import app, slides
from ambidex.mcp_tools.impress.info import BoxInfo, Place, box_info, place
from ambidex.mcp_tools.impress.slides import PRESENTATION, Box, Slide, locate
from ambidex.mcp_tools.impress.text import Restyled
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
class Moved:
    """A box before and after it was moved, in centimetres."""

    slide_index: int
    box_index: int
    before: Place
    after: Place


@dataclass(frozen=True)
class Deleted:
    """A box that was deleted. Those above it are now one number lower."""

    slide_index: int
    box: BoxInfo
    boxes_left: int


@app.tool()
def delete_content(slide_index: Slide, box_index: Box, document: Document = None) -> Deleted:
    """Delete an object from a slide: remove (take off) a text box, picture, logo, shape or table.
    Boxes above it are renumbered. To clear only its text use impress_write_text. Returns what was
    deleted.
    """
    at = locate(document, slide_index, box_index)
    with documents.editing(at.model, "Delete box"):
        before = box_info(box_index, at.shape)
        at.page.remove(at.shape)
        return Deleted(slide_index, before, at.page.Count)


@app.tool()
def set_background_color(
    slide_index: Slide, box_index: Box, color: AnyColour, document: Document = None
) -> Restyled:
    """Set the background (fill) colour of a text box or shape, the area behind its text; of a table
    all cells. For the whole slide use impress_set_slide_background.
    """
    value = colour(color)
    at = locate(document, slide_index, box_index)
    with changing(at.model, "Fill box") as changes:
        import uno

        areas = [cell for row in slides.cells(at.shape) for cell in row] or [at.shape]
        for area in areas:
            if not area.getPropertySetInfo().hasPropertyByName("FillStyle"):
                kind = slides.kind_of(at.shape)
                raise ToolError(f"Box {box_index} is a {kind} and has no fill.", code="no_fill")
            solid = uno.Enum("com.sun.star.drawing.FillStyle", "SOLID")
            changes.set(
                area, FillStyle=solid, FillColor=value, FillColorTheme=-1, FillTransparence=0
            )
        return Restyled(slide_index, box_info(box_index, at.shape))


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
) -> Moved:
    """Move a box (text box, picture, title) to the left, right, top, bottom, a corner or the centre
    of the slide, keeping its size. For exact coordinates use impress_place_box.
    """
    at = locate(document, slide_index, box_index)
    with changing(at.model, "Move box") as changes:
        before, size = at.shape.Position, at.shape.Size
        right, bottom = at.page.Width - size.Width, at.page.Height - size.Height
        x, y = before.X, before.Y
        if position == "center":
            x, y = right // 2, bottom // 2
        parts = position.split("-")
        x = 0 if "left" in parts else right if "right" in parts else x
        y = 0 if "top" in parts else bottom if "bottom" in parts else y
        old = place(at.shape)
        changes.place(at.shape, x, y, size.Width, size.Height)
        return Moved(slide_index, box_index, old, place(at.shape))


@app.tool()
def place_box(
    slide_index: Slide,
    box_index: Box,
    x: Coordinate = None,
    y: Coordinate = None,
    width: Length = None,
    height: Length = None,
    document: Document = None,
) -> Moved:
    """Set the exact position (x, y) and size of a box in cm: move or resize a picture, shape or
    text box. What is left out stays; an image given only width or height keeps its proportions. A
    text box with a given height no longer grows with its text.
    """
    if (x, y, width, height) == (None, None, None, None):
        raise ToolError("Give x, y, width or height.", code="bad_arguments")
    at = locate(document, slide_index, box_index)
    with changing(at.model, "Place box") as changes:
        before, size = at.shape.Position, at.shape.Size
        keep = slides.kind_of(at.shape) in {"image", "media"}
        made = measure(width, height, size.Width, size.Height) if keep else None
        wide, high = made or (hundredths(width, size.Width), hundredths(height, size.Height))
        old = place(at.shape)
        left, top = hundredths(x, before.X), hundredths(y, before.Y)
        if height is not None:
            changes.set(at.shape, TextAutoGrowHeight=False)
        changes.place(at.shape, left, top, wide, high)
        return Moved(slide_index, box_index, old, place(at.shape))


def hundredths(length: Optional[float], otherwise: int = 0) -> int:
    """Centimetres as UNO counts them: 1/100 mm."""
    return otherwise if length is None else round(length * 1000)


def measure(
    width: Optional[float], height: Optional[float], wide: int, high: int
) -> tuple[int, int]:
    """A size in 1/100 mm from centimetres; one that is left out follows in proportion."""
    if width is None and height is not None:
        return max(1, round(wide * height * 1000 / high)), hundredths(height, high)
    if height is None and width is not None:
        return hundredths(width, wide), max(1, round(high * width * 1000 / wide))
    return hundredths(width, wide), hundredths(height, high)


@app.tool()
def insert_textbox(
    slide_index: Slide,
    text: Annotated[str, Field(max_length=50000, description="a newline starts a new line")],
    x: Annotated[float, Field(ge=-500, le=500, description="cm from the left")] = 2.0,
    y: Annotated[float, Field(ge=-500, le=500, description="cm from the top")] = 2.0,
    width: Annotated[float, Field(gt=0, le=500, description="centimetres")] = 10.0,
    height: Annotated[float, Field(gt=0, le=500, description="cm; grows with the text")] = 1.5,
    document: Document = None,
) -> Restyled:
    """Add a new text box (text frame), for example a caption, to a slide, on top of the others. For
    an empty title or content box that is already there use impress_write_text. Returns the new box.
    """
    model = documents.find(PRESENTATION, document)
    with changing(model, "Insert text box") as changes:
        page = slides.slide_at(model, slide_index)
        where = (hundredths(x), hundredths(y), hundredths(width), hundredths(height))
        shape = changes.add(
            page,
            lambda: model.createInstance("com.sun.star.drawing.TextShape"),
            where,
            lambda made: made.setString(text),
        )
        return Restyled(slide_index, box_info(page.Count - 1, shape))


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
) -> Restyled:
    """Add a new empty table to a slide, with rows and columns, on top of other boxes; default:
    centred, three quarters of the width. Fill it with impress_set_table_cells. Returns it.
    """
    model = documents.find(PRESENTATION, document)
    with changing(model, "Insert table") as changes:
        page = slides.slide_at(model, slide_index)
        wide, high = hundredths(width, page.Width * 3 // 4), hundredths(height, rows * 1000)
        left = hundredths(x, (page.Width - wide) // 2)
        top = hundredths(y, (page.Height - high) // 2)

        def rule(made: Any) -> None:
            if rows > 1:
                made.Model.Rows.insertByIndex(0, rows - 1)
            if columns > 1:
                made.Model.Columns.insertByIndex(0, columns - 1)

        shape = changes.add(
            page,
            lambda: model.createInstance("com.sun.star.drawing.TableShape"),
            (left, top, wide, high),
            rule,
        )
        return Restyled(slide_index, box_info(page.Count - 1, shape))
