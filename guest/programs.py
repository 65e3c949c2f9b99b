"""Whether a program with a window is at work on what it was told.

A screen is still while a program thinks, and what it is told then goes astray: keys typed ahead of
a dialog land in the document behind it. A program that has taken everything in waits; one that has
not keeps its first thread, which serves its windows, busy.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from mcp_tools import x11
from mcp_tools.threads import state, used

__all__ = ["Programs", "owners"]

BUSY = 0.5
"""Part of the time for which a first thread has something to do when it is at work."""


class Programs:
    """The programs of those processes, asked now and then."""

    def __init__(self, processes: Callable[[], Iterable[int]]) -> None:
        self._processes = processes
        self._at = 0.0
        self._used: dict[int, float] = {}
        self._busy: set[int] = set()
        self._restless: set[int] = set()

    def at_work(self) -> bool:
        """Whether one of them was busy since the last question, or is waiting for the disk."""
        now = time.monotonic()
        elapsed, self._at = now - self._at, now
        before, self._used = self._used, {pid: used(pid) for pid in self._processes()}
        self._busy = {
            pid
            for pid, seconds in self._used.items()
            if seconds - before.get(pid, seconds) > BUSY * elapsed or state(pid) == "D"
        }
        self._restless &= self._busy
        return bool(self._busy - self._restless)

    def give_up(self) -> None:
        """Those that are busy now do not come to rest (a film, a spinning wheel): they are not
        waited for again until they once did.
        """
        self._restless |= self._busy


def owners(opened: Any) -> Callable[[], set[int]]:
    """The processes that have a window on that display, now."""
    root = opened.screen().root
    clients = opened.get_atom("_NET_CLIENT_LIST")
    known: dict[int, int] = {}

    def found() -> set[int]:
        listed = root.get_full_property(clients, 0)
        numbers = list(listed.value) if listed else []
        for number in numbers:
            if number not in known:
                known[number] = x11.owner(opened.create_resource_object("window", number))
        for gone in known.keys() - set(numbers):
            del known[gone]
        return set(known.values()) - {0}

    return found
