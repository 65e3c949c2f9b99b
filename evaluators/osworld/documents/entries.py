"""Metrics on documents whose paragraphs are entries: place names, trains, references."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from typing_extensions import TypedDict

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld import given
from ambidex.evaluators.osworld.documents.documents import paragraphs, similarity
from ambidex.evaluators.osworld.documents.word import read_own_texts
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.osworld.text import squeezed
from ambidex.evaluators.values import shown, verdict


class Candidates(TypedDict):
    """Texts that each word is compared with."""

    expected: list[Any] | str


@metric(
    repairs=("Each expected place counts for one word only: upstream counts a place three times.",)
)
def fuzzy_place_math(result: Path, expected: Candidates, *, strict: bool) -> Score:
    """The document has exactly three words; the score is their mean similarity to the expected
    places."""
    words = " ".join(paragraphs(result, strict=False)).split()
    if len(words) != 3:
        return Score(0.0, f"there are {len(words)} words, not 3")
    places = expected["expected"]
    if not places:
        return Score(0.0, "there are no places to compare with")
    ratios = np.array([[_ratio(one, other) for other in places] for one in words])
    if strict:
        rows, columns = linear_sum_assignment(ratios, maximize=True)
        score = float(ratios[rows, columns].sum()) / 3
    else:
        score = float(ratios.max(axis=1).sum()) / 3
    return Score(min(score, 1.0), f"the similarity of the words to the places is {score:.3f}")


def _ratio(word: str, place: Any) -> float:
    """The similarity of word and place; 0 if the place is not a text. Upstream raises for
    numbers."""
    if isinstance(place, int | float):
        raise UpstreamRaisesError(f"{shown(place)} is not a text")
    return similarity(word, place) if isinstance(place, str) else 0.0


@metric()
def compare_unique_train_records(result: Path, expected: list[Path | None]) -> Score:
    """The document has only lines of the original (the second file), as many as the expected one
    (the first), and exactly the train numbers of the expected one, each once."""
    if not isinstance(expected, list) or len(expected) < 2:
        raise UnreadableError("needs two files to compare with: the expected one and the original")
    actual, target, original = (
        [text.strip() for text in read_own_texts(file) if text.strip()]
        for file in (result, *expected[:2])
    )
    wrong = [f"{shown(line)} is not in the original" for line in set(actual) - set(original)]
    trains, required = _trains(actual), _trains(target)
    wrong += [
        f"train {train} is listed twice"
        for train in {name for name in trains if trains.count(name) > 1}
    ]
    if set(trains) != set(required):
        wrong.append(
            f"the trains are {shown(sorted(set(trains)))}, not {shown(sorted(set(required)))}"
        )
    if len(actual) != len(target):
        wrong.append(f"there are {len(actual)} lines, not {len(target)}")
    return verdict(wrong, f"all {len(required)} trains are listed once")


def _trains(lines: list[str]) -> list[str]:
    return [line.split(",")[1].strip() for line in lines if line.count(",") == 3]


@metric(
    repairs=(
        "`content_only` collapses white space, as it does elsewhere: upstream ignores "
        "`content_only`, though the task sets it.",
        "Documents of both formats can be compared: upstream scores 0 unless both are docx.",
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
    """Equally many entries follow the paragraph "References"; the score is their similarity, with
    the range from `reference_base_result` to 1 mapped to 0…1."""
    if not strict and {given.file(file).suffix for file in (result, expected)} != {".docx"}:
        return Score(0.0, "upstream compares only docx files")
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
        raise UpstreamRaisesError("there are no entries to average over")
    if strict and content_only:
        actual, target = (
            [squeezed(entry) for entry in actual],
            [squeezed(entry) for entry in target],
        )
    ratio = sum(similarity(one, other) for one, other in zip(actual, target, strict=True)) / len(
        target
    )
    base = reference_base_result
    if base == 1:
        return Score(0.0, "no similarity exceeds 1")
    score = (ratio - base) / (1 - base) if ratio >= base + 0.01 else 0.0
    return Score(min(score, 1.0), f"the similarity of the entries is {ratio:.3f} (0 at {base})")


def _entries(paragraphs: list[str], indicator: str | None) -> list[str] | None:
    if indicator not in paragraphs:
        return None
    return [
        paragraph
        for paragraph in paragraphs[paragraphs.index(indicator) + 1 :]
        if paragraph.strip()
    ]
