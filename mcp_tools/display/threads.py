"""What a program does, and its first thread: with windows, the one that serves them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Optional

__all__ = ["TICKS", "sleeps", "state", "used", "waited", "wanted"]

TICKS = os.sysconf("SC_CLK_TCK")
"""Ticks of a second, in which the kernel counts what processes use."""


def used(pid: int) -> float:
    """Seconds for which the first thread of a process has run, or would have with a free
    processor; 0 for one that is gone.
    """
    return sum(_scheduled(pid))


def waited(pid: int) -> float:
    """Seconds for which its first thread could have run and had no processor."""
    return _scheduled(pid)[1]


def state(pid: int) -> str:
    """Its state as the kernel letters it: R runs, S sleeps, D waits for a disk, T is stopped; empty
    for one that is gone.
    """
    return (_status(f"/proc/{pid}/task/{pid}/stat") or [""])[0]


def sleeps(pid: int) -> Optional[int]:
    """How often its first thread went to sleep of its own accord; None for one that is gone."""
    try:
        status = Path(f"/proc/{pid}/task/{pid}/status").read_text()
    except OSError:
        return None
    return next(
        (
            int(line.split()[1])
            for line in status.splitlines()
            if line.startswith("voluntary_ctxt_switches")
        ),
        None,
    )


def wanted(pid: int) -> float:
    """Seconds of processor time that all threads of a process used, and those of its children that
    have ended, and those for which its first thread waited for a processor; 0 for one that is gone.
    """
    return sum(map(int, _status(f"/proc/{pid}/stat")[11:15])) / TICKS + waited(pid)


def _scheduled(pid: int) -> tuple[float, float]:
    try:
        ran, delayed, _ = Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()
    except (OSError, ValueError):
        return 0.0, 0.0
    return int(ran) / 1e9, int(delayed) / 1e9


def _status(path: str) -> list[str]:
    try:
        status = Path(path).read_text()
    except OSError:
        return []
    return status.rpartition(")")[2].split()
