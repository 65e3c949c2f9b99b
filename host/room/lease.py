"""Leases: the right to use the mouse and keyboard of a machine, held by one viewer at a time across
all control rooms that show the run.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ambidex.host.errors import UsageError

__all__ = ["Leases"]

NAME = "lease"
ABSENT = 30.0
"""Seconds after which the lease of a disconnected viewer (a closed page) can be taken by others."""


@dataclass
class Lease:
    """One lease; it is held as long as its file is locked."""

    viewer: str
    file: int
    gone: float | None = None
    """When its viewer disconnected; None while connected."""


@dataclass
class Leases:
    """The leases that viewers of this room hold. Safe to use from several threads."""

    clock: Callable[[], float] = time.monotonic
    _held: dict[Path, Lease] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, trial: Path, viewer: str) -> None:
        """Give a viewer the lease of the trial in this directory; `UsageError` if another viewer
        holds it."""
        with self._lock:
            held = self._held.get(trial)
            if held and held.viewer != viewer and not self._left(held):
                raise UsageError("another person has taken over this machine")
            if held:
                held.viewer, held.gone = viewer, None
                return
            file = os.open(trial / NAME, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(file)
                raise UsageError(
                    "a person has taken over this machine in another control room"
                ) from None
            self._held[trial] = Lease(viewer, file)

    def give(self, trial: Path, viewer: str) -> None:
        """Release the lease if this viewer holds it."""
        with self._lock:
            held = self._held.get(trial)
            if held and held.viewer == viewer:
                os.close(held.file)
                del self._held[trial]

    def holder(self, trial: Path) -> str | None:
        """The viewer that holds the lease in this room, if any."""
        with self._lock:
            held = self._held.get(trial)
            return held.viewer if held else None

    def connected(self, trial: Path, viewer: str) -> None:
        """Note that a viewer has connected, perhaps again."""
        with self._lock:
            if (held := self._held.get(trial)) and held.viewer == viewer:
                held.gone = None

    def disconnected(self, trial: Path, viewer: str) -> None:
        """Note that a viewer has disconnected."""
        with self._lock:
            if (held := self._held.get(trial)) and held.viewer == viewer:
                held.gone = self.clock()

    def close(self) -> None:
        """Release all leases."""
        with self._lock:
            for held in self._held.values():
                os.close(held.file)
            self._held.clear()

    def _left(self, held: Lease) -> bool:
        return held.gone is not None and self.clock() - held.gone >= ABSENT
