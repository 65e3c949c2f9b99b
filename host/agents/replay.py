"""The agent that replays a recorded episode."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

from ambidex.host import Decision, Observation, Stop, ToolCall
from ambidex.host.agents.kind import AgentKind, AgentRequest
from ambidex.host.errors import UsageError
from ambidex.host.records.config import RunConfig
from ambidex.host.records.trajectory import NAME, read_trajectory
from ambidex.tasks import Task

__all__ = ["AGENT", "Replay"]


class Replay:
    """Replays a trajectory: the one in the directory `recorded`, or that of the first trial of
    `task` if `recorded` is a run. With an `instance`, only a trial of that instance will do."""

    def __init__(self, recorded: Path, task: str, instance: int | None = None) -> None:
        folders = [recorded, *sorted(recorded.glob(f"{task}.*[0-9]"))]
        trial = next((folder for folder in folders if _is_of(folder, task, instance)), None)
        if trial is None:
            which = f"instance {instance} of " if instance and instance > 1 else ""
            raise UsageError(f"{recorded} has no trial of {which}{task}")
        self._steps = [line for line in read_trajectory(trial) if line["kind"] == "step"]

    def step(self, observation: Observation) -> Decision:
        """The recorded decision of this step; `DONE` if the record ends without a stop."""
        if not self._steps:
            return Decision(stop=Stop.DONE, thought="The record ends here.")
        decision = self._steps.pop(0)["decision"]
        return Decision(
            thought=decision["thought"],
            calls=tuple(_new_call(call) for call in decision["calls"]),
            stop=Stop(decision["stop"]) if decision["stop"] else None,
            answer=decision["answer"],
        )


def _new_call(call: dict[str, Any]) -> ToolCall:
    # A new id, because the guest answers a known id with the stored result.
    return ToolCall(uuid.uuid4().hex, call["name"], call["arguments"])


def _is_of(folder: Path, task: str, instance: int | None) -> bool:
    if not (folder / NAME).is_file():
        return False
    first = next(read_trajectory(folder), None)
    return (
        first is not None
        and first.get("task") == task
        and instance in (None, first.get("instance", 1))
    )


def _check(detail: str, config: RunConfig, tasks: tuple[Task, ...]) -> None:
    for task in tasks:
        Replay(Path(detail), task.name)  # raises if there is no recording of the task


def _make(request: AgentRequest) -> Replay:
    return Replay(Path(request.detail), request.task.name, request.task.instance)


AGENT = AgentKind(_make, _check)
