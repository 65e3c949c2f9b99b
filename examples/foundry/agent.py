"""An agent for measurements without a key: it solves a foundry task in one call if a tool for it is
on offer, and otherwise by the task's GUI sequence.

    ambidex toolgen measure NAME --suite examples/foundry/tasks …
        --agent examples.foundry.agent:OneCall
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ambidex.host import Briefing, Decision, Observation, Stop, ToolCall
from ambidex.tasks import Task
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.tasks.spec import Call

__all__ = ["OneCall"]

TASKS = Path(__file__).parent / "tasks"
IN_ONE: dict[str, list[dict[str, Any]]] = {
    "calc-backwards": [
        {"call": "calc_reverse_rows", "with": {"range_str": "A2:C6"}},
        {"call": "calc_save"},
    ],
    "writer-minutes": [
        {"call": "writer_delete_paragraphs", "with": {"paragraph_indices": [2, 4]}},
        {"call": "writer_save"},
    ],
    "gnome-night-light": [
        {"call": "gnome_set_night_light", "with": {"enable": True, "temperature": 3500}}
    ],
}
"""The calls that solve each task with the tool that may be made from it."""


class OneCall:
    """Chooses a plan by the tools on offer at the first step, and then executes it."""

    def __init__(self, briefing: Briefing) -> None:
        suite = load_suite(TASKS, read_catalogue()).tasks
        self._task = next(t for t in suite if t.spec.instruction == briefing.instruction)
        self._plan: Sequence[Call] | None = None

    def step(self, observation: Observation) -> Decision:
        """The next call of the plan."""
        if self._plan is None:
            self._plan = plan(self._task, {tool.name for tool in observation.tools})
        if not self._plan:
            return Decision(stop=Stop.DONE)
        call, self._plan = self._plan[0], self._plan[1:]
        name = f"{self._task.name}-{len(self._plan)}"
        return Decision(calls=(ToolCall(name, call.call, call.with_),))


def plan(task: Task, offered: set[str]) -> Sequence[Call]:
    """Calls that solve the task with the offered tools."""
    short = [Call.model_validate(call) for call in IN_ONE[task.name]]
    if all(call.call in offered for call in short):
        return short
    return next(oracle.calls for oracle in task.spec.oracle if oracle.by == "gui")
