"""Options of the measure stage."""

from __future__ import annotations

from dataclasses import dataclass

from ambidex.host.runs.lanes import OpenLanes, on_this_computer
from ambidex.host.runs.machines import MachineOptions

__all__ = ["MeasureOptions"]


@dataclass(frozen=True)
class MeasureOptions:
    """The suite and the agent that a candidate is measured with, with and without its tool."""

    suite: str
    agent: str
    model: str
    trials: int
    steps: int
    base_url: str
    machines: MachineOptions
    open_lanes: OpenLanes = on_this_computer
    """Where the suite is run."""
