"""Points of checks: the formula, and TheMCPCompany's form of them."""

from __future__ import annotations

import pytest

from ambidex.evaluators import Points, UnreadableError
from ambidex.tasks.points import (
    read_checkpoints,
    score_of_points,
    value_of,
    written_checkpoints,
)
from tests.support.tables import every_case

DOCUMENT = {
    "checkpoints": [{"total": 2, "result": 2}, {"total": 3, "result": 1}],
    "final_score": {"total": 5, "result": 3},
}


def points(*pairs: tuple[int, int]) -> tuple[Points, ...]:
    return tuple(Points(f"part {n}", total, got) for n, (total, got) in enumerate(pairs, 1))


@every_case(
    ("pairs", "value"),
    [
        ([(2, 0), (3, 0)], 0.0),
        ([(2, 2), (3, 0)], 0.2),
        ([(2, 0), (3, 3)], 0.3),
        ([(2, 1), (3, 3)], 0.4),
        ([(2, 2), (3, 3)], 1.0),
        ([(1, 1)], 1.0),
        ([(0, 0)], 0.0),
        ([], 0.0),
    ],
)
def test_half_is_the_share_and_half_is_for_all(pairs: list[tuple[int, int]], value: float) -> None:
    assert value_of(points(*pairs)) == pytest.approx(value)


def test_a_score_says_which_points_were_missed_and_why() -> None:
    given = points((2, 2), (3, 0))
    score = score_of_points(given, ["fine", "the issue is open"])
    assert (score.value, score.points) == (0.2, given)
    assert score.reason == "2 of 5 points; part 2: the issue is open"


def test_checkpoints_are_read_and_written_in_the_original_s_form() -> None:
    read = read_checkpoints(DOCUMENT)
    assert [(one.total, one.reached) for one in read] == [(2, 2), (3, 1)]
    assert written_checkpoints(read) == DOCUMENT
    assert value_of(read) == pytest.approx(0.3)


@every_case(
    "change",
    [
        {"final_score": {"total": 5, "result": 4}},
        {"checkpoints": [{"total": 1, "result": 2}]},
        {"checkpoints": [{"total": -1, "result": 0}]},
        {"checkpoints": 1},
        {"more": 1},
    ],
)
def test_checkpoints_of_another_form_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(UnreadableError, match="not checkpoints"):
        read_checkpoints({**DOCUMENT, **change})
