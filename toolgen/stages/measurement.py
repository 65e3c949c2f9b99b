"""What a candidate is measured by."""

from __future__ import annotations

from dataclasses import dataclass

from ambidex.host.runs.machines import MachineOptions

__all__ = ["Measured"]


@dataclass(frozen=True)
class Measured:
    """A suite and an agent, the same with and without the candidate."""

    suite: str
    agent: str
    model: str
    trials: int
    steps: int
    base_url: str
    machines: MachineOptions
