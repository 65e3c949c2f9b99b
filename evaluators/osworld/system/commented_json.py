"""JSON as VS Code accepts it: with comments and trailing commas."""

from __future__ import annotations

import re

__all__ = ["without_comments"]

TEXT = r'"(?:[^"\\]|\\.)*"'
COMMENT = r"//[^\n]*|/\*.*?\*/"
SKIPPED = re.compile(rf"({TEXT})|{COMMENT}", re.DOTALL)
COMMA = re.compile(rf"({TEXT})|,(?=\s*[\]}}])", re.DOTALL)


def without_comments(source: str) -> str:
    """Convert to strict JSON by removing comments and trailing commas; string contents are kept."""
    plain = SKIPPED.sub(lambda match: match[1] or " ", source.removeprefix("\ufeff"))
    return COMMA.sub(lambda match: match[1] or "", plain)
