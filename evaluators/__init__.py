"""Evaluators judge collected evidence: pure functions from a directory of files to a score.

They never touch a machine.

    @evaluator
    def cells_equal(evidence: Path, *, file: EvidenceName, cells: dict[str, Value]) -> Score: ...

The keyword arguments, with their types, are what a task's `with` may say; they are checked when
the task is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Score", "UnreadableError"]


@dataclass(frozen=True)
class Score:
    """A verdict in [0, 1] and the reason in words; 1 is success."""

    value: float
    reason: str
    wants: tuple[str, ...] = ()
    """Workbooks that an office has to compute anew before they can be judged: the score is 0 until
    then."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.value <= 1.0:
            raise ValueError(f"a score lies in [0, 1], not {self.value}")


class UnreadableError(Exception):
    """Evidence is missing, too large or not of its format: the score is 0, for this reason."""

    wants: tuple[str, ...] = ()
    """See `Score`."""
