"""JSON as VS Code writes and reads it: with comments and commas before a closing bracket."""

from __future__ import annotations

import re

__all__ = ["without_comments"]

TEXT = r'"(?:[^"\\]|\\.)*"'
COMMENT = r"//[^\n]*|/\*.*?\*/"
SKIPPED = re.compile(rf"({TEXT})|{COMMENT}", re.DOTALL)
COMMA = re.compile(rf"({TEXT})|,(?=\s*[\]}}])", re.DOTALL)


def without_comments(source: str) -> str:
    """The same as strict JSON; what stands in texts is kept."""
    plain = SKIPPED.sub(lambda found: found[1] or " ", source.removeprefix("\ufeff"))
    return COMMA.sub(lambda found: found[1] or "", plain)
