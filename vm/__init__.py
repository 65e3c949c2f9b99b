"""Machines: where a desktop lives. Images are recipes, snapshots are frozen running machines, a
revert is a fork.

Use::

    image = open_image("debian-12")                 # vm.building.image: recipe, base, code layer
    with LibvirtProvider() as provider:             # vm.provider, or vm.sandbox.provider's
        with provider.machine(image) as machine:
            machine.boot()                          # a running desktop, the guest answering
            machine.revert("ready")                 # the same desktop as new, in half a second
            machine.snapshot(Path("steps/1"))       # a step: a place to come back to
            machine.revert(Path("steps/1"))
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
    "plain_name",
    "refuse_ready",
]

READY = "ready"
"""The snapshot every image has: logged in, every application closed, the guest answering."""

PLAIN_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
"""What a snapshot may be called. Its name becomes a folder's, and a word of a command to QEMU."""

Place = str | Path
"""Where a machine can go: a snapshot of the image by its name, or the folder of a step that was
kept (`vm.checkpoints.collection`), such as `<trial>/snapshots/7`.
"""


class MachineError(Exception):
    """A machine could not be made, started, reverted or reached: the trial is void, never scored.

    `stage` is the last one reached (`create`, `kernel`, `desktop`, `guest`, `ready`), `hint` what
    would help.
    """

    def __init__(self, message: str, *, stage: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.stage = stage
        self.hint = hint


def plain_name(name: str) -> str:
    """The name of a snapshot as it is; `MachineError` if it could mean anything else."""
    if not re.fullmatch(PLAIN_NAME, name):
        raise MachineError(
            f"a snapshot cannot be called {name!r}",
            hint="Letters, digits, dots, hyphens and underscores; at most 64; no dot at the start.",
        )
    return name


def refuse_ready(name: str) -> None:
    """Nobody keeps a snapshot of their own under the name of the image's."""
    if name == READY:
        raise MachineError(f"the snapshot {READY!r} is the image's own", hint="Use another name.")


@dataclass(frozen=True)
class Program:
    """An application that was started in a machine, for a provider that cannot keep it running."""

    argv: tuple[str, ...]
    window: str
    """A part of its window's title."""


class Machine(Protocol):
    """A desktop on its own disk and memory. A context manager; `close` on exit."""

    @property
    def endpoint(self) -> str:
        """The guest's one endpoint, `http://127.0.0.1:PORT`; new after every boot and revert."""

    @property
    def token(self) -> str:
        """Bearer token of that endpoint; new after every boot and revert."""

    @property
    def vnc(self) -> tuple[str, str]:
        """`host:port` of the framebuffer, and its password; new after every boot and revert."""

    def boot(self) -> None:
        """Return when the guest is ready; `MachineError` names the stage otherwise."""

    def revert(self, snapshot: Place) -> None:
        """Become that snapshot, or a fork of that step; same postcondition as `boot`."""

    def snapshot(self, name: Place, programs: Sequence[Program] = ()) -> None:
        """Keep the running state under `name`, or as a step in that folder; the machine goes on.

        It is whole when this returns, and absent before. Steps below one folder share what is the
        same in them, so a step is small; a provider that cannot keep one raises `MachineError`.

        A virtual machine keeps its memory, and with it every program as it is. A sandbox keeps its
        files, and starts `programs` again, in this order: name every one that has a window.
        """

    def fork(self) -> AbstractContextManager[Machine]:
        """A second machine in the state that this one is in, gone when the context ends; this one
        goes on. `MachineError` where the provider cannot do that.
        """

    def close(self) -> None:
        """End the machine; nothing of it is left running."""

    def console(self) -> str:
        """The serial log so far, for the post-mortem."""

    def picture(self) -> bytes:
        """The screen as PNG, taken from outside: works when the guest does not answer."""
