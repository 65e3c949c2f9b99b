"""Agreement of judges with people, and comparison of judges and systems.

    confusion       people's and a judge's verdicts on the same trials: agreement, precision,
                    recall and F1 of "success"
    majority        whether at least `least` of several verdicts are success
    any_agrees      whether at least one of several judges says what people say: the best that a
                    choice between these judges could reach
    kendall_tau_b   rank correlation of two lists of scores, with ties
    mcnemar_exact   whether two paired lists of outcomes differ: the exact two-sided test

Intervals are 95 %: Wilson's for shares of trials, percentiles of resampled trials for F1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ambidex.host.report.metrics import wilson_interval
from ambidex.host.report.statistics import (
    RESAMPLES,
    Interval,
    percentile_interval,
    resample,
)

__all__ = [
    "Confusion",
    "McNemar",
    "RankCorrelation",
    "any_agrees",
    "confusion",
    "kendall_tau_b",
    "majority",
    "mcnemar_exact",
]

Verdicts = Sequence[bool]


@dataclass(frozen=True)
class Confusion:
    """A judge's verdicts against people's; positive is success."""

    tp: int
    fp: int
    """Called success by the judge alone: false passes."""
    fn: int
    tn: int

    @property
    def n(self) -> int:
        """Number of trials."""
        return self.tp + self.fp + self.fn + self.tn

    @property
    def agreement(self) -> float:
        """Share of the trials on which both say the same."""
        return (self.tp + self.tn) / self.n

    @property
    def agreement_interval(self) -> Interval:
        """Wilson's interval of the agreement."""
        return wilson_interval(self.tp + self.tn, self.n)

    @property
    def success(self) -> float:
        """Share of the trials that the judge calls success."""
        return (self.tp + self.fp) / self.n

    @property
    def precision(self) -> float | None:
        """Share of the judge's successes that people confirm; None if it has none."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        """Share of people's successes that the judge found; None if they have none."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall; None if neither has a success."""
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    def f1_interval(self, *, resamples: int = RESAMPLES, seed: int = 0) -> Interval | None:
        """Percentile interval of F1 over resampled trials; None where F1 is."""
        if self.f1 is None:
            return None
        kinds = np.repeat(np.eye(3), (self.tp, self.fp, self.fn), axis=0)
        table = np.vstack((kinds, np.zeros((self.tn, 3))))
        drawn = resample(table, resamples, seed)
        below = 2 * drawn[:, 0] + drawn[:, 1] + drawn[:, 2]
        return percentile_interval(2 * drawn[below > 0, 0] / below[below > 0])


@dataclass(frozen=True)
class RankCorrelation:
    """Kendall's tau-b with its two-sided p-value."""

    n: int
    tau_b: float
    p: float


@dataclass(frozen=True)
class McNemar:
    """The exact test on the pairs in which only one of the two succeeded."""

    only_first: int
    only_second: int
    p: float
    """Two-sided."""


def confusion(people: Verdicts, judge: Verdicts) -> Confusion:
    """Compare verdicts on the same trials in the same order; `ValueError` if the lists differ in
    length or are empty."""
    pairs = list(zip(people, judge, strict=True))
    if not pairs:
        raise ValueError("no trials to compare")
    return Confusion(
        tp=pairs.count((True, True)),
        fp=pairs.count((False, True)),
        fn=pairs.count((True, False)),
        tn=pairs.count((False, False)),
    )


def majority(judges: Sequence[Verdicts], least: int | None = None) -> list[bool]:
    """For each trial, whether at least `least` judges call it success; by default more than half
    of them."""
    needed = len(judges) // 2 + 1 if least is None else least
    return [sum(votes) >= needed for votes in zip(*judges, strict=True)]


def any_agrees(people: Verdicts, judges: Sequence[Verdicts]) -> list[bool]:
    """For each trial, whether any of the judges says what people say."""
    return [truth in votes for truth, votes in zip(people, zip(*judges, strict=True), strict=True)]


def kendall_tau_b(first: Sequence[float], second: Sequence[float]) -> RankCorrelation:
    """Rank correlation of two scores of the same systems; `ValueError` for fewer than two, or if
    one score is the same for all."""
    from scipy.stats import kendalltau  # heavy: only reports need it

    if len(first) != len(second) or len(set(first)) < 2 or len(set(second)) < 2:
        raise ValueError("a rank correlation needs two lists of the same length that vary")
    result = kendalltau(first, second, variant="b")
    return RankCorrelation(len(first), float(result.statistic), float(result.pvalue))


def mcnemar_exact(pairs: Iterable[tuple[bool, bool]]) -> McNemar:
    """Compare two outcomes of the same tasks. Without a pair that differs, p is 1."""
    from scipy.stats import binomtest  # heavy: only reports need it

    differ = [pair for pair in pairs if pair[0] is not pair[1]]
    only_first = differ.count((True, False))
    p = float(binomtest(only_first, len(differ)).pvalue) if differ else 1.0
    return McNemar(only_first, len(differ) - only_first, p)


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
