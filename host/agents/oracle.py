"""Agents that play what a task itself says: its reference solutions, and its near-misses."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from host import Decision, Observation, Stop, ToolCall
from host.errors import UsageError
from tasks import Task
from tasks.spec import Call

__all__ = ["Script", "near_miss", "play_oracle"]


class Script:
    """Makes one call per step, whatever comes of it, and stops once all are made."""

    def __init__(self, calls: Sequence[Call], stop: Stop, answer: str | None) -> None:
        self._calls = list(calls)
        self._stop = stop
        self._answer = answer

    def step(self, observation: Observation) -> Decision:
        """The next call of the script."""
        if not self._calls:
            return Decision(stop=self._stop, answer=self._answer)
        call = self._calls.pop(0)
        return Decision(calls=(ToolCall(uuid.uuid4().hex, call.call, call.with_),))


def play_oracle(task: Task, by: str) -> Script:
    """The task's reference solution by `tools` or `gui`; `UsageError` where it has none."""
    for oracle in task.spec.oracle:
        if oracle.by == by:
            return Script(oracle.calls, Stop(oracle.stop), oracle.answer)
    raise UsageError(f"{task.name} has no oracle by {by}")


def near_miss(task: Task, number: int) -> Script:
    """The task's near-miss of that number, from 1."""
    miss = task.spec.near_miss[number - 1]
    return Script(miss.calls, Stop(miss.stop), miss.answer)
