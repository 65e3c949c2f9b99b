"""Attempts on the machines of other hosts, through Ray.

The run's own process is the head: it has the queue, writes rows and asks models. On each host,
workers (Ray actors, `host.cluster.worker`) have a machine and execute attempts. The head asks a
worker for news (`Report`) until the row is there; a worker never calls the head. Ray places workers
by the resource `desk`, transports code and files, and notices when a process or a host is lost.

Only `host.cluster.ray_library` imports Ray.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ambidex.host import Request
from ambidex.host.errors import HintedError
from ambidex.host.records.rows import Phase
from ambidex.host.runs.machines import MachineOptions

__all__ = [
    "DESK",
    "PIECE",
    "Chunk",
    "HostFacts",
    "HostRefusedError",
    "ImageMissingError",
    "Progress",
    "Question",
    "Report",
    "WorkerOrder",
]

DESK = "desk"
"""Ray's name for the resource that a machine takes one of."""

PIECE = 8 << 20
"""Maximum bytes of files in one message."""


class HostRefusedError(HintedError):
    """A host cannot run attempts of this run; the message names it."""


class ImageMissingError(HostRefusedError):
    """A host lacks the image, which it can fetch from another."""


@dataclass(frozen=True)
class WorkerOrder:
    """What a worker is made for."""

    machines: MachineOptions
    suite: str
    """The suite's directory, relative to the working directory that Ray gives a worker."""
    annotations: str
    """A file with annotations of the tasks, relative to the same; empty: none."""
    tasks: Mapping[str, str]
    """Content hash by task."""
    source: str
    """Digest of the code, see `host.cluster.bundle.source_digest`."""
    lease: float
    """Seconds without a word from the head, after which a worker ends itself and its machines."""
    least_disk: int
    """Bytes that must be free for an attempt."""
    open_lanes: str = "ambidex.host.runs.lanes:on_this_computer"
    """The `OpenLanes` that makes its machines."""
    code: str = ""
    """`RunParts.code`, relative to the working directory; empty: none."""


@dataclass(frozen=True)
class HostFacts:
    """What a worker says about itself and its host."""

    host: str
    node: str
    """Ray's id of the host."""
    image: str
    """Name and id of its machines' image."""
    provider: str


@dataclass(frozen=True)
class Chunk:
    """A piece of a file in a trial's folder."""

    path: str
    """Relative to the folder."""
    offset: int
    data: bytes
    end: bool
    """Whether the file ends here, as far as is known."""


@dataclass(frozen=True)
class Question:
    """A request for a model, which the head asks."""

    number: int
    model: str
    """The model's configuration as JSON."""
    request: Request


@dataclass(frozen=True)
class Progress:
    """How far an attempt has come."""

    phase: Phase = ""
    steps: int = 0
    acted: int = 0


@dataclass(frozen=True)
class Report:
    """News of an attempt."""

    attempt: int
    progress: Progress
    chunks: tuple[Chunk, ...] = ()
    question: Question | None = None
    screen: str | None = None
    """The password of the machine's screen, where there is a new one."""
    row: str = ""
    """The row as JSON, when the attempt has ended."""
    files: Mapping[str, str] = field(default_factory=dict)
    """With the row: SHA-256 of every file in the trial's folder."""
    kept: tuple[int, ...] = ()
    """With the row: the steps before which the host has a checkpoint."""
    environment: str = ""
    """With the row: the host's software environment as JSON."""
    interrupted: bool = False
    """Whether it ended without a row because the run is being closed."""
    crash: str = ""
    """The traceback, if the worker itself failed."""
