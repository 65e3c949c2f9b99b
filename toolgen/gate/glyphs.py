"""What a reviewer sees of a draft is what Python reads: no mark that reorders a line, no letter
that looks like another one, no comment that silences a check."""

from __future__ import annotations

import io
import re
import tokenize
import unicodedata
from collections.abc import Iterator

from ambidex.toolgen import Finding

__all__ = ["LONGEST", "as_seen"]

LONGEST = 200_000
"""Characters of a draft."""
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Kinds of characters that show nothing, or change how others show."""
SILENCES = re.compile(
    r"#\s*(?:type:\s*ignore|mypy\s*:|noqa|flake8|ruff\s*:|pylint\s*:|fmt\s*:|isort\s*:|pragma|pyright\s*:"
    r"|nosec|yapf\s*:|pytype\s*:|pyre-)",
    re.IGNORECASE,
)
COOKIE = re.compile(r"#.*coding[:=]", re.IGNORECASE)


def as_seen(text: str) -> Iterator[Finding]:
    """Every finding on the characters and comments of a draft."""
    if len(text) > LONGEST:
        yield Finding(1, "size", f"{len(text)} characters: at most {LONGEST}")
        return
    for number, line in enumerate(text.split("\n"), 1):
        for each in line:
            if each != "\t" and unicodedata.category(each) in UNSEEN:
                said = f"U+{ord(each):04X} {unicodedata.name(each, 'is no character')} is not seen"
                yield Finding(number, "unseen", said)
                break
        if number <= 2 and COOKIE.search(line):
            yield Finding(number, "encoding", "a tool is UTF-8 and says nothing of it")
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME and not token.string.isascii():
                yield Finding(token.start[0], "letters", f"a name is ASCII: {token.string!a}")
            if token.type == tokenize.COMMENT and SILENCES.match(token.string):
                yield Finding(token.start[0], "silences", f"a check is silenced: {token.string!a}")
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        return  # the parser says what is wrong
