"""Agreement of judges with people: values worked out by hand, and properties."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.host.report.agreement import (
    Confusion,
    any_agrees,
    confusion,
    kendall_tau_b,
    majority,
    mcnemar_exact,
)
from tests.support.tables import every_case

VERDICTS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)


def test_a_confusion_by_hand() -> None:
    people = [True, True, True, False, False]
    judge = [True, True, False, True, False]
    counts = confusion(people, judge)
    assert counts == Confusion(tp=2, fp=1, fn=1, tn=1)
    assert (counts.n, counts.agreement, counts.success) == (5, 0.6, 0.6)
    assert (counts.precision, counts.recall, counts.f1) == (2 / 3, 2 / 3, 2 / 3)
    low, high = counts.agreement_interval
    assert (round(low, 4), round(high, 4)) == (0.2307, 0.8824)


def test_shares_without_a_denominator_are_none() -> None:
    counts = confusion([False], [False])
    assert (counts.precision, counts.recall, counts.f1, counts.f1_interval()) == (None,) * 4
    with pytest.raises(ValueError, match="no trials"):
        confusion([], [])
    with pytest.raises(ValueError, match="shorter"):
        confusion([True, False], [True])


@given(VERDICTS)
def test_f1_lies_between_precision_and_recall_and_in_its_interval(
    pairs: list[tuple[bool, bool]],
) -> None:
    counts = confusion([a for a, _ in pairs], [b for _, b in pairs])
    interval = counts.f1_interval(resamples=200)
    if counts.f1 is None or interval is None:
        assert counts.f1 is None
        assert interval is None
        return
    both = [share for share in (counts.precision, counts.recall) if share is not None]
    if len(both) == 2:
        assert min(both) - 1e-9 <= counts.f1 <= max(both) + 1e-9
    assert 0 <= interval[0] <= interval[1] <= 1
    if counts.fp == counts.fn == 0:
        assert interval == (1, 1)


def test_votes_are_counted_by_trial() -> None:
    judges = [[True, True, False], [True, False, False], [True, False, True], [False, False, True]]
    assert majority(judges) == [True, False, False]
    assert majority(judges, 2) == [True, False, True]
    assert any_agrees([False, True, False], judges) == [True, True, True]
    assert any_agrees([False], [[True], [True]]) == [False]


@every_case(
    ("first", "second", "tau"),
    [
        ([1, 2, 3], [10, 20, 30], 1.0),
        ([1, 2, 3], [3, 2, 1], -1.0),
        # 5 pairs agree, none disagrees, one is tied on the right: 5 / sqrt(6 * 5)
        ([1, 2, 3, 4], [1, 2, 2, 3], 5 / 30**0.5),
    ],
)
def test_tau_b_by_hand(first: list[float], second: list[float], tau: float) -> None:
    assert kendall_tau_b(first, second).tau_b == pytest.approx(tau)


@every_case(("first", "second"), [([1, 2], [1, 1]), ([1], [1]), ([1, 2], [1, 2, 3])])
def test_a_rank_correlation_of_constant_or_unequal_lists_is_refused(
    first: list[float], second: list[float]
) -> None:
    with pytest.raises(ValueError, match="same length that vary"):
        kendall_tau_b(first, second)


@given(VERDICTS)
def test_mcnemar_is_the_binomial_test_of_the_pairs_that_differ(
    pairs: list[tuple[bool, bool]],
) -> None:
    test = mcnemar_exact(pairs)
    n, k = test.only_first + test.only_second, min(test.only_first, test.only_second)
    assert n == sum(a is not b for a, b in pairs)
    expected = min(1.0, 2 * sum(comb(n, i) for i in range(k + 1)) / 2**n)
    assert test.p == pytest.approx(expected)
