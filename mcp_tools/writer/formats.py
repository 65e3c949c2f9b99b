"""Tools that change and read the formatting of text and paragraphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.colours import AnyColour, colour
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.passages import (
    TEXT,
    Indices,
    Pattern,
    Regular,
    apply_style,
    enum,
    paragraphs_at,
)
from ambidex.mcp_tools.office.text_formats import (
    ALIGNMENTS,
    Run,
    escapement,
    for_all_scripts,
    highlighting,
    runs_of,
    text_properties,
)
from ambidex.mcp_tools.writer import app

__all__ = ["app"]

MAX_PARAGRAPHS = 100
"""Maximum number of paragraphs that one call describes."""


@dataclass(frozen=True)
class ParagraphFormat:
    """Formatting of a paragraph. `line_spacing` is in lines; None if it is a fixed distance."""

    index: int
    style: str
    alignment: str
    line_spacing: Optional[float]
    runs: list[Run]


@app.tool(reads_only=True, timeout=60)
def get_look(
    paragraph_indices: Annotated[
        list[Annotated[int, Field(ge=0)]],
        Field(
            min_length=1,
            max_length=MAX_PARAGRAPHS,
            description="as writer_env_info counts them, 0 is the first",
        ),
    ],
    document: Document = None,
) -> list[ParagraphFormat]:
    """Check how paragraphs are formatted: style, alignment, line spacing, and for each piece of
    text the font, size, bold, italic, colour and highlight, set directly or by styles.
    """
    model = documents.find(TEXT, document)
    with connection.uno_errors():
        indices = list(dict.fromkeys(paragraph_indices))
        return [
            ParagraphFormat(
                index,
                paragraph.ParaStyleName,
                ALIGNMENTS[paragraph.ParaAdjust],
                paragraph.ParaLineSpacing.Height / 100
                if paragraph.ParaLineSpacing.Mode == 0
                else None,
                runs_of(paragraph),
            )
            for index, paragraph in zip(indices, paragraphs_at(model, indices), strict=True)
        ]


@app.tool(timeout=60)
def set_font_size(
    font_size: Annotated[float, Field(gt=1, le=400, description="points")],
    pattern: Pattern = None,
    paragraph_indices: Indices = None,
    regular_expression: Regular = True,
    document: Document = None,
) -> int:
    """Set the font size of text, such as a title, in points (pt), bigger or smaller letters: the
    whole document, some paragraphs, or where `pattern` matches. Returns how many places.
    """
    properties = text_properties(size=font_size)
    return apply_style(
        "Font size", document, pattern, paragraph_indices, properties, regular_expression
    )


@app.tool(timeout=60)
def set_font(
    font_name: Annotated[str, Field(min_length=1, description="such as Liberation Serif")],
    paragraph_indices: Indices = None,
    pattern: Pattern = None,
    regular_expression: Regular = True,
    document: Document = None,
) -> int:
    """Set the font (typeface, such as Arial) of text: the whole document, some paragraphs, or where
    `pattern` matches. Returns how many places. A font that is not installed is kept by name and
    displayed in another.
    """
    properties = for_all_scripts(CharFontName=font_name)
    return apply_style("Font", document, pattern, paragraph_indices, properties, regular_expression)


@app.tool(timeout=60)
def set_color(
    color: AnyColour,
    pattern: Pattern = None,
    paragraph_indices: Indices = None,
    regular_expression: Regular = True,
    document: Document = None,
) -> int:
    """Change the text colour (font colour) of words, paragraphs or the whole document: red, blue,
    any; where `pattern` matches if given. Returns how many places.
    """
    properties: dict[str, object] = {"CharColor": colour(color)}
    return apply_style(
        "Font colour", document, pattern, paragraph_indices, properties, regular_expression
    )


@app.tool(timeout=60)
def set_text_style(
    bold: Annotated[Optional[bool], Field(description="bold, or not")] = None,
    italic: Annotated[Optional[bool], Field(description="italic, or not")] = None,
    underline: Annotated[Optional[bool], Field(description="underlined, or not")] = None,
    strikethrough: Annotated[Optional[bool], Field(description="struck through, or not")] = None,
    subscript: Annotated[Optional[bool], Field(description="lowered, as in H2O")] = None,
    superscript: Annotated[Optional[bool], Field(description="raised, as in m2")] = None,
    highlight: Annotated[
        AnyColour | Literal["none"] | None, Field(description="highlight colour, or none")
    ] = None,
    pattern: Pattern = None,
    paragraph_indices: Indices = None,
    regular_expression: Regular = True,
    document: Document = None,
) -> int:
    """Make words bold, italic, underlined, strikethrough, subscript, superscript or highlighted, or
    no longer (false, none): where `pattern` matches ((?<=H)2 is the 2 in H2O), some paragraphs or
    all text. What is left out stays. Returns how many places.
    """
    if subscript and superscript:
        raise ToolError("Text cannot be both subscript and superscript.", code="bad_arguments")
    properties = text_properties(
        bold=bold, italic=italic, underline=underline, strikethrough=strikethrough
    )
    properties = {**properties, **escapement(subscript, superscript), **highlighting(highlight)}
    if not properties:
        hint = "Give bold, italic, underline, strikethrough, subscript, superscript or highlight."
        raise ToolError("No formatting was given.", code="bad_arguments", hint=hint)
    return apply_style(
        "Text style", document, pattern, paragraph_indices, properties, regular_expression
    )


@app.tool(timeout=60)
def set_paragraph_alignment(
    alignment: Annotated[
        Literal["left", "center", "right", "justify"], Field(description="of all their lines")
    ],
    paragraph_indices: Indices = None,
    document: Document = None,
) -> int:
    """Align paragraphs left, right, centre or justify, for example a title or date. Returns how
    many places changed.
    """
    name = {"justify": "BLOCK"}.get(alignment, alignment.upper())
    adjust = enum("com.sun.star.style.ParagraphAdjust", name)
    return apply_style("Alignment", document, None, paragraph_indices, {"ParaAdjust": adjust})


@app.tool(timeout=60)
def set_line_spacing(
    spacing_value: Annotated[float, Field(ge=0.5, le=10, description="in lines: 1, 1.5, 2")],
    paragraph_indices: Indices = None,
    document: Document = None,
) -> int:
    """Set the line spacing of paragraphs, the space between lines: single, 1.5, double-spaced.
    Returns how many places changed.
    """
    import uno

    spacing = uno.createUnoStruct("com.sun.star.style.LineSpacing")
    spacing.Mode, spacing.Height = 0, round(spacing_value * 100)
    properties: dict[str, object] = {"ParaLineSpacing": spacing}
    return apply_style("Line spacing", document, None, paragraph_indices, properties)
