"""Presentations as Impress's tools see them: slides and the boxes on them, found by number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.impress.undo import elements, keep
from ambidex.mcp_tools.office import connection, documents

__all__ = [
    "NOTES",
    "PRESENTATION",
    "At",
    "Box",
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
class At:
    """A box of a slide of a presentation, found by its numbers."""

    model: Any
    page: Any
    shape: Any


def pages(model: Any) -> list[Any]:
    """The slides in order."""
    return [model.DrawPages.getByIndex(number) for number in range(model.DrawPages.Count)]


def slide_at(model: Any, number: int) -> Any:
    """The slide of that number, 1 being the first; `ToolError` says how many there are."""
    count = model.DrawPages.Count
    if not 1 <= number <= count:
        hint = f"The slides go from 1 to {count}."
        raise ToolError(f"There is no slide {number}.", code="no_slide", hint=hint)
    return model.DrawPages.getByIndex(number - 1)


def box_at(page: Any, number: int) -> Any:
    """The box of that number, 0 being the first; `ToolError` lists those of the slide."""
    if not 0 <= number < page.Count:
        boxes = [f"{index} {kind_of(page.getByIndex(index))}" for index in range(page.Count)]
        hint = f"Its boxes: {', '.join(boxes[:30]) or 'none'}."
        message = f"There is no box {number} on slide {page.Number}."
        raise ToolError(message, code="no_box", hint=hint)
    return page.getByIndex(number)


def locate(document: Optional[str], slide: int, box: int) -> At:
    """The named box."""
    model = documents.find(PRESENTATION, document)
    with connection.answering():
        page = slide_at(model, slide)
        return At(model, page, box_at(page, box))


def current(model: Any) -> int:
    """The number of the slide that the window shows."""
    controller = model.getCurrentController()
    number: int = controller.CurrentPage.Number if controller else 1
    return number


def kind_of(shape: Any) -> str:
    """What a box is, in a word: title, outline, custom, image, table, media, group and so on."""
    name = str(shape.ShapeType).rpartition(".")[2].removesuffix("Shape")
    if name.endswith("GraphicObject"):
        return "image"
    words = {"TitleText": "title", "Outliner": "outline", "Plugin": "media"}
    return words.get(name, name.lower())


def cells(shape: Any) -> list[list[Any]]:
    """The cells of a table, row by row; none of another box."""
    if kind_of(shape) != "table":
        return []
    model = shape.Model
    rows, columns = range(model.RowCount), range(model.ColumnCount)
    return [[model.getCellByPosition(x, y) for x in columns] for y in rows]


def texts(shape: Any) -> Iterator[Any]:
    """The texts in a box: its own, those of a table's cells, those of a group's boxes."""
    if kind_of(shape) == "group":
        for index in range(shape.Count):
            yield from texts(shape.getByIndex(index))
    elif rows := cells(shape):
        yield from (cell for row in rows for cell in row)
    elif shape.supportsService("com.sun.star.drawing.Text") and hasattr(shape, "createTextCursor"):
        yield shape


def lines(text: Any) -> Iterator[tuple[Any, Any]]:
    """The lines as a newline in the text ends them, each as its paragraph and its range within."""
    for paragraph in elements(text):
        cursor = keep(text.createTextCursorByRange(keep(paragraph.Start)))
        for number, part in enumerate(paragraph.String.split("\n")):
            if number:  # past a soft break
                cursor.goRight(1, False)
            cursor.goRight(len(part.encode("utf-16-le")) // 2, True)
            yield paragraph, keep(text.createTextCursorByRange(cursor))
            cursor.collapseToEnd()


def title_of(page: Any) -> str:
    """What the slide's title says."""
    for index in range(page.Count):
        shape = page.getByIndex(index)
        if kind_of(shape) == "title":
            return str(shape.String)
    return ""


def notes_of(page: Any) -> Optional[Any]:
    """The box for the notes of a slide; None if somebody deleted it."""
    notes = page.NotesPage
    shapes = (notes.getByIndex(index) for index in range(notes.Count))
    return next((each for each in shapes if each.ShapeType == NOTES), None)


def dispatch(model: Any, command: str, **arguments: object) -> None:
    """A command of the window's menu, for what no other interface offers. It may do nothing in
    silence: look afterwards.
    """
    frame = model.getCurrentController().Frame
    given = documents.property_values(**arguments)
    connection.service("com.sun.star.frame.DispatchHelper").executeDispatch(
        frame, f".uno:{command}", "", 0, given
    )
