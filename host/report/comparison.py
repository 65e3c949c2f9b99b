"""Paired comparison of two runs over the tasks they share.

The test is an exact sign-flip test. Under the null hypothesis the difference on each task is as
likely to have the opposite sign; p is the share of all sign patterns whose sum is at least as far
from zero as the observed one. It is counted by convolution over integers, not sampled. With one
trial per task it is McNemar's exact test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from ambidex.host.records.rows import Row, finished
from ambidex.host.report.statistics import RESAMPLES, Interval, percentile_interval, resample

__all__ = ["Comparison", "Difference", "Sameness", "compare", "identical", "sign_flip"]

ALPHA = 0.05

EXACT_UP_TO = 2_000_000
"""Largest sum of absolute differences, in their common unit, for which p is counted exactly."""

SAMPLES = 100_000
"""Sign patterns drawn where exact counting would take too long."""

ASIDE = {"started", "seconds", "folder", "attempt", "stage"}
"""Fields that differ even between two runs of the same configuration."""


@dataclass(frozen=True)
class Difference:
    """One metric of A and B, each a mean over the tasks' means, with interval, p and verdict."""

    a: float
    b: float
    difference: float
    """a - b"""
    interval: Interval | None
    """95 % percentile interval of the difference, from resampling tasks."""
    differ: int
    """Number of tasks on which A and B differ."""
    p: float
    """Two-sided."""
    samples: int | None
    """Number of sign patterns that p was estimated from; None if p is exact."""
    verdict: str
    """`A is better`, `B is better` or `cannot tell` (p of 0.05 or more)."""


@dataclass(frozen=True)
class Comparison:
    """A against B, over the tasks for which both have scored trials."""

    tasks: int
    accuracy: Difference
    tir: Difference | None
    """None if one of the two had no tools."""
    steps: Difference
    """Fewer steps are better."""


@dataclass(frozen=True)
class Sameness:
    """Whether two runs have the same rows, apart from time, duration, folder and attempt."""

    same: bool
    trials: int
    """Scored trials that both runs have."""
    differences: tuple[str, ...]
    """The first few differences, in words."""


def compare(a: Sequence[Row], b: Sequence[Row], *, seed: int = 0) -> Comparison | None:
    """Compare A with B; None if they share no task."""
    ours, theirs = _by_task(a), _by_task(b)
    shared = sorted(ours.keys() & theirs.keys())
    if not shared:
        return None

    numbers: tuple[Callable[[Row], int], ...] = (_solved, _chosen_well, _steps)
    pairs = [
        [(_mean(ours[task], number), _mean(theirs[task], number)) for task in shared]
        for number in numbers
    ]
    table = np.array([[float(a - b) for a, b in column] for column in pairs]).T
    drawn = resample(table, RESAMPLES, seed) / len(shared)
    intervals = [
        percentile_interval(drawn[:, at]) if len(shared) > 1 else None for at in range(len(pairs))
    ]
    accuracy, tir, steps = map(_difference, pairs, (+1, +1, -1), intervals, [seed] * 3)
    tools = all(any(row.condition != "gui" for row in rows) for rows in (a, b))
    return Comparison(len(shared), accuracy, tir if tools else None, steps)


def sign_flip(differences: Sequence[Fraction], *, seed: int = 0) -> tuple[float, int | None]:
    """Two-sided p of the sum of paired differences, and the number of samples it was estimated
    from: None if it is exact."""
    unit = lcm(*(difference.denominator for difference in differences))
    sizes = [int(abs(difference) * unit) for difference in differences if difference]
    seen = abs(int(sum(differences, Fraction()) * unit))
    total = sum(sizes)
    if total > EXACT_UP_TO:
        signs = np.random.default_rng(seed).integers(0, 2, (SAMPLES, len(sizes)), np.int8) * 2 - 1
        far = np.abs(signs @ np.array(sizes)) >= seen
        return (1 + int(far.sum())) / (1 + SAMPLES), SAMPLES
    chance = np.ones(1)  # probability of each possible sum, from the smallest to the largest
    for size in sizes:
        wider = np.zeros(len(chance) + 2 * size)
        wider[: len(chance)] += chance / 2
        wider[2 * size :] += chance / 2
        chance = wider
    far = np.abs(np.arange(-total, total + 1)) >= seen
    return min(1.0, float(chance[far].sum())), None


def identical(a: Sequence[Row], b: Sequence[Row], *, first: int = 5) -> Sameness:
    """Compare the scored trials of two runs field by field; keeps the first `first` differences."""
    ours, theirs = finished(a), finished(b)
    differences = []
    for key in sorted(ours.keys() | theirs.keys()):
        name = f"{key[0]} #{key[2]}"
        if key not in ours or key not in theirs:
            differences.append(
                f"{name} was scored in {'the first' if key in ours else 'the second'} only"
            )
            continue
        mine, other = (row.model_dump(exclude=ASIDE) for row in (ours[key], theirs[key]))
        differences += [
            f"{name}: {field} {mine[field]!r} and {other[field]!r}"
            for field in mine
            if mine[field] != other[field]
        ]
    both = len(ours.keys() & theirs.keys())
    return Sameness(not differences and both > 0, both, tuple(differences[:first]))


def _by_task(rows: Sequence[Row]) -> Mapping[str, list[Row]]:
    by_task: dict[str, list[Row]] = {}
    for row in rows:
        if row.fate == "scored":
            by_task.setdefault(row.task, []).append(row)
    return by_task


def _solved(row: Row) -> int:
    return row.success


def _chosen_well(row: Row) -> int:
    return row.chosen_well


def _steps(row: Row) -> int:
    return row.steps


def _mean(rows: Sequence[Row], number: Callable[[Row], int]) -> Fraction:
    return Fraction(sum(int(number(row)) for row in rows), len(rows))


def _difference(
    pairs: Sequence[tuple[Fraction, Fraction]], sign: int, interval: Interval | None, seed: int
) -> Difference:
    differences = [a - b for a, b in pairs]
    p, samples = sign_flip(differences, seed=seed)
    total, count = sum(differences, Fraction()), len(pairs)
    verdict = "cannot tell"
    if p < ALPHA:
        verdict = "A is better" if total * sign > 0 else "B is better"
    return Difference(
        a=float(sum(a for a, _ in pairs) / count),
        b=float(sum(b for _, b in pairs) / count),
        difference=float(total / count),
        interval=interval,
        differ=sum(difference != 0 for difference in differences),
        p=p,
        samples=samples,
        verdict=verdict,
    )
