"""Machines that desktops run on: built from recipes, saved as snapshots, reverted by a fork.

Example::

    image = open_image("debian-12")                 # vm.building.image: recipe, base, code layer
    with LibvirtProvider() as provider:             # vm.provider, or vm.sandbox.provider's
        with provider.machine(image) as machine:
            machine.boot()                          # a running desktop whose guest answers
            machine.revert("ready")                 # back to the start, in half a second
            machine.snapshot(Path("steps/1"))       # save a checkpoint
            machine.revert(Path("steps/1"))         # go back to it
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

__all__ = [
    "PLAIN_NAME",
    "READY",
    "Machine",
    "MachineError",
    "Place",
    "Program",
    "UnforkableError",
    "plain_name",
    "refuse_ready",
]

READY = "ready"
"""The snapshot that every image has: user logged in, applications closed, guest answering."""

PLAIN_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
"""Pattern of a snapshot's name, which becomes a folder and a word of a command to QEMU."""

Place = str | Path
"""What a machine can revert to: a snapshot of the image by name, or the folder of a checkpoint
(`vm.checkpoints.collection`), such as `<trial>/snapshots/7`.
"""


class MachineError(Exception):
    """A machine could not be made, started, reverted or reached: the attempt is void.

    `stage` is the last boot stage reached (`create`, `kernel`, `desktop`, `guest`, `ready`); `hint`
    says what would help.
    """

    def __init__(self, message: str, *, stage: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.stage = stage
        self.hint = hint


class UnforkableError(MachineError):
    """A machine of this kind cannot be forked, and has no checkpoints."""


def plain_name(name: str) -> str:
    """Return a valid name of a snapshot unchanged; `MachineError` if it is not one."""
    if not re.fullmatch(PLAIN_NAME, name):
        raise MachineError(
            f"not a name for a snapshot: {name!r}",
            hint="Use at most 64 letters, digits, dots, hyphens and underscores; no leading dot.",
        )
    return name


def refuse_ready(name: str) -> None:
    """Raise `MachineError` if `name` is reserved for the image's own snapshot."""
    if name == READY:
        raise MachineError(
            f"the name {READY!r} is reserved for the image's own snapshot", hint="Use another name."
        )


@dataclass(frozen=True)
class Program:
    """A running application, which a provider that cannot save processes starts again."""

    argv: tuple[str, ...]
    window: str
    """A part of its window's title."""


class Machine(Protocol):
    """A desktop with its own disk and memory. A context manager that calls `close` on exit."""

    @property
    def endpoint(self) -> str:
        """The guest's endpoint, `http://127.0.0.1:PORT`; new after every boot and revert."""

    @property
    def token(self) -> str:
        """The endpoint's bearer token; new after every boot and revert."""

    @property
    def vnc(self) -> tuple[str, str] | None:
        """The display's `host:port` and password, new after every boot and revert; None if the
        machine has no display."""

    def boot(self) -> None:
        """Boot, and return when the guest is ready; `MachineError` names the stage it reached."""

    def revert(self, snapshot: Place, services: Sequence[str] | None = None) -> None:
        """Revert to a snapshot or a checkpoint; afterwards, as after `boot`, the guest is ready.

        `services` names those of the image's services that are needed, by default all. A sandbox
        starts no others; a virtual machine always runs all.
        """

    def snapshot(self, name: Place, programs: Sequence[Program] = ()) -> None:
        """Save the running state as the snapshot `name`, or as a checkpoint in that folder.

        The machine keeps running. A snapshot exists only once it is complete. Checkpoints in one
        folder share their blocks, so each is small. `MachineError` if the provider has none.

        A virtual machine saves its memory, and with it every program. A sandbox saves its files
        and starts its services again; with a desktop, it has no checkpoints, and also starts
        `programs` again, in this order: name every one that has a window.
        """

    def fork(self) -> AbstractContextManager[Machine]:
        """Start a second machine in the present state of this one, which keeps running.

        It is closed when the context ends. `MachineError` if the provider cannot do this.
        """

    def close(self) -> None:
        """End the machine and everything that runs on it."""

    def console(self) -> str:
        """The console output so far, for diagnosis."""

    def picture(self) -> bytes:
        """The screen as PNG, captured from outside: works even if the guest does not answer.
        `MachineError` if the machine has no display."""
