"""Whether something is at work on what it was told.

A screen is still while a program thinks, and what it is told then goes astray: keys typed ahead of
a dialog land in the document behind it. Two things tell. A program that has not taken everything in
keeps its first thread, which serves its windows, busy. And while it waits for others in turn (the
display, the window manager, a bus, the disk), the processors have no rest.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ambidex.mcp_tools.display import x11
from ambidex.mcp_tools.display.threads import (
    TICKS,
    demanded_time,
    main_thread_delay,
    main_thread_time,
    state,
)

__all__ = ["Programs", "owners", "processors"]

BUSY = 0.5
"""Part of the time for which a first thread, or one processor, has something to do at work."""
REST = 1.0
"""Seconds with at most half as much to do after which what never came to rest is waited for again.
"""
MACHINE = 0
"""Stands among the process ids for all processors together."""
FIRST_NAMESPACE = "pid:[4026531836]"
"""The kernel's own name of the namespace that holds every process."""
IDLE = 3
"""Which number of a processor's line in /proc/stat counts its idle ticks."""


def processors() -> float:
    """Seconds for which the processors had something to do for us, ourselves left out.

    On a machine of our own that is all the time in which they were not idle: a processor that its
    host holds up counts no tick at all. Where the processors are shared with others (we are in a
    process namespace) it is what our processes used and what they waited for: with little left for
    us, a program waits for a display that waits for a processor.
    """
    if alone():
        return _not_idle() - time.process_time()
    # What a process used goes over to its parent when it ends.
    wants = sum(demanded_time(int(name)) for name in os.listdir("/proc") if name.isdigit())
    return wants - main_thread_delay(os.getpid()) - time.process_time()


@functools.cache
def alone() -> bool:
    """Whether all processes there are can be seen from here."""
    return os.readlink("/proc/self/ns/pid") == FIRST_NAMESPACE


def _not_idle() -> float:
    _, *lines = Path("/proc/stat").read_text().splitlines()
    idle = [int(line.split()[1 + IDLE]) for line in lines if line.startswith("cpu")]
    return len(idle) * time.monotonic() - sum(idle) / TICKS


class Programs:
    """The programs of those processes, asked now and then, and the machine as `machine` says."""

    def __init__(
        self, processes: Callable[[], Iterable[int]], machine: Callable[[], float] = processors
    ) -> None:
        self._processes = processes
        self._machine = machine
        self._at = 0.0
        self._used: dict[int, float] = {}
        self._busy: set[int] = set()
        self._restless: dict[int, float] = {}
        """Those that are not waited for, and when each was last busy."""

    def at_work(self) -> bool:
        """Whether one of them was busy since the last question, or is waiting for the disk."""
        now = time.monotonic()
        elapsed, self._at = now - self._at, now
        before, self._used = self._used, {pid: main_thread_time(pid) for pid in self._processes()}
        self._used[MACHINE] = self._machine()
        share = {
            pid: (seconds - before.get(pid, seconds)) / elapsed
            for pid, seconds in self._used.items()
        }
        self._busy = {
            pid for pid, part in share.items() if part > BUSY or (pid and state(pid) == "D")
        }
        active = self._busy | {pid for pid, part in share.items() if part > BUSY / 2}
        self._restless = {
            pid: now if pid in active else last
            for pid, last in self._restless.items()
            if pid in active or now - last < REST
        }
        return bool(self._busy - self._restless.keys())

    def give_up(self) -> None:
        """Those that are busy now do not come to rest (a film, a spinning wheel): they are not
        waited for again until they once did.
        """
        self._restless |= dict.fromkeys(self._busy, self._at)


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
