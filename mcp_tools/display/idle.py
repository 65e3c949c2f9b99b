"""Waiting until programs have handled the events that the X server has for them.

A program's main thread takes events from a queue and sleeps once the queue is empty. So a main
thread that went to sleep after an event was sent, and was not woken since, has handled it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Optional

from Xlib.display import Display

from ambidex.mcp_tools.display import threads

__all__ = ["wait_until_idle"]

QUIET = 0.1
"""Seconds asleep without a wake-up after which a main thread counts as idle."""
POLL_EVERY = 0.01


def wait_until_idle(
    opened: Display, pids: Iterable[int], within: float, most_sleeps: Optional[int] = None
) -> bool:
    """Wait until these processes have handled what was sent before the call; returns whether they
    did within that many seconds. A process that is gone counts as idle, and so does one that went
    to sleep `most_sleeps` times: an animation never idles. A wait for the server's reply is a sleep
    too."""
    # The server writes to its clients between two requests of ours: after the second one, what was
    # sent before the first has been written.
    opened.sync()
    opened.sync()
    first = {pid: sleeps for pid in pids if (sleeps := threads.sleeps(pid)) is not None}
    latest, quiet_since = dict(first), dict.fromkeys(first, time.monotonic())
    end = time.monotonic() + within
    while latest:
        if time.monotonic() > end:
            return False
        time.sleep(POLL_EVERY)
        opened.sync()
        for pid in list(latest):
            sleeps = threads.sleeps(pid)
            if sleeps is None:
                del latest[pid]
                continue
            now = time.monotonic()
            if sleeps != latest[pid] or threads.state(pid) != "S":
                latest[pid], quiet_since[pid] = sleeps, now
            often = most_sleeps is not None and sleeps - first[pid] >= most_sleeps
            if often or now - quiet_since[pid] >= QUIET:
                del latest[pid]
    return True
