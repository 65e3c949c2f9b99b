"""What the line with a page number says, from the words a tool was given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

from ambidex.mcp_tools import ToolError

__all__ = ["Part", "parts_of"]

HOLE = re.compile(r"(\{page\}|\{total\}|\b(?:1|N|i|I)\b)")
ARABIC, ROMAN_UPPER, ROMAN_LOWER = 4, 2, 3
"""UNO's numbers of how numbers are written."""
NUMBERING = {"i": ROMAN_LOWER, "I": ROMAN_UPPER}


@dataclass(frozen=True)
class Part:
    """Plain text, or the field of that name, written in that numbering."""

    text: str
    field: Optional[str] = None
    numbering: int = ARABIC


def parts_of(format: str) -> list[Part]:
    """The line in order; `ToolError` if the number of the page is not in it."""
    parts = []
    for piece in HOLE.split(format):
        if piece in ("{total}", "N"):
            parts.append(Part(piece, "PageCount"))
        elif HOLE.fullmatch(piece):
            parts.append(Part(piece, "PageNumber", NUMBERING.get(piece, ARABIC)))
        elif piece:
            parts.append(Part(piece))
    if not any(part.field == "PageNumber" for part in parts):
        message = f"The number of the page is not in the format {format!r}."
        raise ToolError(message, code="bad_format", hint="Write 1 for it: 'Page 1 of N'.")
    return parts
