"""Presentations: texts, notes, hidden slides, and what else has changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pptx
import pytest
from pptx.util import Cm

from ambidex.evaluators import Score

Judge = Callable[..., Score]
SLIDES = [["Plan", "First", "Second"], ["Costs", "Rent", "900", "Tea", "12"]]


@pytest.fixture
def deck(tmp_path: Path) -> Any:
    """Two slides: bullets with notes, and a table."""
    made = pptx.Presentation()
    one = made.slides.add_slide(made.slide_layouts[1])
    one.shapes.title.text = "Plan"
    one.placeholders[1].text = "First\nSecond\n"
    one.notes_slide.notes_text_frame.text = "Speak slowly."
    two = made.slides.add_slide(made.slide_layouts[5])
    table = two.shapes.add_table(2, 2, Cm(2), Cm(5), Cm(10), Cm(4)).table
    for at, text in enumerate(("Rent", "900", "Tea", "12")):
        table.cell(at // 2, at % 2).text = text
    two.shapes.title.text = "Costs"
    made.save(str(tmp_path / "original.pptx"))
    made.save(str(tmp_path / "a.pptx"))
    return made


@pytest.mark.usefixtures("deck")
@pytest.mark.parametrize(
    ("slides", "score"),
    [
        (SLIDES, 1),
        (SLIDES[:1], 0),
        ([*SLIDES, ["End"]], 0),
        (SLIDES[::-1], 0),
        ([["Plan", "Second", "First"], SLIDES[1]], 0),
        ([SLIDES[0], ["Costs", "Rent", "900", "Tea", "13"]], 0),
    ],
)
def test_the_lines_of_all_slides_are_compared_in_order(
    judge: Judge, slides: list[list[str]], score: float
) -> None:
    assert judge("presentation.slides_equal", file="a.pptx", slides=slides).value == score


@pytest.mark.usefixtures("deck")
@pytest.mark.parametrize(
    ("notes", "score"),
    [
        ({"1": "Speak slowly.", "2": ""}, 1),
        ({"1": "Speak slowly"}, 0),
        ({"2": "x"}, 0),
        ({"3": ""}, 0),
    ],
)
def test_notes_belong_to_their_slides(judge: Judge, notes: dict[str, str], score: float) -> None:
    assert judge("presentation.notes_equal", file="a.pptx", notes=notes).value == score


def test_notes_may_be_broken_into_lines_elsewhere(judge: Judge, deck: Any, tmp_path: Path) -> None:
    def score(**given: object) -> float:
        return judge("presentation.notes_equal", file="a.pptx", **given).value

    deck.slides[0].notes_slide.notes_text_frame.text = "Speak\n\nslowly."
    deck.save(tmp_path / "a.pptx")
    assert score(notes={"1": "Speak slowly."}) == 0
    assert score(notes={"1": "Speak slowly."}, any_breaks=True) == 1
    assert score(notes={"1": "Speakslowly."}, any_breaks=True) == 0


@pytest.mark.parametrize(
    ("order", "slides", "score"),
    [
        ([2, 1], [2, 1], 1),
        ([2, 1], [1, 2], 0),
        ([2, 1], [[1, 2]], 1),
        ([2, 3], [[1, 2]], 0),
        ([2, 3], [2, 2], 1),
        ([1, 2], [1, 3], 0),
        ([1, 2], [[1, 2, 3]], 0),
        ([2], [2], 1),
        ([2], [2, 1], 0),
        ([1, 2], [1], 0),
    ],
)
def test_slides_are_taken_from_the_original_in_an_order(
    judge: Judge,
    deck: Any,
    tmp_path: Path,
    order: list[int],
    slides: list[int | list[int]],
    score: float,
) -> None:
    given = {"file": "a.pptx", "original": "original.pptx", "slides": slides}
    _arrange(deck, order).save(tmp_path / "a.pptx")
    assert judge("presentation.slides_taken", **given).value == score


def test_a_slide_that_was_taken_keeps_its_notes(judge: Judge, deck: Any, tmp_path: Path) -> None:
    deck.slides[0].notes_slide.notes_text_frame.text = "Speak fast."
    deck.save(tmp_path / "a.pptx")
    given = {"file": "a.pptx", "original": "original.pptx", "slides": [1, 2]}
    assert judge("presentation.slides_taken", **given).value == 0


def _arrange(deck: Any, order: list[int]) -> Any:
    """The deck with the slides of these numbers; a 3 stands for a copy of slide 2."""
    copy = deck.slides.add_slide(deck.slide_layouts[5])
    copy.shapes.title.text = "Costs"
    copy.shapes.add_textbox(0, 0, 9, 9).text_frame.text = "Rent\n900\nTea\n12"
    ids = deck.slides._sldIdLst
    numbered = list(ids)
    for item in numbered:
        ids.remove(item)
    for number in order:
        ids.append(numbered[number - 1])
    return deck


def test_exactly_the_named_slides_are_hidden(judge: Judge, deck: Any, tmp_path: Path) -> None:
    assert judge("presentation.hidden", file="a.pptx", slides=[]).value == 1
    deck.slides[1].element.set("show", "0")
    deck.save(tmp_path / "a.pptx")
    assert judge("presentation.hidden", file="a.pptx", slides=[2]).value == 1
    assert judge("presentation.hidden", file="a.pptx", slides=[]).value == 0
    assert judge("presentation.hidden", file="a.pptx", slides=[1, 2]).value == 0


def test_slides_that_were_not_named_must_be_as_before(
    judge: Judge, deck: Any, tmp_path: Path
) -> None:
    def unchanged(*changed: int) -> float:
        deck.save(tmp_path / "a.pptx")
        given = {"file": "a.pptx", "original": "original.pptx", "changed": [*changed]}
        return judge("presentation.rest_unchanged", **given).value

    assert unchanged() == 1
    deck.slides[1].shapes.title.text = "Expenses"
    assert (unchanged(), unchanged(2), unchanged(1)) == (0, 1, 0)
    deck.slides[0].notes_slide.notes_text_frame.text = "Speak fast."
    assert (unchanged(2), unchanged(1, 2)) == (0, 1)
    deck.slides.add_slide(deck.slide_layouts[6])
    assert unchanged(1, 2) == 0
