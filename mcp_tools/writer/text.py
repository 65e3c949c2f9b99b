"""LibreOffice Writer: what open documents say, and changes to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from mcp_tools import ToolError
from mcp_tools.office import connection, documents
from mcp_tools.office.documents import Document, Saved
from mcp_tools.office.passages import (
    TEXT,
    Indices,
    Position,
    Regular,
    expanded,
    found,
    paragraphs_of,
    place,
    put,
)
from mcp_tools.office.text_formats import ALIGNMENTS, look
from mcp_tools.writer import app

LISTED = 300
"""Paragraphs that one call lists at most."""


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


@app.tool(timeout=documents.OPENS_WITHIN)
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
    with connection.answering():
        listed = []
        count = 0
        for count, each in enumerate(paragraphs_of(model), start=1):
            if count <= LISTED:
                adjust = ALIGNMENTS[each.ParaAdjust]
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
    with connection.answering():
        text: str = model.Text.String
    rest = len(text) - start - limit
    more = f"\n[{rest} more characters; go on with start={start + limit}]" if rest > 0 else ""
    return text[start : start + limit] + more


@app.tool()
def write_text(
    text: Annotated[str, Field(min_length=1, description="a newline begins a new paragraph")],
    position: Position = "cursor",
    bold: Annotated[Optional[bool], Field(description="as around it if left out")] = None,
    italic: Annotated[Optional[bool], Field(description="as around it if left out")] = None,
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
    """Replace text everywhere, tables, headers and notes included, or in some paragraphs; the look
    of the text stays. Returns how often; it is an error when the text is nowhere. For text with
    brackets, dots or other signs of regular expressions pass regular_expression=false.
    """
    model = documents.find(TEXT, document)
    with documents.editing(model, f"Replace {pattern}"):
        places = found(model, pattern, paragraph_indices, regular_expression)
        texts = [replacement] * len(places)
        if regular_expression:  # all of them, before the first changes what stands around others
            texts = [expanded(each, pattern, replacement) for each in places]
        for each, text in zip(places, texts, strict=True):
            put(each, text)
    return len(places)


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
    overwrite: Annotated[bool, Field(description="replace a file that is there")] = False,
    document: Document = None,
) -> Saved:
    """Save a document under another name; the window goes on with that file."""
    return documents.save_as(documents.find(TEXT, document), TEXT, file_path, overwrite)


QUALITIES: dict[str, dict[str, object]] = {
    "standard": {"Quality": 90, "ReduceImageResolution": True, "MaxImageResolution": 300},
    "high": {"Quality": 98, "ReduceImageResolution": False},
    "print": {"UseLosslessCompression": True, "ReduceImageResolution": False},
}


@app.tool(timeout=120)
def export_to_pdf(
    output_path: Annotated[
        Optional[str], Field(description="PDF file or folder; beside the document if left out")
    ] = None,
    output_filename: Annotated[
        Optional[str],
        Field(pattern="^[^/]+$", description="name in that folder; the document's if left out"),
    ] = None,
    include_comments: Annotated[bool, Field(description="as notes of the PDF")] = False,
    quality: Annotated[
        Literal["standard", "high", "print"],
        Field(description="of pictures: 300 dpi JPEG, full-size JPEG, or lossless"),
    ] = "standard",
    overwrite: Annotated[bool, Field(description="replace a file that is there")] = False,
    document: Document = None,
) -> Saved:
    """Write a document to a PDF; the document itself stays as it is."""
    model = documents.find(TEXT, document)
    path = _pdf_path(model, output_path, output_filename)
    options = {"ExportNotes": include_comments, **QUALITIES[quality]}
    return documents.export_pdf(model, "writer_pdf_Export", path, overwrite, options)


def _pdf_path(model: Any, path: Optional[str], name: Optional[str]) -> Optional[str]:
    """Where the PDF goes; None is beside the document."""
    own = documents.file_of(model)
    if path is None and name is None:
        return None
    if name is not None and not name.lower().endswith(".pdf"):
        name += ".pdf"
    where = documents.absolute(path) if path else own.parent if own else None
    if where is None:
        message = f"{model.Title} has never been saved, so there is no folder for its PDF."
        raise ToolError(message, code="no_file", hint="Give output_path.")
    if where.is_dir():
        return str(where / (name or f"{own.stem if own else model.Title}.pdf"))
    if name not in (None, where.name):
        hint = "Give a folder as output_path, or the whole path without output_filename."
        raise ToolError(f"There is no folder {where}.", code="not_found", hint=hint)
    return str(where)
