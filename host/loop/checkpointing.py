"""Saving the machine before steps of an episode, so that a branch can start there."""

from __future__ import annotations

import time
from pathlib import Path

from ambidex.host.records.config import CheckpointPolicy
from ambidex.vm import Machine

__all__ = ["SNAPSHOTS", "CheckpointSaver"]

SNAPSHOTS = "snapshots"
"""The directory of a trial with its checkpoints, each named by the number of its step."""

GIGABYTE = 1_000_000_000
"""Bytes."""


class CheckpointSaver:
    """Saves checkpoints into a trial's directory. A machine that cannot be saved raises
    `MachineError`, which ends the trial."""

    def __init__(
        self, keep: CheckpointPolicy | None, machine: Machine, folder: Path, first: int = 1
    ) -> None:
        self._keep = keep
        self._machine = machine
        self._folder = folder
        self._first = first
        """The episode's first step. Where it is a branch, its parent has that checkpoint."""
        self.seconds = 0.0

    def save(self, number: int) -> str:
        """Save the machine before this step, if the run asks for it; returns `Step.kept`."""
        if self._keep is None or (number - 1) % self._keep.every:
            return ""
        name = f"{SNAPSHOTS}/{number}"
        if number == self._first > 1:
            return name
        began = time.monotonic()
        (self._folder / SNAPSHOTS).mkdir(exist_ok=True)
        self._machine.snapshot(self._folder / name)
        if self._keep.last or self._keep.budget:
            self._delete_surplus(self._keep)
        self.seconds += time.monotonic() - began
        return name

    def _delete_surplus(self, keep: CheckpointPolicy) -> None:
        from ambidex.vm.checkpoints.collection import (  # heavy, and libvirt may be missing
            RetentionRule,
            apply_retention,
        )

        rule = RetentionRule(every=0, last=keep.last) if keep.last else RetentionRule()
        budget = None if keep.budget is None else round(keep.budget * GIGABYTE)
        apply_retention(self._folder / SNAPSHOTS, rule, budget)
