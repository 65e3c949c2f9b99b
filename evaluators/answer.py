"""Evaluators of what the agent answers in words (`answer.txt`)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ambidex.evaluators import Score
from ambidex.evaluators.evidence import read_text
from ambidex.evaluators.registry import EvidenceName, evaluator
from ambidex.evaluators.values import shown, verdict

__all__ = ["says"]

BETWEEN_DIGITS = re.compile(r"(?<=\d)[,\u202f\u00a0'](?=\d{3}(?!\d))")
"""Marks that group the digits of a number, as in 1,240 or 1'240."""


@evaluator
def says(
    evidence: Path,
    *,
    all: Annotated[list[str | list[str]], Field(min_length=1)],
    none: list[str] | None = None,
    longest: int = 400,
    file: EvidenceName = "answer.txt",
) -> Score:
    """The answer says each of these things and nothing of `none`, in at most `longest` characters.

    A thing is a text, or a list of texts of which one must occur. Texts are whole words: "7" is not
    in "17" or "7.5". Case, line breaks and the marks that group digits do not count.
    """
    answer = read_text(evidence, file)
    text = _plain(answer)
    wrong = [f"the answer has {len(answer)} characters, more than {longest}"]
    wrong = wrong if len(answer) > longest else []
    for thing in all:
        alternatives = [thing] if isinstance(thing, str) else thing
        if not any(_occurs(one, text) for one in alternatives):
            wrong.append(f"the answer does not say {' or '.join(map(shown, alternatives))}")
    wrong += [f"the answer says {shown(one)}" for one in none or [] if _occurs(one, text)]
    return verdict(wrong, "the answer says what it should")


def _plain(text: str) -> str:
    return BETWEEN_DIGITS.sub("", " ".join(text.split())).casefold()


def _occurs(part: str, text: str) -> bool:
    # A number goes on after a mark that digits follow; a sentence does not.
    return bool(re.search(rf"(?<![\w])(?<!\d[.,]){re.escape(_plain(part))}(?!\w|[.,]\d)", text))
