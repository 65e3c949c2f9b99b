"""Prove a suite: a task must score 1 by its oracles, and 0 by doing nothing and by its near
misses.

In a task with points, a near miss must score what those checks are worth that it does not miss.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ambidex.evaluators import Points
from ambidex.host.agents.null import SAYS_DONE
from ambidex.host.agents.oracle import oracle_names
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Key, Row, finished
from ambidex.host.records.trajectory import calls_of
from ambidex.tasks import Suite, Task
from ambidex.tasks.points import value_of
from ambidex.tasks.spec import TaskSpec

__all__ = ["Claim", "agents_of", "failed_calls", "jobs", "verdicts"]


@dataclass(frozen=True)
class Claim:
    """The expected score of one proof trial, and the row that confirms or refutes it."""

    job: Job
    expected: float
    row: Row | None
    """The scored row of the trial; None if it has none."""
    differs: str = ""
    """How the end state of an accepted variant differs, or what a near miss does wrong."""

    @property
    def holds(self) -> bool:
        """Whether the trial scored as expected, also on each fork, and none of its calls failed."""
        if self.row is None or self.failed:
            return False
        return {self.row.score, *self.row.repeats.values()} == {self.expected}

    @property
    def failed(self) -> tuple[str, ...]:
        """Tools with a failed call. An oracle or near miss with one does not do what it claims."""
        return tuple(call.tool for call in self.row.calls if call.errors) if self.row else ()

    @property
    def failure_message(self) -> str:
        """The message if the claim does not hold."""
        if self.row is None:
            return "no score: see the rows"
        failed = f"; failed calls: {', '.join(self.failed)}" if self.failed else ""
        others = [name for name, score in self.row.repeats.items() if score != self.row.score]
        differ = f"; another verdict in {', '.join(others)}" if others else ""
        return f"{self.row.score:g}: {self.row.reason}{failed}{differ}"


def agents_of(task: Task) -> list[str]:
    """The agents that prove a task: each of its oracles, `says_done` and its near misses."""
    oracles = [f"oracle:{name}" for name in sorted(oracle_names(task), key=_tools_first)]
    misses = [f"near_miss:{number + 1}" for number in range(len(task.spec.near_miss))]
    return [*oracles, SAYS_DONE, *misses]


def _tools_first(name: str) -> tuple[bool, str]:
    return (name.startswith("gui"), name)


def jobs(suite: Suite, *, every_instance: bool = False) -> tuple[Job, ...]:
    """The trials of a proof, on the first instance of each task or on all of them."""
    return tuple(
        Job(task.name, agent, instance.instance)
        for task in suite.tasks
        for instance in (task.instances if every_instance else (task,))
        for agent in agents_of(task)
    )


def expected_score(task: Task, agent: str) -> float:
    """The score that a proof by this agent must get."""
    if agent.startswith("oracle"):
        return 1.0
    if not (agent.startswith("near_miss") and isinstance(task.spec, TaskSpec)):
        return 0.0
    miss = task.spec.near_miss[int(agent.partition(":")[2]) - 1]
    return value_of(
        [
            Points(check.title, check.points, 0 if check.title in miss.misses else check.points)
            for check in task.spec.check
        ]
    )


def verdicts(
    suite: Suite, rows: Sequence[Row], planned: Sequence[Job] | None = None
) -> list[Claim]:
    """The claims about the planned trials, in order; by default, those of first instances."""
    scored: dict[Key, Row] = finished(rows)
    differs = {
        (task.name, f"oracle:{name}"): oracle.variant
        for task in suite.tasks
        for name, oracle in oracle_names(task).items()
    } | {
        (task.name, f"near_miss:{number}"): miss.reason
        for task in suite.tasks
        for number, miss in enumerate(task.spec.near_miss, 1)
    }
    expected = {
        (task.name, agent): expected_score(task, agent)
        for task in suite.tasks
        for agent in agents_of(task)
    }
    return [
        Claim(
            job,
            expected[job.task, job.agent],
            scored.get(job.key),
            differs.get((job.task, job.agent), ""),
        )
        for job in (jobs(suite) if planned is None else planned)
    ]


def failed_calls(claims: Sequence[Claim], run: Path) -> Iterator[str]:
    """A line for each failed call of an oracle or near miss, with the tool's message. `run` is the
    folder of the proof."""
    for claim in claims:
        if claim.failed and claim.row:
            for call in calls_of(run / claim.row.folder):
                if call["error"]:
                    where = f"{claim.job.task} #{claim.job.trial} {claim.job.agent}"
                    yield f"{where}: {call['tool']} failed: {call['output']}"
