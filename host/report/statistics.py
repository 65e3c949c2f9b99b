"""Uncertainty of the metrics: repeats, and bootstrap over tasks.

    repeats     the metrics of each complete pass over all tasks: mean, sample standard deviation
                s, mean ± 1.96·s/√k (the paper's interval, too narrow for few repeats) and
                mean ± t·s/√k (Student's t with k-1 degrees of freedom)
    bootstrap   tasks drawn with replacement, all trials of a task together: how the metric might
                have come out with other tasks of the same kind (95 % percentile interval)

Wilson's interval of the accuracy (`host.report.metrics`) treats every trial as independent, which
trials of one task are not; the bootstrap does not assume it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from ambidex.host.records.rows import Row
from ambidex.host.report.metrics import GROUPS, wilson_interval
from ambidex.host.report.pass_at_k import complete_repeats

__all__ = [
    "RESAMPLES",
    "Bootstrap",
    "Correlation",
    "Interval",
    "Quoted",
    "Repeats",
    "Spread",
    "bootstrap",
    "correlation",
    "members",
    "percentile_interval",
    "quotable",
    "repeats",
    "resample",
    "spread",
]

Interval = tuple[float, float]

RESAMPLES = 10_000


@dataclass(frozen=True)
class Spread:
    """One metric over k repeats; a statistic is None where k is too small for it."""

    values: tuple[float, ...]
    """The metric of each repeat, in the order of trial numbers."""
    mean: float | None
    sd: float | None
    """Sample standard deviation, divisor k - 1."""
    normal: Interval | None
    """mean ± 1.96·sd/√k"""
    t: Interval | None
    """mean ± t·sd/√k, 95 %"""


@dataclass(frozen=True)
class Repeats:
    """The metrics of one group of tasks over the complete repeats of a run."""

    name: str
    begun: int
    """Number of repeats that have a row; one is complete when every task was scored."""
    complete: int
    accuracy: Spread
    tir: Spread
    acs: Spread


@dataclass(frozen=True)
class Bootstrap:
    """95 % percentile intervals from resampling tasks; None for fewer than two tasks."""

    name: str
    tasks: int
    resamples: int
    accuracy: Interval | None
    tir: Interval | None
    acs: Interval | None


@dataclass(frozen=True)
class Correlation:
    """Correlation of two numbers over n pairs."""

    n: int
    pearson: float
    spearman: float


@dataclass(frozen=True)
class Quoted:
    """The interval to quote for an accuracy."""

    kind: str
    """`Wilson`, `bootstrap` or `Wilson over tasks`."""
    interval: Interval


def members(rows: Sequence[Row], name: str) -> list[Row]:
    """The scored rows of a group."""
    values = {"tool-beneficial": (True,), "other": (False,), "all": (True, False)}[name]
    return [row for row in rows if row.fate == "scored" and row.tool_beneficial in values]


def repeats(rows: Sequence[Row], tasks: Collection[str]) -> tuple[Repeats, ...]:
    """The metrics over complete repeats, by group; see `complete_repeats`."""
    begun, complete = complete_repeats(rows, tasks)
    results = []
    for name in GROUPS:
        sums = [
            sum(map(_sums, own), np.zeros(4))
            for repeat in complete
            if (own := members(repeat, name))
        ]
        with_tools = sums if _has_tools(rows) else []
        results.append(
            Repeats(
                name=name,
                begun=begun,
                complete=len(complete),
                accuracy=spread([solved / trials for trials, solved, *_ in sums]),
                tir=spread([chosen_well / trials for trials, _, chosen_well, _ in with_tools]),
                acs=spread([steps / trials for trials, *_, steps in sums]),
            )
        )
    return tuple(results)


def spread(values: Sequence[float]) -> Spread:
    """Mean, standard deviation and intervals of a metric's values in k repeats."""
    from scipy.stats import t  # heavy: only reports need it

    own, k = tuple(float(value) for value in values), len(values)
    if not k:
        return Spread(own, None, None, None, None)
    mean = float(np.mean(own))
    if k == 1:
        return Spread(own, mean, None, None, None)
    sd = float(np.std(own, ddof=1))
    near, far = 1.96 * sd / k**0.5, float(t.ppf(0.975, k - 1)) * sd / k**0.5
    return Spread(own, mean, sd, (mean - near, mean + near), (mean - far, mean + far))


def bootstrap(
    rows: Sequence[Row], *, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[Bootstrap, ...]:
    """The bootstrap intervals of each group; deterministic for the same rows and seed."""
    results = []
    for name in GROUPS:
        tasks: dict[str, np.ndarray] = {}
        for row in sorted(members(rows, name), key=lambda row: row.task):
            tasks[row.task] = tasks.get(row.task, np.zeros(4)) + _sums(row)
        table = np.array(list(tasks.values())).reshape(-1, 4)
        drawn = resample(table, resamples, seed)
        tools = _has_tools(rows)
        several = len(tasks) > 1
        results.append(
            Bootstrap(
                name=name,
                tasks=len(tasks),
                resamples=resamples,
                accuracy=percentile_interval(drawn[:, 1] / drawn[:, 0]) if several else None,
                tir=percentile_interval(drawn[:, 2] / drawn[:, 0]) if several and tools else None,
                acs=percentile_interval(drawn[:, 3] / drawn[:, 0]) if several else None,
            )
        )
    return tuple(results)


def quotable(rows: Sequence[Row], drawn: Bootstrap) -> Quoted | None:
    """The interval of the accuracy over all tasks to quote: Wilson's if every task has one trial,
    since trials are independent then; otherwise the bootstrap, which keeps a task's trials
    together. Where it has no width because all tasks came out alike, Wilson's over tasks. None
    without a scored trial."""
    scored = members(rows, "all")
    if not scored:
        return None
    solved, tasks = sum(row.success for row in scored), len({row.task for row in scored})
    if tasks in (1, len(scored)):
        return Quoted("Wilson", wilson_interval(solved, len(scored)))
    if drawn.accuracy and drawn.accuracy[0] < drawn.accuracy[1]:
        return Quoted("bootstrap", drawn.accuracy)
    return Quoted("Wilson over tasks", wilson_interval(round(solved * tasks / len(scored)), tasks))


def resample(table: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Draw len(table) rows with replacement and sum them, `resamples` times: shape
    (resamples, columns)."""
    count = len(table)
    if not count:
        return np.zeros((resamples, table.shape[1]))
    # A sum depends only on how often each row is drawn.
    often = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), resamples)
    sums: np.ndarray = often @ table
    return sums


def percentile_interval(values: np.ndarray) -> Interval:
    """The 95 % percentile interval of resampled values."""
    low, high = np.percentile(values, (2.5, 97.5))
    return (float(low), float(high))


def correlation(pairs: Sequence[tuple[float, float]]) -> Correlation | None:
    """Pearson's and Spearman's coefficient; None for fewer than three pairs or if one side is
    constant."""
    from scipy.stats import pearsonr, spearmanr  # heavy: only reports need it

    first, second = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
    if len(pairs) < 3 or len(first) == 1 or len(second) == 1:
        return None
    left, right = zip(*pairs, strict=True)
    return Correlation(
        len(pairs), float(pearsonr(left, right).statistic), float(spearmanr(left, right).statistic)
    )


def _has_tools(rows: Sequence[Row]) -> bool:
    return any(row.condition != "gui" for row in rows)


def _sums(row: Row) -> np.ndarray:
    """The row as a vector: trials (1), solved, chosen well, steps."""
    return np.array([1, row.success, row.chosen_well, row.steps], float)
