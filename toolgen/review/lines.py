"""Code as a page shows it: lines of coloured words, alone or beside those of an earlier draft. A
page gets words, never markup: what a model wrote is not to be trusted with that."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from pygments.lexers.python import PythonLexer
from pygments.token import STANDARD_TYPES, _TokenType

__all__ = ["Line", "coloured", "differences"]

Words = list[tuple[str, str]]
"""(kind, text): kinds as Pygments' style sheets call them, such as `k` for a keyword."""
AROUND = 3
"""Lines before and after a change that are shown with it."""


@dataclass(frozen=True)
class Line:
    """A line of a comparison: in both, in the earlier text only (`-`), in the later only (`+`), or
    the mark (`@`) of lines left out."""

    sign: str
    earlier: int | None
    later: int | None
    words: Words


def coloured(text: str) -> list[Words]:
    """The lines of a Python text."""
    lines: list[Words] = [[]]
    for kind, value in PythonLexer(stripnl=False).get_tokens(text):
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if part:
                lines[-1].append((_short(kind), part))
    while lines and not lines[-1]:
        lines.pop()
    return lines


def differences(earlier: str, later: str) -> list[Line]:
    """What a later text changed; empty where nothing."""
    old, new = coloured(earlier), coloured(later)
    matcher = difflib.SequenceMatcher(None, _plain(old), _plain(new), autojunk=False)
    found: list[Line] = []
    for group in matcher.get_grouped_opcodes(AROUND):
        if group[0][1] or group[0][3]:
            found.append(Line("@", None, None, []))
        for kind, i1, i2, j1, j2 in group:
            if kind == "equal":
                found += [
                    Line(" ", i + 1, j + 1, new[j])
                    for i, j in zip(range(i1, i2), range(j1, j2), strict=True)
                ]
                continue
            found += [Line("-", i + 1, None, old[i]) for i in range(i1, i2)]
            found += [Line("+", None, j + 1, new[j]) for j in range(j1, j2)]
    return found


def _plain(lines: Sequence[Words]) -> list[str]:
    return ["".join(text for _, text in words) for words in lines]


def _short(kind: _TokenType) -> str:
    at: _TokenType | None = kind
    while at is not None and at not in STANDARD_TYPES:
        at = at.parent
    return STANDARD_TYPES[at] if at is not None else ""
