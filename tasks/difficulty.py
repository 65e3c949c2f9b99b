"""How difficult a task is, by a rule: how many calls its shortest reference solution makes, and how
many applications it is about."""

from __future__ import annotations

from ambidex.tasks.spec import Difficulty, Facts

__all__ = ["derived_difficulty"]

EASY = 6
"""The most calls of an easy task, which is about one application."""
HARD = 12
"""The fewest calls of a hard task with one or two applications. With three it is always hard."""


def derived_difficulty(spec: Facts) -> Difficulty:
    """The difficulty of a task that has an oracle. What only reads counts as well: an agent has to
    find out what the oracle knows."""
    calls = min(len(oracle.calls) for oracle in spec.oracle)
    if calls >= HARD or len(spec.apps) >= 3:
        return "hard"
    return "easy" if calls <= EASY and len(spec.apps) <= 1 else "medium"
