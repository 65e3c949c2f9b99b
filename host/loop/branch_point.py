"""Where a branch begins: a step of a recorded trial, with the machine as it was before it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ambidex.host.errors import UsageError
from ambidex.host.loop.checkpointing import SNAPSHOTS
from ambidex.host.loop.stage import STAGE
from ambidex.host.records.config import Branch, Fork
from ambidex.host.records.trajectory import NAME as TRAJECTORY
from ambidex.host.records.trajectory import read_trajectory

__all__ = ["Origin", "bring_stage", "kept_at", "kept_steps", "origin_of", "start_of"]


@dataclass(frozen=True)
class Origin:
    """A step that can be gone on from."""

    trial: Path
    """The recorded trial's directory."""
    step: int
    place: Path
    """Where the machine is kept."""
    fork: Fork
    seed: int
    """Of the recorded trial."""

    @property
    def said(self) -> dict[str, Any]:
        """As the first line of a branch's trajectory says it."""
        return {"run": str(self.trial.parent), "trial": self.trial.name, "step": self.step}


def origin_of(fork: Fork, branch: Branch) -> Origin:
    """The origin of one of a fork's branches; `UsageError` where the machine was not kept there."""
    trial = Path(fork.run) / branch.trial
    return Origin(trial, branch.step, kept_at(trial, branch.step), fork, start_of(trial)["seed"])


def kept_at(trial: Path, step: int) -> Path:
    """Where the machine is kept as it was before that step. A branch has the steps of its parent up
    to where it began."""
    for each in _line(trial, step):
        if (place := each / SNAPSHOTS / str(step)).is_dir():
            return place
    steps = ", ".join(map(str, kept_steps(trial))) or "none"
    raise UsageError(
        f"the machine of {trial} is not kept before step {step}",
        hint=f"It is before these: {steps}. `run --checkpoint every` keeps all.",
    )


def kept_steps(trial: Path) -> list[int]:
    """The steps before which the machine is kept, first one first."""
    found = {int(path.name) for path in trial.glob(f"{SNAPSHOTS}/[0-9]*") if path.name.isdigit()}
    if parent := start_of(trial).get("from"):
        above = kept_steps(Path(parent["run"]) / parent["trial"])
        found |= {step for step in above if step <= parent["step"]}
    return sorted(found)


def start_of(trial: Path) -> Mapping[str, Any]:
    """The first line of a trial's trajectory; `UsageError` where there is none."""
    first = next(read_trajectory(trial), None) if (trial / TRAJECTORY).is_file() else None
    if first is None:
        raise UsageError(f"{trial} holds no trajectory", hint="Name a trial: RUN TASK.")
    return first


def bring_stage(origin: Origin, folder: Path) -> None:
    """Give a branch's directory what its task's setup left behind for the collecting."""
    if (origin.trial / STAGE).is_dir():
        shutil.copytree(origin.trial / STAGE, folder / STAGE)


def _line(trial: Path, step: int) -> list[Path]:
    """The trial, and those above it that went through that step."""
    parent = start_of(trial).get("from")
    if not parent or step > parent["step"]:
        return [trial]
    return [trial, *_line(Path(parent["run"]) / parent["trial"], step)]
