"""What the first thread of a program does: in a program with windows, the one that serves them."""

from __future__ import annotations

from pathlib import Path

__all__ = ["state", "used"]


def used(pid: int) -> float:
    """Seconds for which the first thread of a process has run, or would have with a free
    processor; 0 for one that is gone.
    """
    try:
        ran, waited, _ = Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()
    except (OSError, ValueError):
        return 0.0
    return (int(ran) + int(waited)) / 1e9


def state(pid: int) -> str:
    """Its state as the kernel letters it: R runs, S sleeps, D waits for a disk, T is stopped; empty
    for one that is gone.
    """
    try:
        status = Path(f"/proc/{pid}/task/{pid}/stat").read_text()
    except OSError:
        return ""
    return status.rpartition(")")[2].split()[0]
