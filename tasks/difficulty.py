"""How difficult a task is, by a rule: how many calls its reference solutions make, and how many
applications it is about."""

from __future__ import annotations

from statistics import mean

from ambidex.tasks.spec import Difficulty, Facts

__all__ = ["derived_difficulty"]

EASY = 6
"""The most calls of an easy task, which is about one application."""
HARD = 12
"""The fewest calls of a hard task with one or two applications. With three it is always hard."""


def derived_difficulty(spec: Facts) -> Difficulty:
    """The difficulty of a task that has an oracle, by the mean number of calls of its first oracle
    by tools and its first by gui; variants do not count."""
    first = {oracle.by: len(oracle.calls) for oracle in reversed(spec.oracle)}
    calls = mean(first.values())
    if calls >= HARD or len(spec.apps) >= 3:
        return "hard"
    return "easy" if calls <= EASY and len(spec.apps) <= 1 else "medium"
