"""LibreOffice Writer: comments at the margin."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.passages import TEXT, Indices, Pattern, Regular, chosen, found, place
from ambidex.mcp_tools.writer import app

__all__ = ["app"]


@dataclass(frozen=True)
class Comment:
    """A comment and the text it belongs to, which is empty where it marks a point."""

    author: str
    text: str
    about: str
    date: str
    resolved: bool


def _comments(model: Any) -> list[Comment]:
    fields = model.TextFields.createEnumeration()
    listed = []
    while fields.hasMoreElements():
        each = fields.nextElement()
        if each.supportsService("com.sun.star.text.textfield.Annotation"):
            at = each.DateTimeValue
            date = f"{at.Year:04}-{at.Month:02}-{at.Day:02} {at.Hours:02}:{at.Minutes:02}"
            about = each.Anchor.String
            listed.append(Comment(each.Author, each.Content, about, date, each.Resolved))
    return listed


@app.tool(reads_only=True, timeout=60)
def get_comments(document: Document = None) -> list[Comment]:
    """Read the comments (annotations, reviewers' remarks) of a document: list author, date, text
    and what they refer to.
    """
    model = documents.find(TEXT, document)
    with connection.answering():
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
            places = found(model, pattern, paragraph_indices, regular_expression)
        elif paragraph_indices:
            places = chosen(model, paragraph_indices)
        else:
            places = [place(model, "cursor")]
        for each in places:
            made = model.createInstance("com.sun.star.text.textfield.Annotation")
            made.Author, made.Content = author, text
            made.DateTimeValue = _now()
            # LibreOffice refuses a range whose cursor does not stand at its end.
            cursor = each.Text.createTextCursorByRange(each.getStart())
            cursor.gotoRange(each.getEnd(), True)
            cursor.Text.insertTextContent(cursor, made, not cursor.isCollapsed())
        added = len(_comments(model)) - before
        if added != len(places):
            message = f"{added} of {len(places)} comments could be added; none was kept."
            hint = "Headers, footers and notes take none."
            raise ToolError(message, code="refused", hint=hint)
    return added


def _now() -> object:
    import uno

    now, value = datetime.now(), uno.createUnoStruct("com.sun.star.util.DateTime")
    value.Year, value.Month, value.Day = now.year, now.month, now.day
    value.Hours, value.Minutes, value.Seconds = now.hour, now.minute, now.second
    return value
