"""LibreOffice Writer: what open documents say, and changes to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, Optional

from pydantic import Field

from mcp_tools import App, ToolError, documents, office
from mcp_tools.documents import Document, Saved
from mcp_tools.passages import (
    TEXT,
    Indices,
    Pattern,
    Position,
    enum,
    found,
    paragraphs_of,
    place,
    styled,
)

# Prepared and recovered with Calc, whose worker this is.
app = App("writer", "LibreOffice Writer", worker="office")

LISTED = 300
"""Paragraphs that one call lists at most."""

Colour = Annotated[str, Field(description="#RRGGBB", pattern="^#[0-9A-Fa-f]{6}$")]


@dataclass(frozen=True)
class Paragraph:
    """One paragraph; `index` is what tools take as paragraph_indices."""

    index: int
    style: str
    alignment: str
    text: str


@dataclass(frozen=True)
class TextInfo:
    """An open text document; `path` is None if it was never saved; the list of paragraphs is
    bounded.
    """

    title: str
    path: Optional[str]
    modified: bool
    pages: int
    words: int
    paragraph_count: int
    paragraphs: list[Paragraph]


@app.tool(timeout=60)
def open_document(path: Annotated[str, Field(description="such as ~/letter.docx")]) -> TextInfo:
    """Open a text document in Writer and make it the active one. Returns its first paragraphs."""
    model = documents.open_file(TEXT, path)
    return env_info(str(documents.file_of(model)))


@app.tool(reads_only=True, timeout=60)
def env_info(document: Document = None) -> TextInfo:
    """See how a document is built: pages, words, and its first 300 paragraphs with index, style and
    alignment.
    """
    model = documents.find(TEXT, document)
    with office.answering():
        listed = []
        count = 0
        for count, each in enumerate(paragraphs_of(model), start=1):
            if count <= LISTED:
                adjust = ["left", "right", "justify", "center", "justify"][each.ParaAdjust]
                listed.append(Paragraph(count - 1, each.ParaStyleName, adjust, each.String[:500]))
        file = documents.file_of(model)
        pages = model.getCurrentController().PageCount
        words = model.WordCount
        modified = model.isModified()
        path = str(file) if file else None
        return TextInfo(model.Title, path, modified, pages, words, count, listed)


@app.tool(reads_only=True)
def get_text(
    start: Annotated[int, Field(ge=0, description="characters to skip")] = 0,
    limit: Annotated[int, Field(ge=1, le=50000, description="characters at most")] = 10000,
    document: Document = None,
) -> str:
    """Read the text of a document, one line for each paragraph and each cell of a table."""
    model = documents.find(TEXT, document)
    with office.answering():
        text: str = model.Text.String
    rest = len(text) - start - limit
    more = f"\n[{rest} more characters; go on with start={start + limit}]" if rest > 0 else ""
    return text[start : start + limit] + more


@app.tool()
def write_text(
    text: Annotated[str, Field(min_length=1, description="a newline begins a new paragraph")],
    position: Position = "cursor",
    bold: Optional[bool] = None,
    italic: Optional[bool] = None,
    size: Annotated[Optional[float], Field(gt=1, le=400, description="points")] = None,
    document: Document = None,
) -> str:
    """Insert text; what is there stays. Without bold, italic and size it looks like the text around
    it.
    """
    model = documents.find(TEXT, document)
    with documents.editing(model, "Insert text"):
        cursor = place(model, position)
        cursor.Text.insertString(cursor, text.replace("\r\n", "\n").replace("\n", "\r"), True)
        for name, value in look(bold=bold, italic=italic, size=size).items():
            cursor.setPropertyValue(name, value)
    return f"Inserted {len(text)} characters at the {position}."


def look(
    *,
    bold: Optional[bool] = None,
    italic: Optional[bool] = None,
    underline: Optional[bool] = None,
    size: Optional[float] = None,
) -> dict[str, object]:
    """The text properties for what was given."""
    made: dict[str, object] = {}
    if bold is not None:
        made["CharWeight"] = 150.0 if bold else 100.0
    if italic is not None:
        made["CharPosture"] = enum("com.sun.star.awt.FontSlant", "ITALIC" if italic else "NONE")
    if underline is not None:
        made["CharUnderline"] = 1 if underline else 0
    if size is not None:
        made["CharHeight"] = size
    return made


@app.tool(timeout=60)
def find_and_replace(
    pattern: Annotated[str, Field(min_length=1, description="text to look for; case matters")],
    replacement: str,
    paragraph_indices: Indices = None,
    regular_expression: Annotated[
        bool, Field(description="take pattern as one; $1 is a group")
    ] = False,
    document: Document = None,
) -> int:
    """Replace text everywhere, tables included, or in some paragraphs; the look of the text stays.
    Returns how often; it is an error when the text is nowhere.
    """
    model = documents.find(TEXT, document)
    if regular_expression and paragraph_indices is not None:
        hint = "Leave one of them out."
        raise ToolError("paragraph_indices need plain text.", code="bad_arguments", hint=hint)
    with documents.editing(model, f"Replace {pattern}"):
        if paragraph_indices is None:
            asked = model.createReplaceDescriptor()
            asked.SearchString, asked.ReplaceString = pattern, replacement
            asked.SearchCaseSensitive, asked.SearchRegularExpression = True, regular_expression
            count: int = model.replaceAll(asked)
            if not count:
                raise ToolError(f"The text {pattern!r} was not found.", code="not_found")
            return count
        places = found(model, pattern, paragraph_indices)
        for each in places:
            each.setString(replacement)
        return len(places)


@app.tool()
def set_font_size(
    font_size: Annotated[float, Field(gt=1, le=400, description="points")],
    pattern: Pattern = None,
    paragraph_indices: Indices = None,
    document: Document = None,
) -> int:
    """Set the size of text: all of it, some paragraphs, or wherever `pattern` stands. Returns how
    many places.
    """
    return styled("Font size", document, pattern, paragraph_indices, look(size=font_size))


@app.tool()
def set_font(
    font_name: Annotated[str, Field(min_length=1, description="such as Liberation Serif")],
    pattern: Pattern = None,
    paragraph_indices: Indices = None,
    document: Document = None,
) -> int:
    """Set the font of text: all of it, some paragraphs, or wherever `pattern` stands. Returns how
    many places.
    """
    return styled("Font", document, pattern, paragraph_indices, {"CharFontName": font_name})


@app.tool()
def set_color(
    color: Colour,
    pattern: Pattern = None,
    paragraph_indices: Indices = None,
    document: Document = None,
) -> int:
    """Set the colour of text: all of it, some paragraphs, or wherever `pattern` stands. Returns how
    many places.
    """
    colour = {"CharColor": int(color[1:], 16)}
    return styled("Font colour", document, pattern, paragraph_indices, {**colour})


@app.tool()
def set_text_style(
    bold: Optional[bool] = None,
    italic: Optional[bool] = None,
    underline: Optional[bool] = None,
    pattern: Pattern = None,
    paragraph_indices: Indices = None,
    document: Document = None,
) -> int:
    """Make text bold, italic or underlined, or no longer so: all of it, some paragraphs, or
    wherever `pattern` stands. What is left out stays. Returns how many places.
    """
    made = look(bold=bold, italic=italic, underline=underline)
    if not made:
        raise ToolError("Nothing to change: give bold, italic or underline.", code="bad_arguments")
    return styled("Text style", document, pattern, paragraph_indices, made)


@app.tool()
def set_paragraph_alignment(
    alignment: Literal["left", "center", "right", "justify"],
    paragraph_indices: Indices = None,
    document: Document = None,
) -> int:
    """Align paragraphs. Returns how many places changed."""
    name = {"justify": "BLOCK"}.get(alignment, alignment.upper())
    adjust = enum("com.sun.star.style.ParagraphAdjust", name)
    return styled("Alignment", document, None, paragraph_indices, {"ParaAdjust": adjust})


@app.tool()
def set_line_spacing(
    spacing_value: Annotated[float, Field(ge=0.5, le=10, description="in lines: 1, 1.5, 2")],
    paragraph_indices: Indices = None,
    document: Document = None,
) -> int:
    """Set the distance of lines within paragraphs. Returns how many places changed."""
    model = documents.find(TEXT, document)  # loads UNO, whose types are needed below
    from com.sun.star.style import LineSpacing

    spacing = LineSpacing()
    spacing.Mode, spacing.Height = 0, round(spacing_value * 100)
    name = str(documents.file_of(model) or model.Title)
    return styled("Line spacing", name, None, paragraph_indices, {"ParaLineSpacing": spacing})


@app.tool()
def insert_page_break(position: Position = "cursor", document: Document = None) -> str:
    """Begin a new page: the text after the position moves to it."""
    model = documents.find(TEXT, document)
    with documents.editing(model, "Page break"):
        cursor = place(model, position)
        cursor.Text.insertControlCharacter(cursor, 0, False)
        cursor.BreakType = enum("com.sun.star.style.BreakType", "PAGE_BEFORE")
    return f"Page break at the {position}."


@app.tool()
def undo(document: Document = None) -> str:
    """Take back the last change of a document, whoever made it. A tool's change is one step."""
    return documents.undo(documents.find(TEXT, document))


@app.tool(timeout=60)
def save(document: Document = None) -> Saved:
    """Save a document to its own file, in the format that file has. No dialog appears."""
    return documents.save(documents.find(TEXT, document))


@app.tool(timeout=60)
def save_as(
    file_path: Annotated[str, Field(description="ends in .odt .docx .doc .rtf .txt or .html")],
    overwrite: bool = False,
    document: Document = None,
) -> Saved:
    """Save a document under another name; the window goes on with that file."""
    return documents.save_as(documents.find(TEXT, document), TEXT, file_path, overwrite)


@app.tool(timeout=60)
def export_to_pdf(
    file_path: Annotated[
        Optional[str], Field(description="beside the file itself if left out")
    ] = None,
    overwrite: bool = False,
    document: Document = None,
) -> Saved:
    """Write a document to a PDF; the document itself stays as it is."""
    model = documents.find(TEXT, document)
    return documents.export_pdf(model, "writer_pdf_Export", file_path, overwrite)
