"""LibreOffice Impress: what the boxes of slides say, and how their text looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.colours import AnyColour, colour
from ambidex.mcp_tools.impress import app, slides
from ambidex.mcp_tools.impress.info import BoxInfo, box_info
from ambidex.mcp_tools.impress.slides import PRESENTATION, At, Box, Slide, locate
from ambidex.mcp_tools.impress.undo import PARAGRAPH_BREAK, changing, elements, keep
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document

__all__ = ["app"]

SCRIPTS = ("", "Asian", "Complex")
"""An office keeps the look of Latin, of East Asian and of Indic, Arabic or Hebrew text apart."""


@dataclass(frozen=True)
class Written:
    """A box before and after its text was changed."""

    slide_index: int
    before: str
    box: BoxInfo


@dataclass(frozen=True)
class Restyled:
    """A box whose look was changed, as it is then."""

    slide_index: int
    box: BoxInfo


def look(
    *,
    bold: Optional[bool] = None,
    italic: Optional[bool] = None,
    underline: Optional[bool] = None,
    size: Optional[float] = None,
    font: Optional[str] = None,
) -> dict[str, object]:
    """The text properties for what was given."""
    import uno

    made: dict[str, object] = {}
    for script in SCRIPTS:
        if bold is not None:
            made[f"CharWeight{script}"] = 150.0 if bold else 100.0
        if italic is not None:
            slant = uno.Enum("com.sun.star.awt.FontSlant", "ITALIC" if italic else "NONE")
            made[f"CharPosture{script}"] = slant
        if size is not None:
            made[f"CharHeight{script}"] = float(size)
        if font is not None:
            made[f"CharFontName{script}"] = font
    if underline is not None:
        made["CharUnderline"] = 1 if underline else 0
    return made


def text_of(at: At, box_index: int) -> Any:
    """The one text of a box; `ToolError` if it has none or, as a table, several."""
    if slides.kind_of(at.shape) == "table":
        hint = "Use impress_set_table_cells."
        raise ToolError(f"Box {box_index} is a table.", code="is_table", hint=hint)
    found = list(slides.texts(at.shape))
    if len(found) != 1:
        kind = slides.kind_of(at.shape)
        message = f"Box {box_index} of slide {at.page.Number} is a {kind} and takes no text."
        raise ToolError(message, code="no_text", hint="Look at impress_env_info for the kinds.")
    return found[0]


def said(at: At, box_index: int) -> list[Any]:
    """The texts of a box that say something; `ToolError` if there is none."""
    found = [each for each in slides.texts(at.shape) if each.String]
    if not found:
        message = f"Box {box_index} of slide {at.page.Number} has no text."
        raise ToolError(message, code="no_text", hint="Write some with impress_write_text first.")
    return found


def restyled(
    step: str, document: Optional[str], slide_index: int, box_index: int, **values: object
) -> Restyled:
    """Give all text of a box these properties, as one undo step."""
    at = locate(document, slide_index, box_index)
    with changing(at.model, step) as changes:
        for text in said(at, box_index):
            changes.style(text, values)
    with connection.answering():
        return Restyled(slide_index, box_info(box_index, at.shape))


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
) -> Written:
    """Write text into a text box of a slide, such as its title or content with bullet points:
    changes (replaces) the old text, or adds to it with `append` (begin with a newline for a new
    line). bold, italic and size style the new text only; other formatting stays. Returns the old
    text and the box.
    """
    at = locate(document, page_index, box_index)
    with changing(at.model, "Write text") as changes:
        text = text_of(at, box_index)
        before = text.String
        given = look(bold=bold, italic=italic, size=size)

        def write() -> None:
            if append:
                new = _appended(text, content)
            else:
                text.setString(content)
                new = keep(text.createTextCursor())
                new.gotoStart(False)
                new.gotoEnd(True)
            for name, value in given.items():
                new.setPropertyValue(name, value)

        changes.rewrite(text, write)
        return Written(page_index, before, box_info(box_index, at.shape))


def _appended(text: Any, content: str) -> Any:
    """Put more after what a text says; the range of what was added."""
    cursor = keep(text.createTextCursor())
    cursor.gotoEnd(False)
    start = keep(text.createTextCursorByRange(cursor))
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
) -> Restyled:
    """Format all text of a box: bold, italic, underline, font size and font; what is left out
    stays. Applies to all cells of a table, all boxes of a group.
    """
    given = look(bold=bold, italic=italic, underline=underline, size=font_size, font=font_name)
    if not given:
        message = "Nothing to change: give bold, italic, underline, font_size or font_name."
        raise ToolError(message, code="bad_arguments")
    return restyled("Text style", document, slide_index, box_index, **given)


@app.tool()
def set_text_color(
    slide_index: Slide, box_index: Box, color: AnyColour, document: Document = None
) -> Restyled:
    """Set the text colour (font colour) of a box on a slide, such as white or red letters in the
    title; of a table all cells, of a group all boxes.
    """
    # A colour of the theme, where there is one, would win in a .pptx.
    given = {"CharColor": colour(color), "CharColorTheme": -1}
    return restyled("Font colour", document, slide_index, box_index, **given)


@app.tool(timeout=60)
def set_slide_font(
    slide_index: Slide,
    font_name: Annotated[
        str, Field(min_length=1, max_length=200, description="such as Liberation Sans Narrow")
    ],
    document: Document = None,
) -> list[Restyled]:
    """Change the font (typeface) of everything on a whole slide: all text boxes, tables and groups,
    not the notes. It need not be installed. Returns the boxes that changed.
    """
    model = documents.find(PRESENTATION, document)
    changed = []
    with changing(model, "Font") as changes:
        page = slides.slide_at(model, slide_index)
        for index in range(page.Count):
            shape = page.getByIndex(index)
            found = [each for each in slides.texts(shape) if each.String]
            for text in found:
                changes.style(text, look(font=font_name))
            if found:
                changed.append(Restyled(slide_index, box_info(index, shape)))
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
) -> Restyled:
    """Strike through (cross out) lines of text in a box, such as finished items of a list, or
    remove the strikethrough. Lines are those that impress_env_info separates by newlines.
    """
    at = locate(document, slide_index, box_index)
    with changing(at.model, "Strikethrough") as changes:
        for paragraph, line in chosen(text_of(at, box_index), line_numbers):
            changes.style(paragraph, {"CharStrikeout": 1 if apply else 0}, line)
        return Restyled(slide_index, box_info(box_index, at.shape))


def chosen(text: Any, numbers: Sequence[int]) -> list[tuple[Any, Any]]:
    """The lines of these numbers, as paragraph and range; `ToolError` names the last there is."""
    every = list(slides.lines(text))
    wrong = [each for each in numbers if each > len(every)]
    if wrong:
        hint = f"They go from 1 to {len(every)}."
        raise ToolError(f"The box has no line {wrong[0]}.", code="no_line", hint=hint)
    return [every[each - 1] for each in numbers]


@app.tool()
def set_textbox_alignment(
    slide_index: Slide,
    box_index: Box,
    alignment: Annotated[
        Literal["left", "center", "right", "justify"], Field(description="of all its lines")
    ],
    document: Document = None,
) -> Restyled:
    """Align the text in a box left, right, centre or justify; of a table all cells, of a group all
    boxes.
    """
    import uno

    at = locate(document, slide_index, box_index)
    name = {"justify": "BLOCK"}.get(alignment, alignment.upper())
    adjust = uno.Enum("com.sun.star.style.ParagraphAdjust", name)
    with changing(at.model, "Alignment") as changes:
        found = list(slides.texts(at.shape))
        if not found:
            text_of(at, box_index)  # says why not
        for text in found:
            for paragraph in elements(text):
                changes.set(paragraph, ParaAdjust=adjust)
        return Restyled(slide_index, box_info(box_index, at.shape))


@app.tool()
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
    at = locate(document, slide_index, box_index)
    with changing(at.model, "Write cells") as changes:
        rows = slides.cells(at.shape)
        if not rows:
            kind = slides.kind_of(at.shape)
            message = f"Box {box_index} of slide {slide_index} is a {kind}, not a table."
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
                    changes.rewrite(rows[y][x], _putting(rows[y][x], value))
        return box_info(box_index, at.shape)


def _putting(cell: Any, value: str) -> Any:
    return lambda: cell.setString(value)
