"""Who may use the mouse and the keyboard of a machine: one viewer at a time, over all rooms that
look at the run.
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
"""Seconds after which the lease of a viewer that has gone (a closed page) is anybody's."""


@dataclass
class Lease:
    """Held as long as the file is locked."""

    viewer: str
    file: int
    gone: float | None = None
    """Since when its viewer is connected no more."""


@dataclass
class Leases:
    """The leases that viewers of this room hold. Used from several threads."""

    clock: Callable[[], float] = time.monotonic
    _held: dict[Path, Lease] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, trial: Path, viewer: str) -> None:
        """Give the viewer the lease of the trial in that directory; `UsageError` where somebody
        else holds it."""
        with self._lock:
            held = self._held.get(trial)
            if held and held.viewer != viewer and not self._left(held):
                raise UsageError("somebody else is at the keyboard of this machine")
            if held:
                held.viewer, held.gone = viewer, None
                return
            file = os.open(trial / NAME, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(file)
                raise UsageError(
                    "somebody is at the keyboard of this machine, in another control room"
                ) from None
            self._held[trial] = Lease(viewer, file)

    def give(self, trial: Path, viewer: str) -> None:
        """End it, if it is that viewer's."""
        with self._lock:
            held = self._held.get(trial)
            if held and held.viewer == viewer:
                os.close(held.file)
                del self._held[trial]

    def holder(self, trial: Path) -> str | None:
        """The viewer that holds it in this room."""
        with self._lock:
            held = self._held.get(trial)
            return held.viewer if held else None

    def came(self, trial: Path, viewer: str) -> None:
        """A viewer is connected (again)."""
        with self._lock:
            if (held := self._held.get(trial)) and held.viewer == viewer:
                held.gone = None

    def went(self, trial: Path, viewer: str) -> None:
        """A viewer is connected no more."""
        with self._lock:
            if (held := self._held.get(trial)) and held.viewer == viewer:
                held.gone = self.clock()

    def close(self) -> None:
        """End them all."""
        with self._lock:
            for held in self._held.values():
                os.close(held.file)
            self._held.clear()

    def _left(self, held: Lease) -> bool:
        return held.gone is not None and self.clock() - held.gone >= ABSENT
