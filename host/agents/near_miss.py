"""The agent that plays a task's near miss: a plausible wrong solution, which must score 0."""

from __future__ import annotations

from ambidex.host import Stop
from ambidex.host.agents.kind import AgentKind
from ambidex.host.agents.oracle import Script
from ambidex.host.errors import UsageError
from ambidex.host.records.config import RunConfig
from ambidex.tasks import Task

__all__ = ["AGENT", "near_miss"]


def near_miss(task: Task, number: int) -> Script:
    """A script of the task's near miss of that number, from 1."""
    miss = task.spec.near_miss[number - 1]
    return Script(miss.calls, Stop(miss.stop), miss.answer)


def _check(detail: str, config: RunConfig, tasks: tuple[Task, ...]) -> None:
    number = int(detail) if detail.isdecimal() else 0
    if number < 1:
        raise UsageError(
            f"near_miss needs the number of a near miss, not {detail!r}",
            hint="For example --agent near_miss:1; `prove` plays all of them.",
        )
    if missing := [task.name for task in tasks if len(task.spec.near_miss) < number]:
        raise UsageError(f"no near miss {number} for {', '.join(missing)}")


AGENT = AgentKind(lambda request: near_miss(request.task, int(request.detail)), _check)
