"""Metrics on documents whose paragraphs are entries: places, trains, references."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from typing_extensions import TypedDict

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld import given
from ambidex.evaluators.osworld.documents.documents import alike, paragraphs
from ambidex.evaluators.osworld.documents.word import read_own_texts
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.osworld.text import squeezed
from ambidex.evaluators.values import shown, verdict


class Candidates(TypedDict):
    """Texts, one of which each word should be."""

    expected: list[Any] | str


@metric(
    repairs=(
        "Each expected place counts for one word only: upstream lets one place stand three times.",
    )
)
def fuzzy_place_math(result: Path, expected: Candidates, *, strict: bool) -> Score:
    """The document has exactly three words; the score is how alike they are to the expected
    places."""
    said = " ".join(paragraphs(result, strict=False)).split()
    if len(said) != 3:
        return Score(0.0, f"there are {len(said)} words, not 3")
    places = expected["expected"]
    if not places:
        return Score(0.0, "there are no places to compare with")
    ratios = np.array([[_near(one, other) for other in places] for one in said])
    if strict:
        rows, columns = linear_sum_assignment(ratios, maximize=True)
        found = float(ratios[rows, columns].sum()) / 3
    else:
        found = float(ratios.max(axis=1).sum()) / 3
    return Score(min(found, 1.0), f"the words are alike to the places by {found:.3f}")


def _near(word: str, place: Any) -> float:
    """How alike they are; what is no text is like none, and a number cannot be compared."""
    if isinstance(place, int | float):
        raise UpstreamRaisesError(f"{shown(place)} is no text")
    return alike(word, place) if isinstance(place, str) else 0.0


@metric()
def compare_unique_train_records(result: Path, expected: list[Path | None]) -> Score:
    """The document keeps lines of the original (the second file) only, as many as the expected one
    (the first) has, and of its records exactly the train numbers of that, each once."""
    if not isinstance(expected, list) or len(expected) < 2:
        raise UnreadableError(
            "two files are needed to compare with: the expected and the original one"
        )
    actual, target, original = (
        [text.strip() for text in read_own_texts(each) if text.strip()]
        for each in (result, *expected[:2])
    )
    wrong = [f"{shown(each)} is not in the original" for each in set(actual) - set(original)]
    trains, right = _trains(actual), _trains(target)
    wrong += [
        f"train {each} is listed twice" for each in {e for e in trains if trains.count(e) > 1}
    ]
    if set(trains) != set(right):
        wrong.append(
            f"the trains are {shown(sorted(set(trains)))}, not {shown(sorted(set(right)))}"
        )
    if len(actual) != len(target):
        wrong.append(f"there are {len(actual)} lines, not {len(target)}")
    return verdict(wrong, f"all {len(right)} trains are listed once")


def _trains(lines: list[str]) -> list[str]:
    return [line.split(",")[1].strip() for line in lines if line.count(",") == 3]


@metric(
    repairs=(
        "`content_only` takes runs of white space as one blank, as it does elsewhere: "
        "upstream does not read it, though the task gives it.",
        "Documents of both kinds can be compared: upstream gives 0 where one is no docx.",
    )
)
def compare_references(
    result: Path,
    expected: Path,
    *,
    reference_indicator: str | None = "References",
    reference_base_result: float = 0.5,
    content_only: bool = False,
    strict: bool,
) -> Score:
    """As many entries follow the paragraph "References"; the score is how alike they are, counted
    from `reference_base_result` to 1."""
    if not strict and {given.file(file).suffix for file in (result, expected)} != {".docx"}:
        return Score(0.0, "upstream compares docx files alone")
    actual, target = (
        _entries(paragraphs(file, strict=False), reference_indicator) for file in (result, expected)
    )
    if actual is None and target is None:
        return Score(1.0, f"neither document has a paragraph {reference_indicator!r}")
    if actual is None or target is None:
        return Score(0.0, f"one document has no paragraph {reference_indicator!r}")
    if len(actual) != len(target):
        return Score(0.0, f"there are {len(actual)} entries, not {len(target)}")
    if not target:
        raise UpstreamRaisesError("there are no entries, so no mean of them")
    if strict and content_only:
        actual, target = [squeezed(each) for each in actual], [squeezed(each) for each in target]
    ratio = sum(alike(one, other) for one, other in zip(actual, target, strict=True)) / len(target)
    base = reference_base_result
    if base == 1:
        return Score(0.0, "no likeness is beyond 1")
    found = (ratio - base) / (1 - base) if ratio >= base + 0.01 else 0.0
    return Score(min(found, 1.0), f"the entries are alike by {ratio:.3f}, from {base} on")


def _entries(paragraphs: list[str], indicator: str | None) -> list[str] | None:
    if indicator not in paragraphs:
        return None
    return [
        paragraph
        for paragraph in paragraphs[paragraphs.index(indicator) + 1 :]
        if paragraph.strip()
    ]
