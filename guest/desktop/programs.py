"""Detects whether programs are still busy with their input.

The screen is still while a program computes, but input sent then may go astray: keys typed before a
dialog opens reach the document behind it. There are two signs. A program that is processing input
keeps its main thread, which serves its windows, busy; one built on Chromium (Chrome, VS Code) keeps
that of the process busy in which it has the page. And while it waits for others (the display, the
window manager, a bus, the disk), the processors are busy.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ambidex.mcp_tools.display import x11
from ambidex.mcp_tools.display.threads import (
    TICKS,
    demanded_time,
    main_thread_delay,
    main_thread_time,
    pages,
    state,
)

__all__ = ["Programs", "processors", "windows_by_owner"]

BUSY = 0.5
"""Load above which a main thread, or one processor, counts as busy."""
REST = 1.0
"""Seconds below half that load after which a process that was given up is waited for again."""
PAGES_EVERY = 5.0
"""Seconds between two searches for the processes of pages, which look at all processes."""
MACHINE = 0
"""A pseudo process id for all processors together."""
FIRST_NAMESPACE = "pid:[4026531836]"
"""The kernel's name of the initial process namespace."""
IDLE = 3
"""Index of the idle ticks in a processor's line of /proc/stat."""


def processors() -> float:
    """Processor seconds used by the desktop so far, without this process.

    In a virtual machine this is all non-idle time: while the host suspends a processor, no ticks
    are counted. In a process namespace, where processors are shared with others, it is the time
    that our processes used and waited for: with few processors left, a program waits for a display
    that waits for a processor.
    """
    if alone():
        return _busy_seconds() - time.process_time()
    # The time that a process used is added to its parent's when it ends.
    demand = sum(demanded_time(int(name)) for name in os.listdir("/proc") if name.isdigit())
    return demand - main_thread_delay(os.getpid()) - time.process_time()


@functools.cache
def alone() -> bool:
    """Whether all processes of the system are visible, because this is the first namespace."""
    return os.readlink("/proc/self/ns/pid") == FIRST_NAMESPACE


def _busy_seconds() -> float:
    _, *lines = Path("/proc/stat").read_text().splitlines()
    idle = [int(line.split()[1 + IDLE]) for line in lines if line.startswith("cpu")]
    return len(idle) * time.monotonic() - sum(idle) / TICKS


class Programs:
    """Checks whether the owners of windows, the processes of their pages, or the processors by the
    count of `machine` are busy.

    `windows` returns the open windows of each process.
    """

    def __init__(
        self,
        windows: Callable[[], Mapping[int, set[int]]],
        machine: Callable[[], float] = processors,
    ) -> None:
        self._windows = windows
        self._machine = machine
        self._open: Mapping[int, set[int]] = {}
        self._pages: dict[int, int] = {}
        self._searched = -PAGES_EVERY
        self._at = 0.0
        self._used: dict[int, float] = {}
        self._busy: set[int] = set()
        self._restless: dict[int, float] = {}
        """The processes that were given up, and when each was last busy."""

    def at_work(self) -> bool:
        """Whether one of them was busy since the last call, or is waiting for the disk."""
        now = time.monotonic()
        elapsed, self._at = now - self._at, now
        known, self._open = self._open, self._with_pages(self._windows(), now)
        before, self._used = self._used, {pid: main_thread_time(pid) for pid in self._open}
        self._used[MACHINE] = self._machine()
        share = {
            pid: (seconds - before.get(pid, seconds)) / elapsed
            for pid, seconds in self._used.items()
        }
        self._busy = {
            pid for pid, part in share.items() if part > BUSY or (pid and state(pid) == "D")
        }
        active = self._busy | {pid for pid, part in share.items() if part > BUSY / 2}
        opened = {pid for pid, windows in self._open.items() if windows - known.get(pid, set())}
        self._restless = {
            pid: now if pid in active else last
            for pid, last in self._restless.items()
            if pid not in opened and (pid in active or now - last < REST)
        }
        return bool(self._busy - self._restless.keys())

    def _with_pages(self, windows: Mapping[int, set[int]], now: float) -> dict[int, set[int]]:
        """These windows by their owners, and also by the processes that have the owners' pages."""
        if now - self._searched >= PAGES_EVERY:
            self._pages, self._searched = pages(windows), now
        by_page = {page: windows.get(owner, set()) for page, owner in self._pages.items()}
        return {**by_page, **windows}

    def give_up(self) -> None:
        """Do not wait again for the processes that are busy now until they have been idle once, or
        have opened another window.

        They do not come to rest: a film or a spinner is playing, or a program takes long to load.
        """
        self._restless |= dict.fromkeys(self._busy, self._at)


def windows_by_owner(display: Any) -> Callable[[], dict[int, set[int]]]:
    """A function that returns the windows on that display, by the process that they belong to."""
    root = display.screen().root
    known: dict[int, int] = {}

    def find() -> dict[int, set[int]]:
        numbers = list(x11.property_of(root, "_NET_CLIENT_LIST") or ())
        for number in numbers:
            if number not in known:
                known[number] = x11.owner(display.create_resource_object("window", number))
        for closed in known.keys() - set(numbers):
            del known[closed]
        found: dict[int, set[int]] = {}
        for number, owner in known.items():
            if owner:
                found.setdefault(owner, set()).add(number)
        return found

    return find
