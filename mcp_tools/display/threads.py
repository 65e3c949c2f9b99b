"""Processor time and state of programs, and of their first thread, which serves the windows."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Optional

__all__ = [
    "TICKS",
    "demanded_time",
    "main_thread_delay",
    "main_thread_time",
    "pages",
    "sleeps",
    "state",
]

TICKS = os.sysconf("SC_CLK_TCK")
"""Clock ticks per second, the unit of the kernel's processor times."""
PAGE = "--type=renderer"
"""An argument of the processes in which Chromium has its pages."""


def main_thread_time(pid: int) -> float:
    """Seconds for which the first thread of a process has run or waited for a processor; 0 if the
    process is gone.
    """
    return sum(_scheduled(pid))


def main_thread_delay(pid: int) -> float:
    """Seconds for which the first thread was ready to run but had no processor."""
    return _scheduled(pid)[1]


def state(pid: int) -> str:
    """State of the first thread as the kernel's letter: R running, S sleeping, D waiting for a
    disk, T stopped; empty if the process is gone.
    """
    return (_status(f"/proc/{pid}/task/{pid}/stat") or [""])[0]


def sleeps(pid: int) -> Optional[int]:
    """How often the first thread of a process went to sleep; None if the process is gone."""
    try:
        status = Path(f"/proc/{pid}/task/{pid}/status").read_text()
    except OSError:
        return None
    counts = re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status, re.MULTILINE)
    return int(counts[1]) if counts else None


def demanded_time(pid: int) -> float:
    """Seconds of processor time used by all threads of a process and by its ended children, plus
    the time its first thread waited for a processor; 0 if the process is gone.
    """
    return sum(map(int, _status(f"/proc/{pid}/stat")[11:15])) / TICKS + main_thread_delay(pid)


def pages(browsers: Iterable[int]) -> dict[int, int]:
    """The processes in which these programs, if they are built on Chromium, have their pages, each
    with the program that it belongs to.
    """
    parents = {
        int(folder.name): int(status[1])
        for folder in Path("/proc").glob("[0-9]*")
        if (status := _status(f"{folder}/stat"))
    }
    found: dict[int, int] = {pid: pid for pid in browsers}
    parent = set(found)
    while parent:
        parent = {child for child, by in parents.items() if by in parent and child not in found}
        found |= {child: found[parents[child]] for child in parent}
    return {pid: browser for pid, browser in found.items() if PAGE in _arguments(pid)}


def _arguments(pid: int) -> list[str]:
    try:
        line = Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return []
    return line.replace("\0", " ").split()


def _scheduled(pid: int) -> tuple[float, float]:
    try:
        running, delayed, _ = Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()
    except (OSError, ValueError):
        return 0.0, 0.0
    return int(running) / 1e9, int(delayed) / 1e9


def _status(path: str) -> list[str]:
    try:
        status = Path(path).read_text()
    except OSError:
        return []
    return status.rpartition(")")[2].split()
