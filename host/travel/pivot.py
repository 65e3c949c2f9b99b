"""The last step from which an episode could still succeed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Pivot", "Probe", "pivot"]


@dataclass(frozen=True)
class Probe:
    """What came of going on from a step."""

    step: int
    solved: int
    n: int


@dataclass(frozen=True)
class Pivot:
    """Where the chance was lost."""

    probes: tuple[Probe, ...]
    """In the order in which they were made."""
    last: int | None
    """The last step from which it was solved; None where not even the first one gave a chance."""
    lost: int | None
    """The next one that was tried, from which it was not; None where it could be solved to the
    end. What was done from `last` on, before it, lost the episode."""


def pivot(steps: Sequence[int], go_on: Callable[[int], Probe]) -> Pivot:
    """Find it among these steps, in ascending order, by bisection.

    It takes for granted that a chance that is lost stays lost: from a step after one without a
    chance nothing is tried.
    """
    probes: list[Probe] = []

    def solved(at: int) -> bool:
        probes.append(go_on(steps[at]))
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
