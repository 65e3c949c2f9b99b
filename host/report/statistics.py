"""How far a number can be trusted: repeats, and resampling of tasks.

    repeats     the numbers of each complete pass over all tasks; their mean and sample standard
                deviation s, and mean ± 1.96·s/√k (the paper's interval, too narrow for few repeats)
                and mean ± t·s/√k (Student's t with k-1 degrees of freedom)
    bootstrap   tasks drawn with replacement, all trials of a task together: how the number would
                have come out with other tasks of the same kind (95 % percentile interval)

Wilson's interval of the accuracy (`host.report.metrics`) takes every trial as independent, which
trials of one task are not: the bootstrap does not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ambidex.host.records.rows import Row
from ambidex.host.report.metrics import GROUPS

__all__ = [
    "Bootstrap",
    "Correlation",
    "Interval",
    "Repeats",
    "Spread",
    "bootstrap",
    "correlation",
    "members",
    "middle",
    "repeats",
    "resampled",
    "spread",
]

Interval = tuple[float, float]

RESAMPLES = 10_000


@dataclass(frozen=True)
class Spread:
    """One number over k repeats; None where k is too small for it."""

    values: tuple[float, ...]
    """Of each repeat, in the order of trial numbers."""
    mean: float | None
    sd: float | None
    """Sample standard deviation, divisor k - 1."""
    normal: Interval | None
    """mean ± 1.96·sd/√k"""
    t: Interval | None
    """mean ± t·sd/√k, 95 %"""


@dataclass(frozen=True)
class Repeats:
    """One group of tasks over the complete repeats of a run."""

    name: str
    begun: int
    """Trial numbers that have a row; a repeat is complete when every task was scored."""
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
    """How two numbers go together over n pairs."""

    n: int
    pearson: float
    spearman: float


def members(rows: Sequence[Row], name: str) -> list[Row]:
    """The scored rows of a group."""
    wanted = {"tool-beneficial": (True,), "other": (False,), "all": (True, False)}[name]
    return [row for row in rows if row.fate == "scored" and row.tool_beneficial in wanted]


def repeats(rows: Sequence[Row], tasks: Collection[str]) -> tuple[Repeats, ...]:
    """The numbers of each repeat, by group; `tasks` are those that a complete one has scored. Of
    branches a complete one has scored each step that was gone on from."""
    wanted = {row.beginning for row in rows if row.parent} or set(tasks)
    passes: dict[int, list[Row]] = {}
    for row, number in _rounds(rows):
        passes.setdefault(number, []).append(row)
    whole = [
        own
        for _, own in sorted(passes.items())
        if {row.beginning for row in own if row.fate == "scored"} >= wanted
    ]
    found = []
    for name in GROUPS:
        sums = [sum(map(_sums, own), np.zeros(4)) for each in whole if (own := members(each, name))]
        chosen = sums if _has_tools(rows) else []
        found.append(
            Repeats(
                name=name,
                begun=len(passes),
                complete=len(whole),
                accuracy=spread([each[1] / each[0] for each in sums]),
                tir=spread([each[2] / each[0] for each in chosen]),
                acs=spread([each[3] / each[0] for each in sums]),
            )
        )
    return tuple(found)


def spread(values: Sequence[float]) -> Spread:
    """Mean, deviation and intervals of a number's values in k repeats."""
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
    """The intervals of each group, the same for the same rows and seed."""
    found = []
    for name in GROUPS:
        tasks: dict[str, np.ndarray] = {}
        for row in sorted(members(rows, name), key=lambda row: row.task):
            tasks[row.task] = tasks.get(row.task, np.zeros(4)) + _sums(row)
        table = np.array(list(tasks.values())).reshape(-1, 4)
        drawn = resampled(table, resamples, seed)
        tools = _has_tools(rows)
        several = len(tasks) > 1
        found.append(
            Bootstrap(
                name=name,
                tasks=len(tasks),
                resamples=resamples,
                accuracy=middle(drawn[:, 1] / drawn[:, 0]) if several else None,
                tir=middle(drawn[:, 2] / drawn[:, 0]) if several and tools else None,
                acs=middle(drawn[:, 3] / drawn[:, 0]) if several else None,
            )
        )
    return tuple(found)


def resampled(table: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Sums over lines that are drawn with replacement, as many as there are: one line of sums per
    resample."""
    count = len(table)
    if not count:
        return np.zeros((resamples, table.shape[1]))
    # How often each line is drawn is all that a sum depends on.
    often = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), resamples)
    sums: np.ndarray = often @ table
    return sums


def middle(values: np.ndarray) -> Interval:
    """The 95 % percentile interval of resampled values."""
    low, high = np.percentile(values, (2.5, 97.5))
    return (float(low), float(high))


def correlation(pairs: Sequence[tuple[float, float]]) -> Correlation | None:
    """Pearson's and Spearman's coefficient; None for fewer than three pairs or where one side does
    not vary."""
    from scipy.stats import pearsonr, spearmanr  # heavy: only reports need it

    first, second = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
    if len(pairs) < 3 or len(first) == 1 or len(second) == 1:
        return None
    left, right = zip(*pairs, strict=True)
    return Correlation(
        len(pairs), float(pearsonr(left, right).statistic), float(spearmanr(left, right).statistic)
    )


def _rounds(rows: Sequence[Row]) -> Iterator[tuple[Row, int]]:
    """Each row with the repeat it belongs to: the trial's number, which of branches counts on from
    step to step."""
    numbers: dict[str, set[int]] = {}
    for row in rows:
        numbers.setdefault(row.beginning, set()).add(row.trial)
    for row in rows:
        own = sorted(numbers[row.beginning])
        yield row, own.index(row.trial) + 1 if row.parent else row.trial


def _has_tools(rows: Sequence[Row]) -> bool:
    return any(row.condition != "gui" for row in rows)


def _sums(row: Row) -> np.ndarray:
    """Trials, solved, chosen well, steps."""
    return np.array([1, row.success, row.chosen_well, row.steps], float)
