"""Tools for comments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.passages import (
    TEXT,
    Indices,
    Pattern,
    Regular,
    cursor_at,
    find_ranges,
    paragraphs_at,
)
from ambidex.mcp_tools.writer import app

__all__ = ["app"]


@dataclass(frozen=True)
class Comment:
    """A comment; `about` is the text it refers to, empty if it is attached to a point."""

    author: str
    text: str
    about: str
    date: str
    resolved: bool


def _comments(model: Any) -> list[Comment]:
    fields = model.TextFields.createEnumeration()
    comments = []
    while fields.hasMoreElements():
        field = fields.nextElement()
        if field.supportsService("com.sun.star.text.textfield.Annotation"):
            time = field.DateTimeValue
            date = f"{time.Year:04}-{time.Month:02}-{time.Day:02} {time.Hours:02}:{time.Minutes:02}"
            about = field.Anchor.String
            comments.append(Comment(field.Author, field.Content, about, date, field.Resolved))
    return comments


@app.tool(reads_only=True, timeout=60)
def get_comments(document: Document = None) -> list[Comment]:
    """Read the comments (annotations, reviewers' remarks) of a document: list author, date, text
    and what they refer to.
    """
    model = documents.find(TEXT, document)
    with connection.uno_errors():
        return _comments(model)


@app.tool(timeout=60)
def add_comment(
    text: Annotated[str, Field(min_length=1, description="what the comment says")],
    pattern: Pattern = None,
    paragraph_indices: Indices = None,
    author: Annotated[str, Field(description="name shown with it")] = "Unknown Author",
    regular_expression: Regular = True,
    document: Document = None,
) -> int:
    """Add a comment (reviewer's remark in the margin) on a sentence matched by `pattern`, else on
    paragraphs, else at the cursor. The text stays unchanged. Returns how many were added.
    """
    model = documents.find(TEXT, document)
    with documents.editing(model, "Comment"):
        before = len(_comments(model))
        if pattern is not None:
            ranges = find_ranges(model, pattern, paragraph_indices, regular_expression)
        elif paragraph_indices:
            ranges = paragraphs_at(model, paragraph_indices)
        else:
            ranges = [cursor_at(model, "cursor")]
        for text_range in ranges:
            comment = model.createInstance("com.sun.star.text.textfield.Annotation")
            comment.Author, comment.Content = author, text
            comment.DateTimeValue = _now()
            # LibreOffice rejects a range whose cursor is not at its end.
            cursor = text_range.Text.createTextCursorByRange(text_range.getStart())
            cursor.gotoRange(text_range.getEnd(), True)
            cursor.Text.insertTextContent(cursor, comment, not cursor.isCollapsed())
        added = len(_comments(model)) - before
        if added != len(ranges):
            message = f"Only {added} of {len(ranges)} comments could be added, so none was."
            hint = "Headers, footers and footnotes cannot have comments."
            raise ToolError(message, code="refused", hint=hint)
    return added


def _now() -> object:
    import uno

    now, date_time = datetime.now(), uno.createUnoStruct("com.sun.star.util.DateTime")
    date_time.Year, date_time.Month, date_time.Day = now.year, now.month, now.day
    date_time.Hours, date_time.Minutes, date_time.Seconds = now.hour, now.minute, now.second
    return date_time
