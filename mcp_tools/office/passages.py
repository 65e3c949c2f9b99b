"""Locating paragraphs, matches and positions in a Writer document."""

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
    "apply_style",
    "cursor_at",
    "enum",
    "expand",
    "find_ranges",
    "paragraphs_at",
    "paragraphs_of",
    "replace_match",
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
    """The paragraphs of a document's body in order, without those in tables."""
    content = model.Text.createEnumeration()
    while content.hasMoreElements():
        element = content.nextElement()
        if element.supportsService("com.sun.star.text.Paragraph"):
            yield element


def paragraphs_at(model: Any, indices: Optional[list[int]]) -> list[Any]:
    """The paragraphs with these indices, or all; `ToolError` names the last valid index."""
    paragraphs = list(paragraphs_of(model))
    invalid = [index for index in indices or () if index >= len(paragraphs)]
    if invalid:
        hint = f"Paragraphs are numbered from 0 to {len(paragraphs) - 1}."
        raise ToolError(f"No such paragraph: {invalid[0]}.", code="no_paragraph", hint=hint)
    return [paragraphs[index] for index in dict.fromkeys(indices)] if indices else paragraphs


def to_icu(pattern: str) -> str:
    """Translate named groups of a regular expression from Python's syntax to LibreOffice's."""
    return re.sub(r"\(\?P=(\w+)\)", r"\\k<\1>", pattern.replace("(?P<", "(?<"))


def find_all(model: Any, pattern: str, regular: bool) -> list[Any]:
    """All matches in a document, including tables, headers, notes and frames."""
    descriptor = model.createSearchDescriptor()
    descriptor.SearchString = to_icu(pattern) if regular else pattern
    descriptor.SearchCaseSensitive, descriptor.SearchRegularExpression = True, regular
    results = model.findAll(descriptor)
    return [results.getByIndex(i) for i in range(results.getCount())]


def find_ranges(model: Any, pattern: str, indices: Optional[list[int]], regular: bool) -> list[Any]:
    """Matches in the given paragraphs, or anywhere; `ToolError` if there are none."""
    ranges = all_ranges = find_all(model, pattern, regular)
    if indices:
        starts = [match.getStart() for match in paragraphs_at(model, indices)]
        ranges = [match for match in ranges if _begins_in(model.Text, match, starts)]
    if not ranges:
        raise _not_found(model, pattern, indices, regular, bool(all_ranges))
    return ranges


