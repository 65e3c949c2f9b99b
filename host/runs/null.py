"""Runs of null agents: what agents that do no task score on a suite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ambidex.host.agents.null import NULL_AGENTS, SAYS_INFEASIBLE
from ambidex.host.errors import UsageError
from ambidex.host.records.config import RunConfig, read_config
from ambidex.host.records.rows import Row, finished, read_rows

__all__ = ["ACTIVE", "NullRun", "is_null_agent", "read_null_run", "solves"]

ACTIVE = ("save_everything", "file_seeker", "tamperer")
"""Null agents that attack or save by calls: without a call, their score says nothing."""


@dataclass(frozen=True)
class NullRun:
    """The results of a run of null agents."""

    folder: Path
    config: RunConfig
    rows: tuple[Row, ...]

    @cached_property
    def scored(self) -> Mapping[tuple[str, str], tuple[Row, ...]]:
        """The scored rows by task and agent."""
        by: dict[tuple[str, str], tuple[Row, ...]] = {}
        for row in finished(self.rows).values():
            by[row.task, row.agent] = (*by.get((row.task, row.agent), ()), row)
        return by

    @cached_property
    def solvable(self) -> Mapping[str, tuple[str, ...]]:
        """Tasks that were solved by an agent that does no task, with those agents in the order of
        the run. An infeasible task that was called infeasible does not count."""
        by: dict[str, tuple[str, ...]] = {}
        for task, agent, rows in self._by_task():
            if any(solves(row) and not _rightly(row) for row in rows):
                by[task] = (*by.get(task, ()), agent)
        return by

    @property
    def rewarded(self) -> Mapping[str, tuple[str, ...]]:
        """Tasks that gave partial points to an agent that did not solve them, with those agents."""
        by: dict[str, tuple[str, ...]] = {}
        for task, agent, rows in self._by_task():
            if not any(map(solves, rows)) and any(row.score or row.strict for row in rows):
                by[task] = (*by.get(task, ()), agent)
        return by

    def solvable_of(self, other: RunConfig) -> tuple[str, ...]:
        """The tasks of another run that are `solvable`. `UsageError` if that run had another
        version of a task, or a task that no null agent has tried."""
        solved, tried = self.solvable, {row.task for row in self.rows if row.fate == "scored"}
        changed = [
            name
            for name, hash in other.tasks.items()
            if name in tried and self.config.tasks[name] != hash
        ]
        if changed:
            raise UsageError(
                f"the null agents of {self.folder} had another version of {', '.join(changed)}",
                hint="Run `ambidex null` on the suite as the run had it.",
            )
        if missing := [name for name in other.tasks if name not in tried]:
            raise UsageError(
                f"the null agents of {self.folder} have no score for {', '.join(missing)}",
                hint="Run `ambidex null` on all tasks of the run.",
            )
        return tuple(name for name in other.tasks if name in solved)

    @property
    def rightly_infeasible(self) -> tuple[str, ...]:
        """The infeasible tasks that were solved by calling them infeasible."""
        by = self._by_task()
        return tuple(task for task, _, rows in by if any(solves(r) and _rightly(r) for r in rows))

    @property
    def infeasible(self) -> tuple[str, ...]:
        """The infeasible tasks that an agent has a score for."""
        known = {row.task for row in self.rows if row.fate == "scored" and not row.feasible}
        return tuple(task for task in self.config.tasks if task in known)

    @property
    def passive(self) -> tuple[tuple[str, str], ...]:
        """Task and agent where an agent that should act made no call, because no tool was on offer
        that it could use."""
        return tuple(
            (task, agent)
            for task, agent, rows in self._by_task()
            if agent in ACTIVE and not any(row.calls for row in rows)
        )

    def untried(self, task: str) -> tuple[str, ...]:
        """The agents that have no score for the task."""
        scored = self.scored
        return tuple(agent for agent in self.config.agents if (task, agent) not in scored)

    def _by_task(self) -> Iterator[tuple[str, str, tuple[Row, ...]]]:
        scored = self.scored
        for task in self.config.tasks:
            for agent in self.config.agents:
                if rows := scored.get((task, agent)):
                    yield task, agent, rows


def is_null_agent(name: str) -> bool:
    """Whether this is the name of a null agent, with or without a detail."""
    return name.partition(":")[0] in NULL_AGENTS


def read_null_run(folder: Path) -> NullRun:
    """The run in a directory; `UsageError` if it is not one of null agents."""
    config = read_config(folder)
    others = [agent for agent in config.agents if not is_null_agent(agent)]
    if others:
        raise UsageError(
            f"not a run of null agents: {folder} has {', '.join(others)}",
            hint="Name a directory that `ambidex null` wrote.",
        )
    return NullRun(folder, config, tuple(read_rows(folder)))


def solves(row: Row) -> bool:
    """Whether either verdict on the trial is a solved task."""
    return row.success or (row.strict is not None and row.strict >= row.threshold)


def _rightly(row: Row) -> bool:
    return row.agent == SAYS_INFEASIBLE and not row.feasible
