"""The released script's metrics against values computed by hand from its description."""

from __future__ import annotations

import pytest

from ambidex.host.report.metrics import summarize
from ambidex.host.report.released_script import has_a_one, released
from tests.support.played import row


@pytest.mark.parametrize(
    ("score", "solved"),
    [(1.0, True), (0.1, True), (0.31, True), (0.5, False), (0.98, False), (0.0, False)],
)
def test_a_score_whose_text_holds_a_one_is_solved(score: float, solved: bool) -> None:
    assert has_a_one(score) is solved


ROWS = [
    row("a", beneficial=True, score=1, tool=1, steps=4),
    row("b", beneficial=True, score=0.1, tool=1, steps=6),  # "0.1": solved
    row("c", beneficial=True, score=0.5, tool=1, steps=15),  # not
    row("d", beneficial=False, score=1, gui=1, steps=5),
    row("e", beneficial=False, score=1, tool=1, steps=5),  # a tool call: the point is lost
    row("f", beneficial=False, score=None, fate="void"),  # no result
]


def test_partial_credit_and_missing_results_count_as_in_the_script() -> None:
    helped, other, both = released(ROWS, "abcdef")
    assert helped.accuracy == pytest.approx((1 + 0.1 + 0.5) / 3)
    assert other.accuracy == pytest.approx((1 + 1) / 2)  # f is left out
    assert both.accuracy == pytest.approx(3.6 / 5)
    assert (helped.acs, other.acs, both.acs) == (25 / 3, 10 / 2, 35 / 5)


def test_tir_is_over_the_full_lists_however_little_was_run() -> None:
    helped, other, both = released(ROWS, "abcdefgh")  # g and h: never begun
    assert helped.tir == pytest.approx(2 / 3)  # a and b
    assert other.tir == pytest.approx(1 / 3)  # d, of d, e and f
    assert both.tir == pytest.approx(3 / 8)
    assert (both.listed, both.unknown) == (8, 2)


def test_a_gui_run_has_a_tir_in_the_script_and_none_here() -> None:
    rows = [row("d", beneficial=False, score=1, gui=1, condition="gui")]
    assert released(rows, "d")[2].tir == 1.0
    assert summarize(rows).groups[2].tir is None


def test_of_several_trials_the_mean_is_taken() -> None:
    rows = [
        row("a", beneficial=True, score=1, tool=1, steps=2, trial=1),
        row("a", beneficial=True, score=0, tool=1, steps=8, trial=2),
    ]
    both = released(rows, "a")[2]
    assert (both.trials, both.accuracy, both.tir, both.acs) == (2, 1 / 2, 1 / 2, 5.0)


def test_without_results_there_are_no_metrics() -> None:
    empty = released([], ())[0]
    assert (empty.accuracy, empty.tir, empty.acs) == (None, None, None)
