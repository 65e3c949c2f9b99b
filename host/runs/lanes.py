"""Lanes: where the attempts of a run are executed. The runner drives each lane from one thread.

The queue, repetitions, fates and rows stay with the runner (`host.runs.runner`). A lane executes
one attempt at a time: on a machine of this computer (here), or of another host (`host.cluster`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ambidex.host import Model
from ambidex.host.agents import agent_maker
from ambidex.host.loop.branch_point import Runs
from ambidex.host.loop.stage_cache import open_stages
from ambidex.host.loop.trial import Trial
from ambidex.host.models.asking import TextModel
from ambidex.host.records.code import code_hash
from ambidex.host.records.config import ModelConfig, RunConfig
from ambidex.host.records.environment import keep, this_environment
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Row
from ambidex.host.runs.live_table import AttemptState
from ambidex.host.runs.machines import MachineOptions, Source, open_machines, stage_store
from ambidex.tasks import Suite
from ambidex.vm import Machine

__all__ = [
    "Lane",
    "LaneRequest",
    "LaneSource",
    "Lanes",
    "LocalLane",
    "LocalLanes",
    "LocalSource",
    "MakeMachine",
    "OpenLanes",
    "RunParts",
    "Started",
    "on_this_computer",
]

MakeMachine = Callable[[], Machine]
"""Returns a new machine that is not booted yet; the caller closes it."""

Started = Callable[[AttemptState], None]
"""Receives the state of an attempt, which can be read as it runs."""


class Lane(Protocol):
    """A worker with one machine that turns attempts into rows. Used by one thread."""

    @property
    def host(self) -> str:
        """Name of the host that it runs on; empty for the computer of the run."""

    def attempt(self, job: Job, number: int, unproved: int, started: Started) -> Row:
        """Execute the attempt with that number and return its row, whose folder is then complete in
        the run's directory. `unproved` is as for `Trial.attempt`. Raises only
        `InterruptedEpisodeError`: every other failure is a row. After a void row, close the lane.
        """

    def usable(self) -> bool:
        """Whether it can execute another attempt: its host has not been told to drain."""

    def close(self) -> None:
        """End its machine."""


class Lanes(Protocol):
    """Opens the lanes of a run. Thread-safe."""

    def open(self, wanted: Callable[[], bool], host: str = "") -> Lane | None:
        """Open a lane, whose machine is not booted yet, on that host of a cluster, or on any; wait
        for a place if there is none. None if `wanted` became false while waiting."""


@dataclass(frozen=True)
class LaneRequest:
    """What the lanes of a run need to know."""

    config: RunConfig
    suite: Suite
    folder: Path
    """The run's directory."""
    make_model: Callable[[ModelConfig], Model]
    stop: threading.Event
    """Set when the run ends early."""
    say: Callable[[str], None] = lambda text: None
    """Receives messages for the person who started the run."""
    runs: Runs = Path
    """Where the trials that branches start from are."""

    def colleagues(self) -> TextModel | None:
        """See `Attempt.colleagues`."""
        model = self.config.colleague_model
        return TextModel(self.make_model(model), self.config.colleagues.api) if model else None


class LaneSource(Protocol):
    """A place whose machines can run attempts. Its image and provider go into the configuration of
    a run, which its lanes then need."""

    @property
    def image(self) -> str:
        """Name and id of the machines' image."""

    @property
    def provider(self) -> str:
        """The machines' provider."""

    @property
    def network(self) -> bool:
        """Whether the guests have a network."""

    def lanes(self, request: LaneRequest) -> AbstractContextManager[Lanes]:
        """The lanes of a run, for the block."""


@dataclass(frozen=True)
class RunParts:
    """What a host needs for a run besides Ambidex itself."""

    suite: Suite
    references: tuple[str, ...] = ()
    """Names of agents, dialects and other parts; those written `module:attribute` are a user's own.
    """
    toolsets: tuple[str, ...] = ()
    """Paths of toolsets."""
    code: Path | None = None
    """A directory with the packages `guest` and `mcp_tools` that guests serve, if not those of this
    process."""


OpenLanes = Callable[
    [MachineOptions, RunParts, Callable[[str], None]], AbstractContextManager[LaneSource]
]
"""Provides the machines that the options select, for runs with those parts, and closes them at the
end of the block. The last argument receives messages."""


@dataclass(frozen=True)
class LocalLane:
    """A lane on a machine of this computer."""

    machine: Machine
    trial: Trial
    host: str = ""

    def attempt(self, job: Job, number: int, unproved: int, started: Started) -> Row:
        """See `Lane`."""
        return self.trial.attempt(job, number, self.machine, unproved, started)

    def usable(self) -> bool:
        """See `Lane`."""
        return True

    def close(self) -> None:
        """See `Lane`."""
        self.machine.close()


@dataclass(frozen=True)
class LocalLanes:
    """The lanes of a run on this computer: a machine for each."""

    make_machine: MakeMachine
    trial: Trial

    def open(self, wanted: Callable[[], bool], host: str = "") -> LocalLane:
        """See `Lanes`. Never waits."""
        return LocalLane(self.make_machine(), self.trial)


@dataclass(frozen=True)
class LocalSource:
    """The machines of this computer. See `LaneSource`."""

    source: Source

    @property
    def image(self) -> str:
        """See `LaneSource`."""
        return self.source.image

    @property
    def provider(self) -> str:
        """See `LaneSource`."""
        return self.source.provider

    @property
    def network(self) -> bool:
        """See `LaneSource`."""
        return self.source.network

    @contextmanager
    def lanes(self, request: LaneRequest) -> Iterator[LocalLanes]:
        """See `LaneSource`."""
        config, source = request.config, self.source
        environment = this_environment(source.image, source.accelerator, source.guest_code)
        digest = keep(environment, request.folder)
        trial = Trial(
            config,
            request.suite,
            agent_maker(config, request.make_model),
            request.folder,
            request.stop.is_set,
            code_hash(),
            digest,
            open_stages(config, stage_store(source), digest, request.say),
            request.colleagues(),
            request.runs,
        )
        yield LocalLanes(source.make, trial)


@contextmanager
def on_this_computer(
    options: MachineOptions, parts: RunParts, say: Callable[[str], None]
) -> Iterator[LocalSource]:
    """See `OpenLanes`."""
    with open_machines(options, say, code=parts.code) as source:
        yield LocalSource(source)
