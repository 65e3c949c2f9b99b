"""Passages of a Writer document: how tools name them, and where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from mcp_tools import ToolError, documents

__all__ = [
    "TEXT",
    "Indices",
    "Pattern",
    "Position",
    "chosen",
    "enum",
    "found",
    "paragraphs_of",
    "place",
    "styled",
]

TEXT = documents.Kind(
    "com.sun.star.text.TextDocument",
    "text document",
    {
        ".odt": "writer8",
        ".docx": "MS Word 2007 XML",
        ".doc": "MS Word 97",
        ".rtf": "Rich Text Format",
        ".txt": "Text",
        ".html": "HTML (StarWriter)",
    },
)
Indices = Annotated[
    Optional[list[Annotated[int, Field(ge=0)]]],
    Field(
        description="paragraphs, 0 is the first, empty ones count, tables do not; all if left out"
    ),
]
Pattern = Annotated[
    Optional[str], Field(min_length=1, description="only where this text stands; case matters")
]
Position = Annotated[
    Literal["cursor", "start", "end"],
    Field(description="at the blinking cursor, or the start or end of the document"),
]


def paragraphs_of(model: Any) -> Iterator[Any]:
    """The paragraphs of the document's own text, in order, without tables."""
    found = model.Text.createEnumeration()
    while found.hasMoreElements():
        each = found.nextElement()
        if each.supportsService("com.sun.star.text.Paragraph"):
            yield each


def chosen(model: Any, indices: Optional[list[int]]) -> list[Any]:
    """The paragraphs of these indices; `ToolError` names the last one there is."""
    every = list(paragraphs_of(model))
    wrong = [each for each in indices or () if each >= len(every)]
    if wrong:
        hint = f"They go from 0 to {len(every) - 1}."
        raise ToolError(f"There is no paragraph {wrong[0]}.", code="no_paragraph", hint=hint)
    return every if indices is None else [every[each] for each in indices]


def found(
    model: Any, pattern: str, indices: Optional[list[int]], regular: bool = False
) -> list[Any]:
    """Where the text stands, in these paragraphs or anywhere; `ToolError` if nowhere."""
    asked = model.createSearchDescriptor()
    asked.SearchString, asked.SearchCaseSensitive = pattern, True
    asked.SearchRegularExpression = regular
    everywhere = model.findAll(asked)
    ranges = [everywhere.getByIndex(i) for i in range(everywhere.getCount())]
    if indices is not None:
        allowed = [each.getStart() for each in chosen(model, indices)]
        ranges = [each for each in ranges if _begins_in(model.Text, each, allowed)]
    if not ranges:
        where = "" if indices is None else f" in paragraphs {indices}"
        raise ToolError(f"The text {pattern!r} was not found{where}.", code="not_found")
    return ranges


def _begins_in(text: Any, found: Any, starts: list[Any]) -> bool:
    cursor = found.Text.createTextCursorByRange(found.getStart())
    if cursor.Text != text:  # in a table or a header, which have no index
        return False
    cursor.gotoStartOfParagraph(False)
    return any(text.compareRegionStarts(cursor, start) == 0 for start in starts)


def ranges(model: Any, pattern: Optional[str], indices: Optional[list[int]]) -> list[Any]:
    """Where a formatting tool works: found text, chosen paragraphs, or all in one range."""
    if pattern is not None:
        return found(model, pattern, indices)
    if indices is not None:
        return chosen(model, indices)
    cursor = model.Text.createTextCursor()
    cursor.gotoStart(False)
    table = cursor.TextTable
    cursor.gotoEnd(True)
    # A table at either end would keep the cursor to itself.
    return chosen(model, None) if table or cursor.TextTable else [cursor]


def place(model: Any, position: str) -> Any:
    """A text cursor at that position."""
    if position == "cursor":
        view = model.getCurrentController().getViewCursor()
        return view.Text.createTextCursorByRange(view.getEnd())
    text = model.Text
    cursor = text.createTextCursor()
    (cursor.gotoStart if position == "start" else cursor.gotoEnd)(False)
    if cursor.TextTable:  # the document begins or ends with a table: text needs a paragraph
        insert = "Before" if position == "start" else "After"
        paragraph = model.createInstance("com.sun.star.text.Paragraph")
        getattr(text, f"insertTextContent{insert}")(paragraph, cursor.TextTable)
        (cursor.gotoStart if position == "start" else cursor.gotoEnd)(False)
    return cursor


def styled(
    step: str,
    document: Optional[str],
    pattern: Optional[str],
    indices: Optional[list[int]],
    look: dict[str, object],
) -> int:
    """Give the text these properties, as one undo step; how many places that were."""
    model = documents.find(TEXT, document)
    with documents.editing(model, step):
        places = ranges(model, pattern, indices)
        for each in places:
            for name, value in look.items():
                each.setPropertyValue(name, value)
    return len(places)


def enum(kind: str, name: str) -> object:
    """A value of one of UNO's enumerations."""
    import uno

    return uno.Enum(kind, name)
