"""Passages of a Writer document: how tools name them, and where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.office import connection, documents

__all__ = [
    "TEXT",
    "Indices",
    "Pattern",
    "Position",
    "Regular",
    "chosen",
    "enum",
    "expanded",
    "found",
    "paragraphs_of",
    "place",
    "put",
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
    Field(description="indices from 0, counting empty paragraphs but not tables; default: all"),
]
Pattern = Annotated[
    Optional[str],
    Field(
        min_length=1,
        description="only where this regular expression matches in a paragraph; case-sensitive",
    ),
]
Regular = Annotated[bool, Field(description="false: pattern is plain text, even brackets and dots")]
Position = Annotated[
    Literal["cursor", "start", "end"],
    Field(description="at the text cursor, or the document's start or end"),
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
    return [every[each] for each in dict.fromkeys(indices)] if indices else every


def icu(pattern: str) -> str:
    """A regular expression with Python's names of groups, as LibreOffice reads it."""
    return re.sub(r"\(\?P=(\w+)\)", r"\\k<\1>", pattern.replace("(?P<", "(?<"))


def matches(model: Any, pattern: str, regular: bool) -> list[Any]:
    """Where it stands, anywhere: in tables, headers, notes and frames too."""
    asked = model.createSearchDescriptor()
    asked.SearchString = icu(pattern) if regular else pattern
    asked.SearchCaseSensitive, asked.SearchRegularExpression = True, regular
    everywhere = model.findAll(asked)
    return [everywhere.getByIndex(i) for i in range(everywhere.getCount())]


def found(model: Any, pattern: str, indices: Optional[list[int]], regular: bool) -> list[Any]:
    """Where the text stands, in these paragraphs or anywhere; `ToolError` if nowhere."""
    ranges = every = matches(model, pattern, regular)
    if indices:
        allowed = [each.getStart() for each in chosen(model, indices)]
        ranges = [each for each in ranges if _begins_in(model.Text, each, allowed)]
    if not ranges:
        raise _nowhere(model, pattern, indices, regular, bool(every))
    return ranges


def _nowhere(
    model: Any, pattern: str, indices: Optional[list[int]], regular: bool, elsewhere: bool
) -> ToolError:
    if regular and not elsewhere:
        if matches(model, pattern, False):
            hint = "It stands there as plain text: pass regular_expression=false."
            message = f"Nothing matches {pattern!r} as a regular expression."
            return ToolError(message, code="not_found", hint=hint)
        try:
            re.compile(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            message = f"{pattern!r:.200} is no regular expression: {error}."
            return ToolError(message, code="bad_pattern", hint="Escape ( [ { * + ? | with \\.")
    where = f" in paragraphs {indices}" if indices else ""
    hint = "It stands elsewhere in the document." if elsewhere else "Case matters."
    return ToolError(f"The text {pattern!r} was not found{where}.", code="not_found", hint=hint)


def _begins_in(text: Any, found: Any, starts: list[Any]) -> bool:
    cursor = found.Text.createTextCursorByRange(found.getStart())
    if cursor.Text != text:  # in a table or a header, which have no index
        return False
    cursor.gotoStartOfParagraph(False)
    return any(text.compareRegionStarts(cursor, start) == 0 for start in starts)


GROUP = re.compile(r"\\(\\|g<(\w+)>|[0-9])")


def expanded(found: Any, pattern: str, replacement: str) -> str:
    """The replacement with what the groups of the pattern hold in this match."""
    if not GROUP.search(replacement):
        return replacement
    groups = _groups(found, icu(pattern))

    def held(part: re.Match[str]) -> str:
        name = part[2] or part[1]
        if name == "\\":
            return name
        if not name.isdigit():  # LibreOffice tells groups by their number only
            try:
                name = str(re.compile(pattern).groupindex[name])
            except (re.error, RecursionError, OverflowError, KeyError):
                message = f"There is no group {name!r} in {pattern!r}."
                raise ToolError(message, code="bad_pattern", hint="Use \\1.") from None
        if int(name) >= len(groups):
            message = f"There is no group {name} in {pattern!r}."
            raise ToolError(message, code="bad_pattern", hint=f"There are {len(groups) - 1}.")
        return groups[int(name)]

    return GROUP.sub(held, replacement)


def put(found: Any, text: str) -> None:
    """Put text where the match stands, in the look of its beginning."""
    text = text.replace("\r\n", "\n").replace("\n", "\r")
    if found.String == "\n" and text:  # `$` finds the end of a paragraph, which stays
        found.Text.insertString(found.getStart(), text, False)
    else:
        found.setString(text)


def _groups(found: Any, pattern: str) -> list[str]:
    """What the groups of the pattern hold in this match, the whole first."""
    import uno

    cursor = found.Text.createTextCursorByRange(found.getStart())
    cursor.gotoStartOfParagraph(True)
    offset = len(_units(cursor.String)) // 2
    cursor.gotoEndOfParagraph(False)
    cursor.gotoStartOfParagraph(True)
    text = _units(cursor.String)
    options = uno.createUnoStruct("com.sun.star.util.SearchOptions2")
    options.AlgorithmType2, options.searchString = 2, pattern  # 2 is a regular expression
    search = connection.service("com.sun.star.util.TextSearch2")
    search.setOptions2(options)
    said = search.searchForward(cursor.String, offset, len(text) // 2)
    spans = list(zip(said.startOffset, said.endOffset, strict=True))
    groups = [text[2 * max(a, 0) : 2 * max(b, 0)].decode("utf-16-le") for a, b in spans]
    if not groups or groups[0] != found.String:
        message = f"The groups in {found.String!r} cannot be told."
        raise ToolError(message, code="refused", hint="Use a replacement without groups.")
    return groups


def _units(text: str) -> bytes:
    """Text as LibreOffice counts it: two bytes are one place."""
    return text.encode("utf-16-le", "surrogatepass")


def ranges(
    model: Any, pattern: Optional[str], indices: Optional[list[int]], regular: bool
) -> list[Any]:
    """Where a formatting tool works: found text, chosen paragraphs, or all in one range."""
    if pattern is not None:
        return found(model, pattern, indices, regular)
    if indices:
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
    regular: bool = True,
) -> int:
    """Give the text these properties, as one undo step; how many places that were."""
    model = documents.find(TEXT, document)
    with documents.editing(model, step):
        places = ranges(model, pattern, indices, regular)
        for each in places:
            for name, value in look.items():
                each.setPropertyValue(name, value)
    return len(places)


def enum(kind: str, name: str) -> object:
    """A value of one of UNO's enumerations."""
    import uno

    return uno.Enum(kind, name)
