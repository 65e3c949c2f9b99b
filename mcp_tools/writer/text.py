"""Tools that open, read, edit, save and export text documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document, Saved
from ambidex.mcp_tools.office.passages import (
    TEXT,
    Indices,
    Position,
    Regular,
    cursor_at,
    expand,
    find_ranges,
    paragraphs_of,
    replace_match,
)
from ambidex.mcp_tools.office.text_formats import ALIGNMENTS, text_properties
from ambidex.mcp_tools.writer import app

MAX_PARAGRAPHS = 300
"""Maximum number of paragraphs listed."""


@dataclass(frozen=True)
class Paragraph:
    """One paragraph; `index` is its number for `paragraph_indices`."""

    index: int
    style: str
    alignment: str
    text: str


@dataclass(frozen=True)
class TextInfo:
    """An open text document; `path` is None if it was never saved. `paragraphs` is limited to the
    first ones.
    """

    title: str
    path: Optional[str]
    modified: bool
    pages: int
    words: int
    paragraph_count: int
    paragraphs: list[Paragraph]


@app.tool(timeout=documents.OPENS_WITHIN)
def open_document(path: Annotated[str, Field(description="such as ~/letter.docx")]) -> TextInfo:
    """Open or load a text document (odt, docx Word file) in Writer to read or edit it, and make it
    the active one. Returns its first paragraphs.
    """
    model = documents.open_file(TEXT, path)
    return env_info(str(documents.file_of(model)))


@app.tool(reads_only=True, timeout=60)
def env_info(document: Document = None) -> TextInfo:
    """Get an overview of what is in the open text document: page and word counts, and its first 300
    paragraphs with index, style and alignment.
    """
    model = documents.find(TEXT, document)
    with connection.uno_errors():
        listed = []
        count = 0
        for count, paragraph in enumerate(paragraphs_of(model), start=1):
            if count <= MAX_PARAGRAPHS:
                adjust = ALIGNMENTS[paragraph.ParaAdjust]
                listed.append(
                    Paragraph(count - 1, paragraph.ParaStyleName, adjust, paragraph.String[:500])
                )
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
    """Read (show) what a document, letter or report says, its paragraphs: one line per paragraph
    and per table cell, from any position.
    """
    model = documents.find(TEXT, document)
    with connection.uno_errors():
        text: str = model.Text.String
    rest = len(text) - start - limit
    more = f"\n[{rest} more characters; continue with start={start + limit}]" if rest > 0 else ""
    return text[start : start + limit] + more


@app.tool()
def write_text(
    text: Annotated[str, Field(min_length=1, description="a newline starts a new paragraph")],
    position: Position = "cursor",
    bold: Annotated[Optional[bool], Field(description="default: like the text around it")] = None,
    italic: Annotated[Optional[bool], Field(description="default: like the text around it")] = None,
    size: Annotated[Optional[float], Field(gt=1, le=400, description="points")] = None,
    document: Document = None,
) -> str:
    """Insert or add new text: a paragraph or line at the start, at the end or at the cursor,
    optionally bold, italic or in another size; else formatted like the text around it. Existing
    text stays.
    """
    model = documents.find(TEXT, document)
    with documents.editing(model, "Insert text"):
        cursor = cursor_at(model, position)
        cursor.Text.insertString(cursor, text.replace("\r\n", "\n").replace("\n", "\r"), True)
        for name, value in text_properties(bold=bold, italic=italic, size=size).items():
            cursor.setPropertyValue(name, value)
    return f"Inserted {len(text)} characters at the {position}."


@app.tool(timeout=60)
def find_and_replace(
    pattern: Annotated[
        str,
        Field(
            min_length=1,
            description="regular expression, matched within each paragraph; case matters unless it "
            "begins with (?i)",
        ),
    ],
    replacement: Annotated[
        str,
        Field(description="\\1 is the first group, \\\\ a backslash, a newline a new paragraph"),
    ],
    paragraph_indices: Indices = None,
    regular_expression: Regular = True,
    document: Document = None,
) -> int:
    """Find and replace a word or text throughout the document (tables, headers and notes too) or in
    some paragraphs: substitute all occurrences; formatting stays. Returns how many; error if there
    are none. For text with brackets, dots etc. pass regular_expression=false.
    """
    model = documents.find(TEXT, document)
    with documents.editing(model, f"Replace {pattern}"):
        matches = find_ranges(model, pattern, paragraph_indices, regular_expression)
        texts = [replacement] * len(matches)
        if (
            regular_expression
        ):  # expand all first: a replacement may change the context of other matches
            texts = [expand(match, pattern, replacement) for match in matches]
        for match, text in zip(matches, texts, strict=True):
            replace_match(match, text)
    return len(matches)


@app.tool()
def undo(document: Document = None) -> str:
    """Undo the last change to the text document (Ctrl+Z), whoever made it: take back an edit,
    restore deleted text. A tool call is one step.
    """
    return documents.undo(documents.find(TEXT, document))


@app.tool(timeout=60)
def save(document: Document = None) -> Saved:
    """Save the text document (Ctrl+S): write it to its own file and format, without a dialog."""
    return documents.save(documents.find(TEXT, document))


@app.tool(timeout=60)
def save_as(
    file_path: Annotated[str, Field(description="ends in .odt .docx .doc .rtf .txt or .html")],
    overwrite: Annotated[bool, Field(description="replace an existing file")] = False,
    document: Document = None,
) -> Saved:
    """Save a text document under a new name or in another format, which converts it (odt, docx,
    Word, rtf, txt, html); the window then shows that file.
    """
    return documents.save_as(documents.find(TEXT, document), TEXT, file_path, overwrite)


QUALITIES: dict[str, dict[str, object]] = {
    "standard": {"Quality": 90, "ReduceImageResolution": True, "MaxImageResolution": 300},
    "high": {"Quality": 98, "ReduceImageResolution": False},
    "print": {"UseLosslessCompression": True, "ReduceImageResolution": False},
}


@app.tool(timeout=120)
def export_to_pdf(
    output_path: Annotated[
        Optional[str], Field(description="PDF file or folder; default: next to the document")
    ] = None,
    output_filename: Annotated[
        Optional[str],
        Field(pattern="^[^/]+$", description="name in that folder; default: the document's"),
    ] = None,
    include_comments: Annotated[bool, Field(description="as PDF annotations")] = False,
    quality: Annotated[
        Literal["standard", "high", "print"],
        Field(description="image quality: 300 dpi JPEG, full-size JPEG, lossless"),
    ] = "standard",
    overwrite: Annotated[bool, Field(description="replace an existing file")] = False,
    document: Document = None,
) -> Saved:
    """Export a text document such as a letter as PDF, on request with comments; the document stays
    unchanged.
    """
    model = documents.find(TEXT, document)
    path = _pdf_path(model, output_path, output_filename)
    options = {"ExportNotes": include_comments, **QUALITIES[quality]}
    return documents.export_pdf(model, "writer_pdf_Export", path, overwrite, options)


def _pdf_path(model: Any, path: Optional[str], name: Optional[str]) -> Optional[str]:
    """Path of the PDF; None for the default next to the document."""
    file = documents.file_of(model)
    if path is None and name is None:
        return None
    if name is not None and not name.lower().endswith(".pdf"):
        name += ".pdf"
    folder = documents.absolute_path(path) if path else file.parent if file else None
    if folder is None:
        message = f"{model.Title} has never been saved, so there is no folder for its PDF."
        raise ToolError(message, code="no_file", hint="Give output_path.")
    if folder.is_dir():
        return str(folder / (name or f"{file.stem if file else model.Title}.pdf"))
    if name not in (None, folder.name):
        hint = "Give a folder as output_path, or the whole path without output_filename."
        raise ToolError(f"No such folder: {folder}.", code="not_found", hint=hint)
    return str(folder)