def _not_found(
    model: Any, pattern: str, indices: Optional[list[int]], regular: bool, elsewhere: bool
) -> ToolError:
    if regular and not elsewhere:
        if find_all(model, pattern, False):
            hint = "It occurs as plain text: pass regular_expression=false."
            message = f"The regular expression {pattern!r} has no match."
            return ToolError(message, code="not_found", hint=hint)
        try:
            re.compile(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            message = f"Not a regular expression: {pattern!r:.200} ({error})."
            return ToolError(message, code="bad_pattern", hint="Escape ( [ { * + ? | with \\.")
    where = f" in paragraphs {indices}" if indices else ""
    hint = "It occurs elsewhere in the document." if elsewhere else "The search is case-sensitive."
    return ToolError(f"The text {pattern!r} was not found{where}.", code="not_found", hint=hint)


def _begins_in(text: Any, match: Any, starts: list[Any]) -> bool:
    cursor = match.Text.createTextCursorByRange(match.getStart())
    if cursor.Text != text:  # in a table or a header, whose paragraphs have no index
        return False
    cursor.gotoStartOfParagraph(False)
    return any(text.compareRegionStarts(cursor, start) == 0 for start in starts)


GROUP = re.compile(r"\\(\\|g<(\w+)>|[0-9])")


def expand(match: Any, pattern: str, replacement: str) -> str:
    """Expand group references in a replacement with the groups of a match."""
    if not GROUP.search(replacement):
        return replacement
    groups = _group_texts(match, to_icu(pattern))

    def group_text(part: re.Match[str]) -> str:
        name = part[2] or part[1]
        if name == "\\":
            return name
        if not name.isdigit():  # LibreOffice reports groups by number only
            try:
                name = str(re.compile(pattern).groupindex[name])
            except (re.error, RecursionError, OverflowError, KeyError):
                message = f"No group {name!r} in {pattern!r}."
                raise ToolError(
                    message, code="bad_pattern", hint="Use numbers, such as \\1."
                ) from None
        if int(name) >= len(groups):
            message = f"No group {name} in {pattern!r}."
            raise ToolError(message, code="bad_pattern", hint=f"It has {len(groups) - 1} groups.")
        return groups[int(name)]

    return GROUP.sub(group_text, replacement)


def replace_match(match: Any, text: str) -> None:
    """Replace a match with text in the format of its beginning."""
    text = text.replace("\r\n", "\n").replace("\n", "\r")
    if match.String == "\n" and text:  # `$` matches the end of a paragraph, which has to stay
        match.Text.insertString(match.getStart(), text, False)
    else:
        match.setString(text)


def _group_texts(match: Any, pattern: str) -> list[str]:
    """Texts of the groups of a match; the first one is the whole match."""
    import uno

    cursor = match.Text.createTextCursorByRange(match.getStart())
    cursor.gotoStartOfParagraph(True)
    offset = len(_utf16(cursor.String)) // 2
    cursor.gotoEndOfParagraph(False)
    cursor.gotoStartOfParagraph(True)
    text = _utf16(cursor.String)
    options = uno.createUnoStruct("com.sun.star.util.SearchOptions2")
    options.AlgorithmType2, options.searchString = 2, pattern  # 2 is a regular expression
    search = connection.service("com.sun.star.util.TextSearch2")
    search.setOptions2(options)
    result = search.searchForward(cursor.String, offset, len(text) // 2)
    spans = list(zip(result.startOffset, result.endOffset, strict=True))
    groups = [text[2 * max(a, 0) : 2 * max(b, 0)].decode("utf-16-le") for a, b in spans]
    if not groups or groups[0] != match.String:
        message = f"Cannot determine the groups in {match.String!r}."
        raise ToolError(message, code="refused", hint="Use a replacement without groups.")
    return groups


def _utf16(text: str) -> bytes:
    """Encode text as UTF-16: LibreOffice counts in units of two bytes."""
    return text.encode("utf-16-le", "surrogatepass")


def target_ranges(
    model: Any, pattern: Optional[str], indices: Optional[list[int]], regular: bool
) -> list[Any]:
    """The ranges that a formatting tool changes: matches, paragraphs, or the text as one range."""
    if pattern is not None:
        return find_ranges(model, pattern, indices, regular)
    if indices:
        return paragraphs_at(model, indices)
    cursor = model.Text.createTextCursor()
    cursor.gotoStart(False)
    table = cursor.TextTable
    cursor.gotoEnd(True)
    # A table at either end would trap the cursor.
    return paragraphs_at(model, None) if table or cursor.TextTable else [cursor]


def cursor_at(model: Any, position: str) -> Any:
    """A text cursor at "cursor", "start" or "end"."""
    if position == "cursor":
        view = model.getCurrentController().getViewCursor()
        return view.Text.createTextCursorByRange(view.getEnd())
    text = model.Text
    cursor = text.createTextCursor()
    (cursor.gotoStart if position == "start" else cursor.gotoEnd)(False)
    if cursor.TextTable:  # a table at the start or end: text needs a paragraph there
        insert = "Before" if position == "start" else "After"
        paragraph = model.createInstance("com.sun.star.text.Paragraph")
        getattr(text, f"insertTextContent{insert}")(paragraph, cursor.TextTable)
        (cursor.gotoStart if position == "start" else cursor.gotoEnd)(False)
    return cursor


def apply_style(
    step: str,
    document: Optional[str],
    pattern: Optional[str],
    indices: Optional[list[int]],
    properties: dict[str, object],
    regular: bool = True,
) -> int:
    """Set properties of text ranges as one undo step; return the number of ranges."""
    model = documents.find(TEXT, document)
    with documents.editing(model, step):
        ranges = target_ranges(model, pattern, indices, regular)
        for text_range in ranges:
            for name, value in properties.items():
                text_range.setPropertyValue(name, value)
    return len(ranges)


def enum(kind: str, name: str) -> object:
    """A value of a UNO enumeration."""
    import uno

    return uno.Enum(kind, name)
