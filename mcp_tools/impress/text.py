"""Tools that write and format the text of boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.colours import AnyColour, colour
from ambidex.mcp_tools.impress import app, slides
from ambidex.mcp_tools.impress.info import BoxInfo, box_info
from ambidex.mcp_tools.impress.slides import PRESENTATION, Box, LocatedBox, Slide, locate
from ambidex.mcp_tools.impress.undo import PARAGRAPH_BREAK, changing, elements, hold
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document

__all__ = ["app"]

SCRIPTS = ("", "Asian", "Complex")
"""Suffixes of properties for Western, Asian and complex (Arabic, Hebrew, Indic) scripts."""


@dataclass(frozen=True)
class WrittenBox:
    """A box whose text was changed, with the old text."""

    slide_index: int
    before: str
    box: BoxInfo


@dataclass(frozen=True)
class ChangedBox:
    """A box after a change of its format."""

    slide_index: int
    box: BoxInfo


def text_properties(
    *,
    bold: Optional[bool] = None,
    italic: Optional[bool] = None,
    underline: Optional[bool] = None,
    size: Optional[float] = None,
    font: Optional[str] = None,
) -> dict[str, object]:
    """UNO properties for the arguments that are not None."""
    import uno

    properties: dict[str, object] = {}
    for script in SCRIPTS:
        if bold is not None:
            properties[f"CharWeight{script}"] = 150.0 if bold else 100.0
        if italic is not None:
            slant = uno.Enum("com.sun.star.awt.FontSlant", "ITALIC" if italic else "NONE")
            properties[f"CharPosture{script}"] = slant
        if size is not None:
            properties[f"CharHeight{script}"] = float(size)
        if font is not None:
            properties[f"CharFontName{script}"] = font
    if underline is not None:
        properties["CharUnderline"] = 1 if underline else 0
    return properties


def text_of(located: LocatedBox, box_index: int) -> Any:
    """The text of a box; `ToolError` if it has none, or several, as a table does."""
    if slides.kind_of(located.shape) == "table":
        hint = "Use impress_set_table_cells."
        raise ToolError(f"Box {box_index} is a table.", code="is_table", hint=hint)
    texts = list(slides.texts(located.shape))
    if len(texts) != 1:
        kind = slides.kind_of(located.shape)
        message = f"Box {box_index} of slide {located.page.Number} ({kind}) cannot have text."
        raise ToolError(message, code="no_text", hint="impress_env_info shows the kinds.")
    return texts[0]


def nonempty_texts(located: LocatedBox, box_index: int) -> list[Any]:
    """The texts of a box that are not empty; `ToolError` if there are none."""
    texts = [text for text in slides.texts(located.shape) if text.String]
    if not texts:
        message = f"Box {box_index} of slide {located.page.Number} is empty."
        raise ToolError(message, code="no_text", hint="Write some with impress_write_text first.")
    return texts


def apply_style(
    step: str, document: Optional[str], slide_index: int, box_index: int, **values: object
) -> ChangedBox:
    """Set properties of all text of a box, as one undo step."""
    target = locate(document, slide_index, box_index)
    with changing(target.model, step) as changes:
        for text in nonempty_texts(target, box_index):
            changes.style(text, values)
    with connection.uno_errors():
        return ChangedBox(slide_index, box_info(box_index, target.shape))


@app.tool()
def write_text(
    content: Annotated[str, Field(max_length=50000, description="a newline starts a new line")],
    page_index: Slide,
    box_index: Box,
    bold: Annotated[Optional[bool], Field(description="bold, or not")] = None,
    italic: Annotated[Optional[bool], Field(description="italic, or not")] = None,
    size: Annotated[Optional[float], Field(gt=1, le=999, description="points")] = None,
    append: Annotated[
        bool,
        Field(description="add right after the existing text; false replaces it"),
    ] = False,
    document: Document = None,
) -> WrittenBox:
    """Write text into a text box of a slide, such as its title or content with bullet points:
    changes (replaces) the old text, or adds to it with `append` (begin with a newline for a new
    line). bold, italic and size style the new text only; other formatting stays. Returns the old
    text and the box.
    """
    target = locate(document, page_index, box_index)
    with changing(target.model, "Write text") as changes:
        text = text_of(target, box_index)
        before = text.String
        properties = text_properties(bold=bold, italic=italic, size=size)

        def write() -> None:
            if append:
                new = _append(text, content)
            else:
                text.setString(content)
                new = hold(text.createTextCursor())
                new.gotoStart(False)
                new.gotoEnd(True)
            for name, value in properties.items():
                new.setPropertyValue(name, value)

        changes.rewrite(text, write)
        return WrittenBox(page_index, before, box_info(box_index, target.shape))


def _append(text: Any, content: str) -> Any:
    """Append to a text; return the range of the addition."""
    cursor = hold(text.createTextCursor())
    cursor.gotoEnd(False)
    start = hold(text.createTextCursorByRange(cursor))
    for number, line in enumerate(content.split("\n")):
        if number:
            text.insertControlCharacter(cursor, PARAGRAPH_BREAK, False)
        text.insertString(cursor, line, False)
        cursor.gotoEnd(False)
    start.gotoEnd(True)
    return start


@app.tool()
def set_style(
    slide_index: Slide,
    box_index: Box,
    bold: Annotated[Optional[bool], Field(description="bold, or not")] = None,
    italic: Annotated[Optional[bool], Field(description="italic, or not")] = None,
    underline: Annotated[Optional[bool], Field(description="underlined, or not")] = None,
    font_size: Annotated[Optional[float], Field(gt=1, le=999, description="points")] = None,
    font_name: Annotated[
        Optional[str], Field(min_length=1, max_length=200, description="such as Liberation Serif")
    ] = None,
    document: Document = None,
) -> ChangedBox:
    """Format all text of a box: bold, italic, underline, font size and font; what is left out
    stays. Applies to all cells of a table, all boxes of a group.
    """
    properties = text_properties(
        bold=bold, italic=italic, underline=underline, size=font_size, font=font_name
    )
    if not properties:
        message = "No formatting was given: pass bold, italic, underline, font_size or font_name."
        raise ToolError(message, code="bad_arguments")
    return apply_style("Text style", document, slide_index, box_index, **properties)


@app.tool()
def set_text_color(
    slide_index: Slide, box_index: Box, color: AnyColour, document: Document = None
) -> ChangedBox:
    """Set the text colour (font colour) of a box on a slide, such as white or red letters in the
    title; of a table all cells, of a group all boxes.
    """
    # Without resetting it, a theme colour would take precedence in a .pptx.
    properties = {"CharColor": colour(color), "CharColorTheme": -1}
    return apply_style("Font colour", document, slide_index, box_index, **properties)


@app.tool(timeout=60)
def set_slide_font(
    slide_index: Slide,
    font_name: Annotated[
        str, Field(min_length=1, max_length=200, description="such as Liberation Sans Narrow")
    ],
    document: Document = None,
) -> list[ChangedBox]:
    """Change the font (typeface) of everything on a whole slide: all text boxes, tables and groups,
    not the notes. It need not be installed. Returns the boxes that changed.
    """
    model = documents.find(PRESENTATION, document)
    changed = []
    with changing(model, "Font") as changes:
        page = slides.slide_at(model, slide_index)
        for index in range(page.Count):
            shape = page.getByIndex(index)
            texts = [text for text in slides.texts(shape) if text.String]
            for text in texts:
                changes.style(text, text_properties(font=font_name))
            if texts:
                changed.append(ChangedBox(slide_index, box_info(index, shape)))
        if not changed:
            hint = "Write some with impress_write_text first."
            raise ToolError(f"Slide {slide_index} has no text.", code="no_text", hint=hint)
    return changed


@app.tool()
def set_text_strikethrough(
    slide_index: Slide,
    box_index: Box,
    line_numbers: Annotated[
        list[Annotated[int, Field(ge=1)]],
        Field(min_length=1, description="lines of the box's text, 1 is the first"),
    ],
    apply: Annotated[bool, Field(description="false removes the strikethrough")],
    document: Document = None,
) -> ChangedBox:
    """Strike through (cross out) lines of text in a box, such as finished items of a list, or
    remove the strikethrough. Lines are those that impress_env_info separates by newlines.
    """
    target = locate(document, slide_index, box_index)
    with changing(target.model, "Strikethrough") as changes:
        for paragraph, line in selected_lines(text_of(target, box_index), line_numbers):
            changes.style(paragraph, {"CharStrikeout": 1 if apply else 0}, line)
        return ChangedBox(slide_index, box_info(box_index, target.shape))


def selected_lines(text: Any, numbers: Sequence[int]) -> list[tuple[Any, Any]]:
    """The lines with these numbers, as paragraph and range; `ToolError` gives the valid range."""
    all_lines = list(slides.lines(text))
    invalid = [number for number in numbers if number > len(all_lines)]
    if invalid:
        hint = f"Lines are numbered from 1 to {len(all_lines)}."
        raise ToolError(f"The box has no line {invalid[0]}.", code="no_line", hint=hint)
    return [all_lines[number - 1] for number in numbers]


@app.tool()
def set_textbox_alignment(
    slide_index: Slide,
    box_index: Box,
    alignment: Annotated[
        Literal["left", "center", "right", "justify"], Field(description="of all its lines")
    ],
    document: Document = None,
) -> ChangedBox:
    """Align the text in a box left, right, centre or justify; of a table all cells, of a group all
    boxes.
    """
    import uno

    target = locate(document, slide_index, box_index)
    name = {"justify": "BLOCK"}.get(alignment, alignment.upper())
    adjust = uno.Enum("com.sun.star.style.ParagraphAdjust", name)
    with changing(target.model, "Alignment") as changes:
        texts = list(slides.texts(target.shape))
        if not texts:
            text_of(target, box_index)  # raises with the reason
        for text in texts:
            for paragraph in elements(text):
                changes.set(paragraph, ParaAdjust=adjust)
        return ChangedBox(slide_index, box_info(box_index, target.shape))


@app.tool(timeout=120)
def set_table_cells(
    slide_index: Slide,
    box_index: Box,
    values: Annotated[
        list[list[Optional[str]]],
        Field(min_length=1, description="rows of cells; null leaves a cell as it is"),
    ],
    start_row: Annotated[int, Field(ge=1, description="1 is the first")] = 1,
    start_column: Annotated[int, Field(ge=1, description="1 is the first")] = 1,
    document: Document = None,
) -> BoxInfo:
    """Fill in or change cells of a table on a slide: write values row by row from a given cell;
    formatting stays. Returns the table.
    """
    target = locate(document, slide_index, box_index)
    with changing(target.model, "Write cells") as changes:
        rows = slides.cells(target.shape)
        if not rows:
            kind = slides.kind_of(target.shape)
            message = f"Box {box_index} of slide {slide_index} is of kind {kind}, not a table."
            raise ToolError(message, code="no_table", hint="Use impress_write_text.")
        bottom = start_row - 1 + len(values)
        right = start_column - 1 + max(map(len, values))
        if bottom > len(rows) or right > len(rows[0]):
            message = f"The values need {bottom} rows and {right} columns."
            hint = f"The table has {len(rows)} rows and {len(rows[0])} columns."
            raise ToolError(message, code="too_large", hint=hint)
        for y, row in enumerate(values, start=start_row - 1):
            for x, value in enumerate(row, start=start_column - 1):
                if value is not None:
                    changes.rewrite(rows[y][x], _text_setter(rows[y][x], value))
        return box_info(box_index, target.shape)


def _text_setter(cell: Any, value: str) -> Any:
    return lambda: cell.setString(value)
