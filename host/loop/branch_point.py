"""Where a branch starts: a step of a recorded trial, with a checkpoint of the machine before it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ambidex.evaluators.manifest import read_manifest
from ambidex.host.errors import UsageError
from ambidex.host.loop.checkpointing import SNAPSHOTS
from ambidex.host.loop.stage import STAGE
from ambidex.host.records.config import Branch, Fork
from ambidex.host.records.trajectory import NAME as TRAJECTORY
from ambidex.host.records.trajectory import read_trajectory

__all__ = [
    "BranchPoint",
    "Runs",
    "branch_point",
    "checkpoint_of",
    "checkpointed_steps",
    "copy_stage",
    "host_of",
    "note_host",
    "own_checkpointed_steps",
    "saved_steps",
    "start_of",
]

Runs = Callable[[str], Path]
"""From the directory of a run, as the head of a cluster names it, to where its trials are here."""

ELSEWHERE = "host"
"""In place of a checkpoint: the host of a cluster that has it."""


@dataclass(frozen=True)
class BranchPoint:
    """A step that branches can start from."""

    trial: Path
    """The recorded trial's directory."""
    step: int
    checkpoint: Path
    fork: Fork
    seed: int
    """The recorded trial's seed."""
    agent_is_root: bool = False
    """Whether the recorded trial's agent could become root, as its evidence says."""

    @property
    def reference(self) -> dict[str, Any]:
        """The branch point as the first line of a branch's trajectory names it."""
        return {"run": self.fork.run, "trial": self.trial.name, "step": self.step}


def branch_point(fork: Fork, branch: Branch, runs: Runs = Path) -> BranchPoint:
    """The branch point of one of a fork's branches; `UsageError` where it has no checkpoint."""
    trial = runs(fork.run) / branch.trial
    checkpoint = checkpoint_of(trial, branch.step, runs)
    root = read_manifest(trial / "evidence").agent_is_root
    return BranchPoint(trial, branch.step, checkpoint, fork, start_of(trial)["seed"], root)


def checkpoint_of(trial: Path, step: int, runs: Runs = Path) -> Path:
    """The checkpoint before that step; `UsageError` where there is none. A branch shares its
    parent's checkpoints up to the step at which it starts. See `host_of`."""
    for folder in _ancestry(trial, step, runs):
        if (checkpoint := folder / SNAPSHOTS / str(step)).is_dir():
            return checkpoint
    steps = ", ".join(map(str, checkpointed_steps(trial))) or "none"
    raise UsageError(
        f"{trial} has no checkpoint before step {step}",
        hint=f"It has checkpoints before these steps: {steps}. `run --checkpoint every` saves all.",
    )


def host_of(checkpoint: Path) -> str:
    """The host of a cluster that has a checkpoint; empty if it is on this computer."""
    path = checkpoint / ELSEWHERE
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def note_host(trial: Path, steps: Iterable[int], host: str) -> None:
    """Note that a host has the checkpoints of a trial before these steps."""
    for step in steps:
        place = trial / SNAPSHOTS / str(step)
        place.mkdir(parents=True, exist_ok=True)
        (place / ELSEWHERE).write_text(host, encoding="utf-8")


def saved_steps(trial: Path) -> set[int]:
    """The steps whose checkpoint is in the trial's own directory."""
    return {int(path.name) for path in trial.glob(f"{SNAPSHOTS}/[0-9]*") if path.name.isdigit()}


def checkpointed_steps(trial: Path) -> list[int]:
    """The steps that have a checkpoint, in order."""
    steps = saved_steps(trial)
    if parent := start_of(trial).get("from"):
        inherited = checkpointed_steps(Path(parent["run"]) / parent["trial"])
        steps |= {step for step in inherited if step <= parent["step"]}
    return sorted(steps)


def own_checkpointed_steps(trial: Path) -> set[int]:
    """The steps of a trial itself that have a checkpoint: those before the step at which a branch
    starts are its parent's."""
    first = start_of(trial).get("from", {"step": 1})["step"]
    return {step for step in checkpointed_steps(trial) if step >= first}


def start_of(trial: Path) -> Mapping[str, Any]:
    """The first line of a trial's trajectory; `UsageError` where there is none."""
    first = next(read_trajectory(trial), None) if (trial / TRAJECTORY).is_file() else None
    if first is None:
        raise UsageError(
            f"not a trial directory (it has no trajectory): {trial}",
            hint="Name a trial: RUN TASK.",
        )
    return first


def copy_stage(point: BranchPoint, folder: Path) -> None:
    """Copy what the parent's setup stored for collection into a branch's directory."""
    if (point.trial / STAGE).is_dir():
        shutil.copytree(point.trial / STAGE, folder / STAGE)


def _ancestry(trial: Path, step: int, runs: Runs) -> list[Path]:
    """The trial and those of its ancestors that contain that step."""
    parent = start_of(trial).get("from")
    if not parent or step > parent["step"]:
        return [trial]
    return [trial, *_ancestry(runs(parent["run"]) / parent["trial"], step, runs)]
