"""Search for the last step from which an episode could still succeed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Pivot", "Probe", "pivot"]


@dataclass(frozen=True)
class Probe:
    """The outcome of the branches from one step: `solved` of `n`."""

    step: int
    solved: int
    n: int


@dataclass(frozen=True)
class Pivot:
    """The step at which success became unreachable."""

    probes: tuple[Probe, ...]
    """In the order in which they were run."""
    last: int | None
    """The last step from which the task was solved; None if not even from the first."""
    lost: int | None
    """The next probed step, from which it was not solved; None if it was solved from the last one.
    The actions from `last` on and before this step lost the episode."""


def pivot(steps: Sequence[int], probe: Callable[[int], Probe]) -> Pivot:
    """Find the pivot among these steps, which are in ascending order, by bisection.

    Assumes that a lost chance stays lost: steps after an unsolved one are not probed.
    """
    probes: list[Probe] = []

    def solved(at: int) -> bool:
        probes.append(probe(steps[at]))
        return probes[-1].solved > 0

    low, high = 0, len(steps) - 1
    if not solved(low):
        return Pivot(tuple(probes), None, steps[low])
    if high == low or solved(high):
        return Pivot(tuple(probes), steps[high], None)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if solved(middle) else (low, middle)
    return Pivot(tuple(probes), steps[low], steps[high])
