"""The evaluator of answers in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ambidex.evaluators import Score

Judge = Callable[..., Score]
FACTS = [["1240.50"], ["Brandt", "Brandt & Co"]]


def score(judge: Judge, folder: Path, text: str, **other: object) -> float:
    (folder / "answer.txt").write_text(text, encoding="utf-8")
    return judge("answer.states", **{"facts": FACTS, "absent": ["Keller"], **other}).value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Brandt owes 1240.50 euros.", 1),
        ("brandt & co:\n1,240.5", 1),
        ("1 240.50 €, BRANDT.", 1),
        ("It is 1240.5.  (Brandt)", 1),
        ("Brandt owes 11240.50", 0),
        ("Brandt owes 1240.55", 0),
        ("Brandt owes 240.50", 0),
        ("Brandtner owes 1240.50", 0),
        ("Brandt or Keller owes 1240.50", 0),
        ("1240.50", 0),
        ("", 0),
    ],
)
def test_each_fact_must_be_stated_as_a_whole(
    judge: Judge, tmp_path: Path, text: str, value: float
) -> None:
    assert score(judge, tmp_path, text) == value


@pytest.mark.parametrize(
    ("fact", "text", "value"),
    [
        ("12", "12 invoices", 1),
        ("12", "12, and no more", 1),
        ("12", "There are 12.", 1),
        ("12", "12.5", 0),
        ("12", "3.12", 0),
        ("12", "112", 0),
        ("12", "1,200 and 12,000", 0),
        ("2025-03-04", "on 2025-03-04", 1),
        ("B7", "in B7 and B70", 1),
        ("B7", "in B70", 0),
        ("100", "100", 1),
        ("100", "100.00 euros", 1),
        ("100", "1", 0),
    ],
)
def test_numbers_are_compared_whole(
    judge: Judge, tmp_path: Path, fact: str, text: str, value: float
) -> None:
    assert score(judge, tmp_path, text, facts=[[fact]]) == value


def test_no_answer_and_a_very_long_one_score_0(judge: Judge, tmp_path: Path) -> None:
    assert judge("answer.states", facts=FACTS).value == 0
    found = score(judge, tmp_path, "Brandt 1240.50 " * 200)
    assert found == 0


def test_the_reason_names_what_is_missing_and_shows_the_answer(
    judge: Judge, tmp_path: Path
) -> None:
    (tmp_path / "answer.txt").write_text("Keller")
    reason = judge("answer.states", facts=FACTS, absent=["Keller"]).reason
    assert "does not state '1240.50'" in reason
    assert "the answer has 'Keller'" in reason
