"""Repeats, resampling and the paired test: hand-computed values, and what must hold of any
numbers."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from ambidex.host.records.rows import Row
from ambidex.host.report import comparison
from ambidex.host.report.comparison import compare, identical, sign_flip
from ambidex.host.report.metrics import summarize
from ambidex.host.report.statistics import bootstrap, correlation, quotable, repeats, spread
from tests.support.played import row


def test_the_intervals_of_three_repeats() -> None:
    # Mean 41; deviations -1, 0, 1: s = sqrt(2 / 2) = 1; sqrt(3) = 1.7321; t(2) = 4.3027.
    found = spread([40, 41, 42])
    assert (found.mean, found.sd) == (41.0, 1.0)
    assert found.normal == pytest.approx((41 - 1.96 / 1.7321, 41 + 1.96 / 1.7321), abs=1e-4)
    assert found.t == pytest.approx((41 - 4.3027 / 1.7321, 41 + 4.3027 / 1.7321), abs=1e-4)


def test_one_repeat_has_a_mean_and_no_interval() -> None:
    found = spread([0.5])
    assert (found.mean, found.sd, found.normal, found.t) == (0.5, None, None, None)
    assert spread([]).mean is None


def test_only_repeats_in_which_every_task_was_scored_count() -> None:
    rows = [
        row("a", beneficial=True, score=1, tool=1, steps=2, trial=1),
        row("b", beneficial=False, score=0, steps=4, trial=1),
        row("a", beneficial=True, score=1, tool=1, steps=6, trial=2),
        row("b", beneficial=False, score=1, steps=8, trial=2),
        row("a", beneficial=True, score=1, tool=1, trial=3),
        row("b", beneficial=False, score=None, fate="void", trial=3),
    ]
    helped, other, both = repeats(rows, "ab")
    assert (both.begun, both.complete) == (3, 2)
    assert both.accuracy.values == (1 / 2, 2 / 2)
    assert both.accuracy.mean == 0.75
    assert both.acs.values == ((2 + 4) / 2, (6 + 8) / 2)
    assert (helped.tir.values, other.tir.values) == ((1, 1), (0, 1))


def test_a_gui_run_s_repeats_have_no_tir() -> None:
    rows = [row("a", beneficial=True, score=1, trial=n, condition="gui") for n in (1, 2)]
    both = repeats(rows, "a")[2]
    assert (both.accuracy.values, both.tir.values) == ((1, 1), ())


def test_the_bootstrap_draws_tasks_with_all_their_trials() -> None:
    # Two tasks, one always solved, one never, 50 trials each: a resample holds the first twice
    # (1/4), once (1/2) or never (1/4), so the middle 95 % reach from 0 to 1. Trials drawn one by
    # one would stay near 1/2.
    rows = [row("a", beneficial=True, score=1, trial=n) for n in range(50)]
    rows += [row("b", beneficial=True, score=0, trial=n) for n in range(50)]
    both = bootstrap(rows)[2]
    assert both.accuracy == (0.0, 1.0)
    low, high = summarize(rows).groups[2].interval or (0, 0)
    assert 0.4 < low < high < 0.6


def test_the_bootstrap_is_the_same_for_the_same_rows_in_any_order() -> None:
    rows = [row(f"t{n}", beneficial=n % 2 == 0, score=n % 3 == 0, steps=n) for n in range(12)]
    assert bootstrap(rows) == bootstrap(rows[::-1])
    assert bootstrap(rows, seed=1, resamples=50) != bootstrap(rows, resamples=50)


def quoted(*scores: tuple[str, int, int]) -> str:
    rows = [row(task, beneficial=True, score=score, trial=n) for task, n, score in scores]
    answer = quotable(rows, bootstrap(rows, resamples=200)[-1])
    return answer.kind if answer else ""


def test_the_interval_to_quote_depends_on_the_trials_of_a_task() -> None:
    assert quoted(("a", 1, 1), ("b", 1, 0)) == "Wilson", "independent trials"
    assert quoted(("a", 1, 1), ("a", 2, 0)) == "Wilson", "one task"
    assert quoted(("a", 1, 1), ("a", 2, 1), ("b", 1, 0), ("b", 2, 0)) == "bootstrap"
    assert quoted(("a", 1, 1), ("a", 2, 1), ("b", 1, 1), ("b", 2, 1)) == "Wilson over tasks"
    assert quoted() == ""


def test_one_task_cannot_be_resampled() -> None:
    assert bootstrap([row(beneficial=True, score=1)])[2].accuracy is None


scored = st.builds(
    lambda task, helped, score, steps, tool: row(
        f"t{task}", beneficial=helped, score=score, steps=steps, tool=tool
    ),
    st.integers(0, 5),
    st.booleans(),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.integers(1, 50),
    st.integers(0, 2),
)


@settings(max_examples=60)
@given(st.lists(scored, max_size=12))
def test_tir_never_exceeds_accuracy_and_groups_add_up(rows: list[Row]) -> None:
    helped, other, both = summarize(rows).groups
    assert helped.n + other.n == both.n
    assert helped.solved + other.solved == both.solved
    for each in (helped, other, both):
        if each.accuracy is not None and each.tir is not None:
            assert 0 <= each.tir <= each.accuracy <= 1
            assert each.interval
            assert each.interval[0] - 1e-9 <= each.accuracy <= each.interval[1] + 1e-9
    for split in (summarize(rows).domains, summarize(rows).useful):
        assert sum(each.n for each in split) == both.n


@settings(max_examples=30)
@given(st.lists(scored, max_size=12))
def test_a_bootstrap_interval_lies_within_what_tasks_can_give(rows: list[Row]) -> None:
    for each in bootstrap(rows, resamples=200):
        for interval in (each.accuracy, each.tir):
            if interval:
                assert 0 <= interval[0] <= interval[1] <= 1


@settings(max_examples=100)
@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 20))
def test_on_single_trials_the_test_is_mcnemar_s_exact_test(b: int, c: int, ties: int) -> None:
    p, samples = sign_flip([Fraction(1)] * b + [Fraction(-1)] * c + [Fraction(0)] * ties)
    expected = binomtest(b, b + c, 0.5).pvalue if b + c else 1.0
    assert samples is None
    assert p == pytest.approx(expected, rel=1e-9)


@settings(max_examples=60)
@given(st.lists(st.fractions(-3, 3, max_denominator=4), min_size=1, max_size=9))
def test_counting_by_convolution_is_trying_every_pattern_of_signs(some: list[Fraction]) -> None:
    seen = abs(sum(some, Fraction()))
    sums = [
        sum((s * x for s, x in zip(signs, some, strict=True)), Fraction())
        for signs in _signs(len(some))
    ]
    expected = sum(abs(each) >= seen for each in sums) / len(sums)
    assert sign_flip(some)[0] == pytest.approx(expected)


def _signs(n: int) -> list[tuple[int, ...]]:
    return list(product((-1, 1), repeat=n))


def test_five_of_five_differences_are_one_in_sixteen() -> None:
    # Two of 2^5 sign patterns lie as far out: 2/32.
    assert sign_flip([Fraction(1)] * 5)[0] == 2 / 32


def test_sums_too_large_to_count_are_sampled_and_marked_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    some = [Fraction(1)] * 8 + [Fraction(-1)] * 2
    exact, _ = sign_flip(some)
    monkeypatch.setattr(comparison, "EXACT_UP_TO", 5)
    sampled, samples = sign_flip(some)
    assert samples == comparison.SAMPLES
    assert sampled == pytest.approx(exact, abs=0.01)
    assert sign_flip(some)[0] == sampled


def several(solved: int, of: int, steps: int = 5) -> list[Row]:
    return [row(f"t{n}", beneficial=True, score=n < solved, tool=1, steps=steps) for n in range(of)]


def test_six_more_tasks_of_ten_are_better_and_five_are_undecided() -> None:
    # 6 against 0 discordant: 2/64 = 0.031; 5 against 0: 2/32 = 0.0625.
    six = compare(several(6, 10), several(0, 10))
    assert six
    assert (six.tasks, six.accuracy.differ) == (10, 6)
    assert six.accuracy.p == pytest.approx(2 / 64)
    assert (six.accuracy.difference, six.accuracy.verdict) == (0.6, "A is better")
    five = compare(several(0, 10), several(5, 10))
    assert five
    assert five.accuracy.p == pytest.approx(2 / 32)
    assert five.accuracy.verdict == "cannot tell"
    other = compare(several(0, 10), several(10, 10))
    assert other
    assert other.accuracy.verdict == "B is better"


def test_fewer_steps_are_better() -> None:
    found = compare(several(5, 8, steps=4), several(5, 8, steps=9))
    assert found
    assert found.steps.difference == -5
    assert found.steps.p == pytest.approx(2 / 256)
    assert found.steps.verdict == "A is better"
    assert found.steps.interval == (-5.0, -5.0)


def test_only_tasks_that_both_have_are_compared_and_unequal_trials_by_their_means() -> None:
    a = [row("x", beneficial=True, score=n < 1, trial=n) for n in range(3)]  # 1/3
    b = [row("x", beneficial=True, score=n < 1, trial=n) for n in range(2)]  # 1/2
    found = compare([*a, row("y", beneficial=True, score=1)], b)
    assert found
    assert found.tasks == 1
    assert found.accuracy.difference == pytest.approx(1 / 3 - 1 / 2)
    assert (found.accuracy.p, found.accuracy.interval) == (1.0, None)
    assert (
        compare([row("x", beneficial=True, score=1)], [row("y", beneficial=True, score=1)]) is None
    )


def test_there_is_no_tir_to_compare_with_a_gui_run() -> None:
    found = compare(several(3, 5), [row("t1", beneficial=True, score=1, condition="gui")])
    assert found
    assert found.tir is None


@settings(max_examples=40)
@given(st.lists(scored, min_size=1, max_size=10), st.lists(scored, min_size=1, max_size=10))
def test_swapping_two_runs_negates_the_difference_and_keeps_p(a: list[Row], b: list[Row]) -> None:
    one, other = compare(a, b), compare(b, a)
    assert (one is None) == (other is None)
    if one and other:
        assert one.accuracy.difference == pytest.approx(-other.accuracy.difference)
        assert one.accuracy.p == pytest.approx(other.accuracy.p)
        assert 0 < one.accuracy.p <= 1


def test_runs_that_differ_in_time_and_place_only_are_identical() -> None:
    one = [row("a", beneficial=True, score=1, tool=1), row("b", beneficial=True, score=0)]
    other = [
        each.model_copy(update={"started": "later", "seconds": {"model": 1.0}, "folder": "g"})
        for each in reversed(one)
    ]
    found = identical(one, other)
    assert (found.same, found.trials, found.differences) == (True, 2, ())


def test_differences_are_named() -> None:
    one = [row("a", beneficial=True, score=1, steps=3), row("b", beneficial=True, score=0)]
    found = identical(one, [row("a", beneficial=True, score=1, steps=4)])
    assert not found.same
    assert found.differences == ("a #1: steps 3 and 4", "b #1 was scored in the first only")


def test_nothing_is_identical_to_nothing() -> None:
    assert not identical([], []).same


def test_three_lines_correlate_and_two_do_not() -> None:
    found = correlation([(1, 2), (2, 4), (3, 9)])
    assert found
    # Deviations -1 0 1 and -3 -1 4: 7 / sqrt(2 · 26); the ranks agree.
    assert found.pearson == pytest.approx(7 / 52**0.5)
    assert found.spearman == pytest.approx(1)
    assert correlation([(1, 2), (2, 4)]) is None
    assert correlation([(1, 2), (1, 4), (1, 5)]) is None
