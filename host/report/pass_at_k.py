"""pass@1 over runs, and pass@k, pass^k and avg@k over repeated trials of a task.

A run, or repeat, is one trial of every task. pass@1 is the mean of the success rates of the
complete runs, with two standard deviations of these rates: the population's (divisor n) and the
sample's (n - 1). The others are means over tasks.

For a task with n scored trials, c of them solved, of which k are drawn without replacement
(branches of a recorded episode are grouped by branch point, as if each branch point were a task):

    pass@k   1 - C(n-c, k) / C(n, k)   at least one of k is solved
    pass^k   C(c, k) / C(n, k)         all k are solved
    avg@k    c / n                     mean share solved
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean, pstdev, stdev

from ambidex.host.records.rows import Row

__all__ = ["AtK", "Passes", "at_k", "complete_repeats", "pass_all", "pass_any", "passes"]


@dataclass(frozen=True)
class AtK:
    """The three metrics for one k, over the tasks with at least k scored trials."""

    k: int
    tasks: int
    pass_any: float
    """pass@k"""
    pass_all: float
    """pass^k"""
    average: float
    """avg@k"""


@dataclass(frozen=True)
class Passes:
    """The metrics over one set of tasks: an application, or all."""

    name: str
    tasks: int
    planned: int
    """Runs that the configuration asks for."""
    complete: int
    """Runs in which every task was scored: those that pass@1 is over."""
    rates: tuple[float, ...]
    """The success rate of each complete run."""
    pass_1: float | None
    """Their mean; None if no run is complete."""
    population_sd: float | None
    """None for fewer than two complete runs."""
    sample_sd: float | None
    """None for fewer than two complete runs."""
    largest: AtK | None
    """The other metrics for the largest k."""

    @property
    def runs(self) -> str:
        """How many runs pass@1 is over, in words."""
        if self.complete != self.planned:
            return f"{self.complete} of {self.planned} complete"
        return "single run" if self.planned == 1 else str(self.planned)


def passes(rows: Sequence[Row], tasks: Collection[str], planned: int) -> tuple[Passes, ...]:
    """The metrics by application, if there are several, and over all `tasks`, of which `planned`
    runs were planned. A task without any row is of no application."""
    domains: dict[str, list[Row]] = {}
    for row in rows:
        domains.setdefault(row.domain or "none", []).append(row)
    named = sorted(domains.items()) if len(domains) > 1 else []
    return (
        *(_passes(name, own, {row.task for row in own}, planned) for name, own in named),
        _passes("all", rows, tasks, planned),
    )


def _passes(name: str, rows: Sequence[Row], tasks: Collection[str], planned: int) -> Passes:
    _, complete = complete_repeats(rows, tasks)
    rates = tuple(fmean(row.success for row in repeat) for repeat in complete)
    several = len(rates) > 1
    metrics = at_k(row for row in rows if row.fate == "scored")
    return Passes(
        name=name,
        tasks=len(tasks),
        planned=planned,
        complete=len(complete),
        rates=rates,
        pass_1=fmean(rates) if rates else None,
        population_sd=pstdev(rates) if several else None,
        sample_sd=stdev(rates) if several else None,
        largest=metrics[-1] if metrics else None,
    )


def complete_repeats(
    rows: Sequence[Row], tasks: Collection[str]
) -> tuple[int, tuple[tuple[Row, ...], ...]]:
    """How many repeats have a row, and the scored rows of each complete one, in order. A repeat is
    complete if it scored all of `tasks` or, in a run of branches, every branch point."""
    required = {row.beginning for row in rows if row.parent} or set(tasks)
    repeats: dict[int, list[Row]] = {}
    for row, number in _numbered(rows):
        scored = repeats.setdefault(number, [])
        if row.fate == "scored":
            scored.append(row)
    return len(repeats), tuple(
        tuple(scored)
        for _, scored in sorted(repeats.items())
        if {row.beginning for row in scored} >= required
    )


def _numbered(rows: Sequence[Row]) -> Iterator[tuple[Row, int]]:
    """Each row with the number of its repeat: the trial number or, for branches, the position among
    the trials of the same branch point."""
    numbers: dict[str, set[int]] = {}
    for row in rows:
        numbers.setdefault(row.beginning, set()).add(row.trial)
    for row in rows:
        own = sorted(numbers[row.beginning])
        yield row, own.index(row.trial) + 1 if row.parent else row.trial


def pass_any(n: int, c: int, k: int) -> float:
    """Probability that at least one of k trials drawn from n, c of them solved, is solved."""
    return 1 - comb(n - c, k) / comb(n, k)


def pass_all(n: int, c: int, k: int) -> float:
    """Probability that all of k trials drawn from n, c of them solved, are solved."""
    return comb(c, k) / comb(n, k)


def at_k(scored: Iterable[Row]) -> tuple[AtK, ...]:
    """The metrics for k = 1 up to the largest number of trials of any task."""
    trials: Counter[str] = Counter()
    solved: Counter[str] = Counter()
    for row in scored:
        trials[row.beginning] += 1
        solved[row.beginning] += row.success
    results = []
    for k in range(1, max(trials.values(), default=0) + 1):
        pairs = [(n, solved[task]) for task, n in trials.items() if n >= k]
        results.append(
            AtK(
                k=k,
                tasks=len(pairs),
                pass_any=sum(pass_any(n, c, k) for n, c in pairs) / len(pairs),
                pass_all=sum(pass_all(n, c, k) for n, c in pairs) / len(pairs),
                average=sum(c / n for n, c in pairs) / len(pairs),
            )
        )
    return tuple(results)
