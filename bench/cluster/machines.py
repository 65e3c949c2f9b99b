"""Machines without desktops for `python -m bench cluster`.

Each attempt waits for as long as a real one takes, writes a small folder and ends with a score, or
void. The rows say nothing about any agent.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from ambidex.host import Stop
from ambidex.host.errors import MachineError
from ambidex.host.loop.episode import InterruptedEpisodeError
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Failure, Phase, Row
from ambidex.host.runs.lanes import LaneRequest, RunParts, Started
from ambidex.host.runs.machines import MachineOptions

__all__ = ["FRAME", "IMAGE", "open_synthetic"]

IMAGE, PROVIDER = "synthetic", "synthetic"
FRAME = 60_000
"""Bytes of an attempt's only frame: about a compressed screenshot of a desktop."""
STEPS = 8


@dataclass
class SyntheticState:
    """See `host.runs.live_table.AttemptState`."""

    phase: Phase = "setup"
    steps: int = 0
    acted: int = 0


@dataclass(frozen=True)
class SyntheticLane:
    """A lane without a machine. The mean duration in seconds and the share of void attempts are in
    the run's limits: `seconds` and `cost`."""

    request: LaneRequest
    host: str = ""

    def attempt(self, job: Job, number: int, unproved: int, started: Started) -> Row:
        """See `Lane`."""
        request, config = self.request, self.request.config
        began, drawn = time.monotonic(), random.Random(f"{job} {number}")
        duration = drawn.uniform(0.5, 1.5) * config.limits.seconds
        state = SyntheticState()
        started(state)
        folder = request.folder / f"{job.task}.{job.trial}"
        (folder / "frames").mkdir(parents=True)
        (folder / "frames" / "0.png").write_bytes(os.urandom(FRAME))
        state.phase = "episode"
        with (folder / "trajectory.jsonl").open("w") as trajectory:
            for state.steps in range(1, STEPS + 1):
                print(json.dumps({"kind": "step", "number": state.steps}), file=trajectory)
                trajectory.flush()
                if request.stop.wait(duration / STEPS):
                    raise InterruptedEpisodeError
        void = drawn.random() < (config.limits.cost or 0.0)
        failure = Failure(type=MachineError.__name__, message="invented") if void else None
        return Row(
            suite=request.suite.name,
            task=job.task,
            task_hash=config.tasks[job.task],
            agent=job.agent,
            trial=job.trial,
            attempt=number,
            condition=config.condition,
            tool_beneficial=False,
            feasible=True,
            fate="void" if void else "scored",
            score=None if void else 1.0,
            failure=failure,
            stop=None if void else Stop.DONE,
            steps=STEPS,
            provider=PROVIDER,
            folder=folder.name,
            started=datetime.now(UTC).isoformat(timespec="seconds"),
            seconds={"total": time.monotonic() - began},
            config=config.hash,
            code="synthetic",
        )

    def usable(self) -> bool:
        """See `Lane`."""
        return True

    def close(self) -> None:
        """Nothing to end."""


@dataclass(frozen=True)
class SyntheticLanes:
    """See `host.runs.lanes.Lanes`."""

    request: LaneRequest

    def open(self, wanted: Callable[[], bool], host: str = "") -> SyntheticLane:
        """See `Lanes`."""
        return SyntheticLane(self.request)


@dataclass(frozen=True)
class SyntheticSource:
    """See `host.runs.lanes.LaneSource`."""

    image: str = IMAGE
    provider: str = PROVIDER
    network: bool = False

    @contextmanager
    def lanes(self, request: LaneRequest) -> Iterator[SyntheticLanes]:
        """See `LaneSource`."""
        yield SyntheticLanes(request)


@contextmanager
def open_synthetic(
    options: MachineOptions, parts: RunParts, say: Callable[[str], None]
) -> Iterator[SyntheticSource]:
    """See `host.runs.lanes.OpenLanes`."""
    yield SyntheticSource()
