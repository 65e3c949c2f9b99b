"""Parsing the format of page numbers, such as "Page 1 of N", into text and fields."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

from ambidex.mcp_tools import ToolError

__all__ = ["Part", "parts_of"]

PLACEHOLDER = re.compile(r"(\{page\}|\{total\}|\b(?:1|N|i|I)\b)")
ARABIC, ROMAN_UPPER, ROMAN_LOWER = 4, 2, 3
"""UNO's NumberingType constants."""
NUMBERING = {"i": ROMAN_LOWER, "I": ROMAN_UPPER}


@dataclass(frozen=True)
class Part:
    """Plain text, or a field with its numbering type."""

    text: str
    field: Optional[str] = None
    numbering: int = ARABIC


def parts_of(format: str) -> list[Part]:
    """Split a format into parts; `ToolError` if it has no placeholder for the page number."""
    parts = []
    for piece in PLACEHOLDER.split(format):
        if piece in ("{total}", "N"):
            parts.append(Part(piece, "PageCount"))
        elif PLACEHOLDER.fullmatch(piece):
            parts.append(Part(piece, "PageNumber", NUMBERING.get(piece, ARABIC)))
        elif piece:
            parts.append(Part(piece))
    if not any(part.field == "PageNumber" for part in parts):
        message = f"The page number is not in the format {format!r}."
        raise ToolError(message, code="bad_format", hint="Write it as 1, as in 'Page 1 of N'.")
    return parts
