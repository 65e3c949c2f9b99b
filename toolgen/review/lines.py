"""Code as the review page displays it: lines of highlighted words, alone or compared with an
earlier draft. The page receives words, never markup, because a model wrote the code."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from pygments.lexers.python import PythonLexer
from pygments.token import STANDARD_TYPES, _TokenType

__all__ = ["Line", "diff_lines", "highlight"]

Words = list[tuple[str, str]]
"""(kind, text): kinds are the classes of Pygments' style sheets, such as `k` for a keyword."""
CONTEXT_LINES = 3
"""Unchanged lines shown before and after a change."""


@dataclass(frozen=True)
class Line:
    """A line of a comparison. Its sign says where it occurs: in both texts (a space), only in the
    earlier (`-`), or only in the later (`+`). `@` stands for omitted lines."""

    sign: str
    earlier: int | None
    later: int | None
    words: Words


def highlight(text: str) -> list[Words]:
    """Split Python code into lines of highlighted words."""
    lines: list[Words] = [[]]
    for kind, value in PythonLexer(stripnl=False).get_tokens(text):
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if part:
                lines[-1].append((_css_class(kind), part))
    while lines and not lines[-1]:
        lines.pop()
    return lines


def diff_lines(earlier: str, later: str) -> list[Line]:
    """Compare two versions of a Python text; empty if they are equal."""
    old, new = highlight(earlier), highlight(later)
    matcher = difflib.SequenceMatcher(None, _plain_texts(old), _plain_texts(new), autojunk=False)
    lines: list[Line] = []
    for group in matcher.get_grouped_opcodes(CONTEXT_LINES):
        if group[0][1] or group[0][3]:
            lines.append(Line("@", None, None, []))
        for kind, i1, i2, j1, j2 in group:
            if kind == "equal":
                lines += [
                    Line(" ", i + 1, j + 1, new[j])
                    for i, j in zip(range(i1, i2), range(j1, j2), strict=True)
                ]
                continue
            lines += [Line("-", i + 1, None, old[i]) for i in range(i1, i2)]
            lines += [Line("+", None, j + 1, new[j]) for j in range(j1, j2)]
    return lines


def _plain_texts(lines: Sequence[Words]) -> list[str]:
    return ["".join(text for _, text in words) for words in lines]


def _css_class(kind: _TokenType) -> str:
    known: _TokenType | None = kind
    while known is not None and known not in STANDARD_TYPES:
        known = known.parent
    return STANDARD_TYPES[known] if known is not None else ""
