"""Evaluator of the agent's answer in words (`answer.txt`)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ambidex.evaluators import Score
from ambidex.evaluators.evidence import MIB, read_text
from ambidex.evaluators.registry import evaluator
from ambidex.evaluators.values import shown, verdict

FILE = "answer.txt"
Spellings = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
GROUPED = re.compile(r"(?<=\d)[,'\u2019\u00a0\u202f ](?=\d{3}(?!\d))")
"""A separator of thousands."""


@evaluator
def states(
    evidence: Path,
    *,
    facts: Annotated[list[Spellings], Field(min_length=1)],
    absent: list[str] | None = None,
    longest: int = 2000,
) -> Score:
    """The agent's answer states each fact in one of its spellings, and nothing of `absent`.

    A spelling must occur as whole words or as a whole number: "12" is not in "112" or "12.5". Case,
    spaces, separators of thousands, and zeros at the end of a decimal fraction do not count. An
    answer of more than `longest` characters is refused, for it might list everything.
    """
    text = read_text(evidence, FILE, MIB)
    if len(text) > longest:
        return Score(0.0, f"the answer has {len(text)} characters, more than {longest}")
    said = _normalised(text)
    wrong = [
        f"the answer does not state {shown(spellings[0])}"
        for spellings in facts
        if not any(_occurs(spelling, said) for spelling in spellings)
    ]
    wrong += [f"the answer has {shown(word)}" for word in absent or [] if _occurs(word, said)]
    if wrong:
        wrong.append(f"it is {shown(text.strip())}")
    return verdict(wrong, f"the answer states all {len(facts)} facts")


def _normalised(text: str) -> str:
    text = GROUPED.sub("", " ".join(text.casefold().split()))
    return re.sub(r"(\d\.\d*?)0+(?!\d)", lambda found: found[1].rstrip("."), text)


def _occurs(spelling: str, said: str) -> bool:
    words = re.escape(_normalised(spelling))
    return bool(re.search(rf"(?<!\w)(?<!\d[.,]){words}(?!\w)(?![.,]\d)", said))
