"""Two runs compared: the tasks on which they differ, and where their episodes parted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ambidex.host.records.rows import Row
from ambidex.host.report.findings import Pair

__all__ = ["ComparedRuns", "FirstDifference", "Flip", "SideStep"]


@dataclass(frozen=True)
class SideStep:
    """What one of two episodes did at a step."""

    number: int
    thought: str
    did: str
    """The calls, or how the agent stopped."""
    results: tuple[str, ...]
    """What the calls returned."""
    frame: str
    """Hash of the screenshot that the agent saw; empty if there was none."""


@dataclass(frozen=True)
class FirstDifference:
    """Where two episodes of a task first did something different."""

    equal: int
    """Steps before it, in which both did the same."""
    a: SideStep | None
    """None if the episode had ended."""
    b: SideStep | None


@dataclass(frozen=True)
class Flip:
    """A task that one run solved more often than the other, with a trial of each."""

    task: str
    a: tuple[int, int]
    """Solved and scored trials of A."""
    b: tuple[int, int]
    trial_a: Row
    trial_b: Row
    folder_a: Path
    """The trial's directory."""
    folder_b: Path
    difference: FirstDifference | None
    """None if a trajectory is missing, or if both did the same throughout."""
    recorded: bool
    """Whether both trajectories are there."""

    @property
    def steps(self) -> tuple[SideStep | None, SideStep | None]:
        """The first steps that differ, of A and B; None for an episode that has none."""
        return (self.difference.a, self.difference.b) if self.difference else (None, None)

    @property
    def winner(self) -> str:
        """The run that solved it more often: `A` or `B`."""
        return "A" if self.a[0] * self.b[1] > self.b[0] * self.a[1] else "B"


@dataclass(frozen=True)
class ComparedRuns:
    """A pair of runs, and the tasks on which they differ."""

    pair: Pair
    flips: tuple[Flip, ...]
    only_a: tuple[str, ...]
    """Tasks with a score in A alone; they are not part of the comparison."""
    only_b: tuple[str, ...]

    def won_by(self, winner: str) -> tuple[Flip, ...]:
        """The tasks that A, or B, solved more often."""
        return tuple(flip for flip in self.flips if flip.winner == winner)
