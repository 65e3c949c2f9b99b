"""Whether the tasks of a run allow what it asks for, before there are machines."""

from __future__ import annotations

from ambidex.host.errors import UsageError
from ambidex.tasks import Suite, Task
from ambidex.tasks.livemcpbench.body import KeyPointBody
from ambidex.tasks.mcpmark.body import ProgramBody

__all__ = ["refuse_keys_elsewhere", "refuse_unsuited_tasks"]


def refuse_unsuited_tasks(suite: Suite, *, several_verdicts: bool, branches: bool) -> None:
    """`UsageError` if a task has no verdict before its end, or cannot be continued from a step."""
    for task in suite.tasks:
        if several_verdicts and isinstance(task.body, KeyPointBody):
            raise UsageError(
                f"{task.name} is judged by a jury after the run: it has no interim or repeated"
                " verdicts"
            )
        if branches and _keys_of(task):
            raise UsageError(
                f"{task.name} acts on a service outside of its machine, which no checkpoint holds:"
                " its trials cannot be continued from a step"
            )


def refuse_keys_elsewhere(suite: Suite) -> None:
    """`UsageError` if a task needs a key, which stays on this computer."""
    for task in suite.tasks:
        if keys := _keys_of(task):
            raise UsageError(
                f"{task.name} needs {' and '.join(keys)}, which are not sent to other hosts",
                hint="Leave --cluster out, or select other tasks.",
            )


def _keys_of(task: Task) -> tuple[str, ...]:
    return task.body.keys if isinstance(task.body, ProgramBody) else ()
