"""The agent that plays a task's near-miss: what nearly solves it, and must score 0."""

from __future__ import annotations

from host import Agent, Stop
from host.agents.kind import Asked
from host.agents.oracle import Script
from host.records.config import RunConfig
from tasks import Task

__all__ = ["AGENT", "near_miss"]


def near_miss(task: Task, number: int) -> Script:
    """The task's near-miss of that number, from 1."""
    miss = task.spec.near_miss[number - 1]
    return Script(miss.calls, Stop(miss.stop), miss.answer)


class NearMiss:
    """`near_miss:N`, from 1."""

    roles = ()

    def make(self, asked: Asked) -> Agent:
        """The near-miss of that number."""
        return near_miss(asked.task, int(asked.detail))

    def check(self, detail: str, config: RunConfig, tasks: tuple[Task, ...]) -> None:
        """`prove` names those that there are."""


AGENT = NearMiss()
