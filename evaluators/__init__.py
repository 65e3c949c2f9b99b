"""Evaluators: pure functions from a directory of collected evidence to a score.

They never touch a machine.

    @evaluator
    def cells_equal(evidence: Path, *, file: EvidenceName, cells: dict[str, Value]) -> Score: ...

The keyword arguments and their types define what a task may pass in `with`; they are checked when
the task is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Points", "Score", "UnreadableError"]


@dataclass(frozen=True)
class Points:
    """What one check of a task is worth, and what of it was reached."""

    title: str
    total: int
    reached: int


@dataclass(frozen=True)
class Score:
    """A number in [0, 1], where 1 is success, with the reason in words."""

    value: float
    reason: str
    wants: tuple[str, ...] = ()
    """Workbooks that LibreOffice must recalculate before they can be judged; the score is 0 until
    then."""
    points: tuple[Points, ...] = ()
    """The points that it was computed from, if the task has some."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.value <= 1.0:
            raise ValueError(f"a score must be in [0, 1], not {self.value}")


class UnreadableError(Exception):
    """Evidence is missing, too large or malformed; the score is 0 with this message as reason."""

    wants: tuple[str, ...] = ()
    """Workbooks to recalculate first; see `Score.wants`."""
