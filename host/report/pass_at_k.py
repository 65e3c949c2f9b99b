"""pass@k, pass^k and avg@k over repeated trials, each a mean over tasks.

For a task with n scored trials, c of them solved, of which k are drawn without replacement
(branches of a recorded episode are grouped by branch point, as if each branch point were a task):

    pass@k   1 - C(n-c, k) / C(n, k)   at least one of k is solved
    pass^k   C(c, k) / C(n, k)         all k are solved
    avg@k    c / n                     mean share solved
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import comb

from ambidex.host.records.rows import Row

__all__ = ["AtK", "at_k", "pass_all", "pass_any"]


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
