"""The agent that does again what an agent did before."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

from ambidex.host import Decision, Observation, Stop, ToolCall
from ambidex.host.agents.kind import AgentKind
from ambidex.host.errors import UsageError
from ambidex.host.records.config import RunConfig
from ambidex.host.records.trajectory import NAME, read_trajectory
from ambidex.tasks import Task

__all__ = ["AGENT", "Replay"]


class Replay:
    """Plays a recorded trajectory: of the directory itself, or of the first trial of `task` in a
    run."""

    def __init__(self, recorded: Path, task: str) -> None:
        folders = [recorded, *sorted(recorded.glob(f"{task}.*[0-9]"))]
        found = next((each for each in folders if _is_of(each, task)), None)
        if found is None:
            raise UsageError(f"{recorded} has no trial of {task}")
        self._steps = [line for line in read_trajectory(found) if line["kind"] == "step"]

    def step(self, observation: Observation) -> Decision:
        """The decision that was made at this step; where the record ends without one to stop,
        done."""
        if not self._steps:
            return Decision(stop=Stop.DONE, thought="The record ends here.")
        said = self._steps.pop(0)["decision"]
        return Decision(
            thought=said["thought"],
            calls=tuple(_again(call) for call in said["calls"]),
            stop=Stop(said["stop"]) if said["stop"] else None,
            answer=said["answer"],
        )


def _again(call: dict[str, Any]) -> ToolCall:
    # A new id: this is a new action, not a question about the old one.
    return ToolCall(uuid.uuid4().hex, call["name"], call["arguments"])


def _is_of(folder: Path, task: str) -> bool:
    if not (folder / NAME).is_file():
        return False
    first = next(read_trajectory(folder), None)
    return first is not None and first.get("task") == task


def _check(detail: str, config: RunConfig, tasks: tuple[Task, ...]) -> None:
    for task in tasks:
        Replay(Path(detail), task.name)  # refuses a task of which nothing is recorded


AGENT = AgentKind(lambda asked: Replay(Path(asked.detail), asked.task.name), _check)
