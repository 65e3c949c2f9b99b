"""Proving a suite: what each task must score when it is solved, left alone, and nearly solved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ambidex.host.records.config import Job
from ambidex.host.records.rows import Key, Row, finished
from ambidex.tasks import Suite, Task

__all__ = ["Verdict", "agents_of", "jobs", "verdicts"]


@dataclass(frozen=True)
class Verdict:
    """One claim about a task, and what came of it."""

    job: Job
    expected: float
    row: Row | None
    """Its scored row; None where there is none."""

    @property
    def holds(self) -> bool:
        """Whether it scored as expected, and, where the task's own calls were played, none of them
        failed."""
        return self.row is not None and self.row.score == self.expected and not self.failed

    @property
    def failed(self) -> tuple[str, ...]:
        """Tools whose call ended in an error; an oracle or a near-miss with one does not do what it
        says."""
        return tuple(call.tool for call in self.row.calls if call.errors) if self.row else ()

    @property
    def said(self) -> str:
        """What is to be said where it does not hold."""
        if self.row is None:
            return "no score: see the rows"
        failed = f"; failed: {', '.join(self.failed)}" if self.failed else ""
        return f"{self.row.score:g}: {self.row.reason}{failed}"


def agents_of(task: Task) -> list[str]:
    """Everything that is played to prove a task."""
    oracles = sorted({f"oracle:{oracle.by}" for oracle in task.spec.oracle}, reverse=True)
    misses = [f"near_miss:{number + 1}" for number in range(len(task.spec.near_miss))]
    return [*oracles, "noop", *misses]


def jobs(suite: Suite) -> tuple[Job, ...]:
    """The trials of a proof."""
    return tuple(Job(task.name, agent, 1) for task in suite.tasks for agent in agents_of(task))


def verdicts(suite: Suite, rows: Sequence[Row]) -> list[Verdict]:
    """The claims of all tasks, in order."""
    scored: dict[Key, Row] = finished(rows)
    return [
        Verdict(job, 1.0 if job.agent.startswith("oracle") else 0.0, scored.get(job.key))
        for job in jobs(suite)
    ]
