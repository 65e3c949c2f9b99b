"""The machine's state, kept before steps of an episode, so that one can go on from there."""

from __future__ import annotations

import time
from pathlib import Path

from ambidex.host.records.config import CheckpointPolicy
from ambidex.vm import Machine

__all__ = ["SNAPSHOTS", "Keeping"]

SNAPSHOTS = "snapshots"
"""Where they lie in a trial's directory, each under the number of its step."""

GIGABYTE = 1_000_000_000
"""Bytes."""


class Keeping:
    """Keeps the machine in a trial's directory. What a machine cannot keep is a `MachineError`, and
    ends the trial.
    """

    def __init__(
        self, keep: CheckpointPolicy | None, machine: Machine, folder: Path, first: int = 1
    ) -> None:
        self._keep = keep
        self._machine = machine
        self._folder = folder
        self._first = first
        """The step that the episode begins with: where it is a branch, its parent has that."""
        self.seconds = 0.0

    def before(self, number: int) -> str:
        """To be called before each step; where the machine is kept, in words of `Step.kept`."""
        if self._keep is None or (number - 1) % self._keep.every:
            return ""
        kept = f"{SNAPSHOTS}/{number}"
        if number == self._first > 1:
            return kept
        began = time.monotonic()
        (self._folder / SNAPSHOTS).mkdir(exist_ok=True)
        self._machine.snapshot(self._folder / kept)
        if self._keep.last or self._keep.budget:
            self._give_back(self._keep)
        self.seconds += time.monotonic() - began
        return kept

    def _give_back(self, keep: CheckpointPolicy) -> None:
        from ambidex.vm.checkpoints.collection import (  # heavy, and libvirt may be missing
            Rule,
            retain,
        )

        rule = Rule(every=0, last=keep.last) if keep.last else Rule()
        budget = None if keep.budget is None else round(keep.budget * GIGABYTE)
        retain(self._folder / SNAPSHOTS, rule, budget)
