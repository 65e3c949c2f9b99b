"""Checks that a reviewer sees the same text as Python: no invisible or reordering characters, no
letters that look like others, and no comments that silence a check."""

from __future__ import annotations

import io
import re
import tokenize
import unicodedata
from collections.abc import Iterator

from ambidex.toolgen import Finding

__all__ = ["LONGEST", "check_characters"]

LONGEST = 200_000
"""Maximum characters of a draft."""
INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of characters that are invisible or change how others are displayed."""
SILENCES = re.compile(
    r"#\s*(?:type:\s*ignore|mypy\s*:|noqa|flake8|ruff\s*:|pylint\s*:|fmt\s*:|isort\s*:|pragma|pyright\s*:"
    r"|nosec|yapf\s*:|pytype\s*:|pyre-)",
    re.IGNORECASE,
)
COOKIE = re.compile(r"#.*coding[:=]", re.IGNORECASE)


def check_characters(text: str) -> Iterator[Finding]:
    """All findings on the characters and comments of a draft."""
    if len(text) > LONGEST:
        yield Finding(1, "size", f"{len(text)} characters; the maximum is {LONGEST}")
        return
    for number, line in enumerate(text.split("\n"), 1):
        for character in line:
            if character != "\t" and unicodedata.category(character) in INVISIBLE:
                name = unicodedata.name(character, "(unassigned)")
                message = f"invisible character: U+{ord(character):04X} {name}"
                yield Finding(number, "unseen", message)
                break
        if number <= 2 and COOKIE.search(line):
            yield Finding(number, "encoding", "remove the encoding comment; tools are UTF-8")
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME and not token.string.isascii():
                message = f"names must be ASCII: {token.string!a}"
                yield Finding(token.start[0], "letters", message)
            if token.type == tokenize.COMMENT and SILENCES.match(token.string):
                message = f"comments must not silence a check: {token.string!a}"
                yield Finding(token.start[0], "silences", message)
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        return  # parsing the file reports the error
