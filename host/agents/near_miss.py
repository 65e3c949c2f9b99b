"""The agent that plays a task's near miss: a plausible wrong solution, which must score 0."""

from __future__ import annotations

from ambidex.host import Stop
from ambidex.host.agents.kind import AgentKind
from ambidex.host.agents.oracle import Script
from ambidex.tasks import Task

__all__ = ["AGENT", "near_miss"]


def near_miss(task: Task, number: int) -> Script:
    """A script of the task's near miss of that number, from 1."""
    miss = task.spec.near_miss[number - 1]
    return Script(miss.calls, Stop(miss.stop), miss.answer)


AGENT = AgentKind(lambda request: near_miss(request.task, int(request.detail)))
