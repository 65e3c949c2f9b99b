"""Locating slides, boxes and their texts in a presentation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.impress.undo import elements, hold
from ambidex.mcp_tools.office import connection, documents

__all__ = [
    "NOTES",
    "PRESENTATION",
    "Box",
    "LocatedBox",
    "Slide",
    "box_at",
    "cells",
    "current",
    "dispatch",
    "kind_of",
    "lines",
    "locate",
    "notes_of",
    "pages",
    "slide_at",
    "texts",
    "title_of",
]

PRESENTATION = documents.Kind(
    "com.sun.star.presentation.PresentationDocument",
    "presentation",
    {
        ".odp": "impress8",
        ".pptx": "Impress MS PowerPoint 2007 XML",
        ".ppt": "MS PowerPoint 97",
        ".ppsx": "Impress MS PowerPoint 2007 XML AutoPlay",
        ".otp": "impress8_template",
        ".fodp": "OpenDocument Presentation Flat XML",
    },
)

Slide = Annotated[int, Field(ge=1, description="slide number; 1 is the first")]
Box = Annotated[
    int,
    Field(
        ge=0,
        description="box index from impress_env_info; 0 is the bottommost",
    ),
]
NOTES = "com.sun.star.presentation.NotesShape"


@dataclass(frozen=True)
class LocatedBox:
    """A box with its slide and presentation, as UNO objects."""

    model: Any
    page: Any
    shape: Any


def pages(model: Any) -> list[Any]:
    """All slides in order."""
    return [model.DrawPages.getByIndex(number) for number in range(model.DrawPages.Count)]


def slide_at(model: Any, number: int) -> Any:
    """The slide with this number, from 1; `ToolError` gives the valid range."""
    count = model.DrawPages.Count
    if not 1 <= number <= count:
        hint = f"Slides are numbered from 1 to {count}."
        raise ToolError(f"No such slide: {number}.", code="no_slide", hint=hint)
    return model.DrawPages.getByIndex(number - 1)


def box_at(page: Any, number: int) -> Any:
    """The box with this index, from 0; `ToolError` lists the boxes of the slide."""
    if not 0 <= number < page.Count:
        boxes = [f"{index} {kind_of(page.getByIndex(index))}" for index in range(page.Count)]
        hint = f"Boxes of the slide: {', '.join(boxes[:30]) or 'none'}."
        message = f"No box {number} on slide {page.Number}."
        raise ToolError(message, code="no_box", hint=hint)
    return page.getByIndex(number)


def locate(document: Optional[str], slide: int, box: int) -> LocatedBox:
    """Locate a box by slide number and box index."""
    model = documents.find(PRESENTATION, document)
    with connection.uno_errors():
        page = slide_at(model, slide)
        return LocatedBox(model, page, box_at(page, box))


def current(model: Any) -> int:
    """The number of the slide that the window shows."""
    controller = model.getCurrentController()
    number: int = controller.CurrentPage.Number if controller else 1
    return number


def kind_of(shape: Any) -> str:
    """Kind of a box: title, outline, custom, image, table, media, group and so on."""
    name = str(shape.ShapeType).rpartition(".")[2].removesuffix("Shape")
    if name.endswith("GraphicObject"):
        return "image"
    words = {"TitleText": "title", "Outliner": "outline", "Plugin": "media"}
    return words.get(name, name.lower())


def cells(shape: Any) -> list[list[Any]]:
    """Cells of a table, row by row; empty for other boxes."""
    if kind_of(shape) != "table":
        return []
    model = shape.Model
    rows, columns = range(model.RowCount), range(model.ColumnCount)
    return [[model.getCellByPosition(x, y) for x in columns] for y in rows]


def texts(shape: Any) -> Iterator[Any]:
    """The texts of a box: its own, those of a table's cells, or those of a group's boxes."""
    if kind_of(shape) == "group":
        for index in range(shape.Count):
            yield from texts(shape.getByIndex(index))
    elif rows := cells(shape):
        yield from (cell for row in rows for cell in row)
    elif shape.supportsService("com.sun.star.drawing.Text") and hasattr(shape, "createTextCursor"):
        yield shape


def lines(text: Any) -> Iterator[tuple[Any, Any]]:
    """The lines of a text, split at newlines, each as its paragraph and its range."""
    for paragraph in elements(text):
        cursor = hold(text.createTextCursorByRange(hold(paragraph.Start)))
        for number, part in enumerate(paragraph.String.split("\n")):
            if number:  # skip the line break
                cursor.goRight(1, False)
            cursor.goRight(len(part.encode("utf-16-le")) // 2, True)
            yield paragraph, hold(text.createTextCursorByRange(cursor))
            cursor.collapseToEnd()


def title_of(page: Any) -> str:
    """Text of a slide's title; empty if it has none."""
    for index in range(page.Count):
        shape = page.getByIndex(index)
        if kind_of(shape) == "title":
            return str(shape.String)
    return ""


def notes_of(page: Any) -> Optional[Any]:
    """The notes box of a slide; None if it was deleted."""
    notes = page.NotesPage
    shapes = (notes.getByIndex(index) for index in range(notes.Count))
    return next((shape for shape in shapes if shape.ShapeType == NOTES), None)


def dispatch(model: Any, command: str, **arguments: object) -> None:
    """Run a menu command of the window, for what UNO does not offer otherwise. It can fail
    silently, so check the result.
    """
    frame = model.getCurrentController().Frame
    properties = documents.property_values(**arguments)
    connection.service("com.sun.star.frame.DispatchHelper").executeDispatch(
        frame, f".uno:{command}", "", 0, properties
    )
