"""Cleans up the machines of an owner process after it has ended, however it ended.

`python -m ambidex.vm.machines.reaper TAG FOLDER…` reads from a pipe that closes when the owner
ends, even by SIGKILL. It then kills every process whose command line contains TAG until none is
left, and removes the folders and control groups. It never signals a process without the tag.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

__all__ = ["IN_ORDER", "processes_with"]

QUIET = 2.0
"""Seconds without a tagged process before the reaper exits: a machine may just be starting."""

IN_ORDER = b"closed"
"""Written by an owner that has ended its machines itself: the reaper checks once and exits."""


def processes_with(tag: str) -> list[int]:
    """Ids of the processes whose command line contains `tag`, except this one and reapers."""
    pids = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if tag.encode() in line and b"ambidex.vm.machines.reaper" not in line.split(b"\0"):
                pids.append(int(entry.name))
    return pids


def reap(tag: str, quiet: float) -> None:
    """Kill the processes with this tag until none has been seen for `quiet` seconds."""
    pause = threading.Event()
    last_seen = time.monotonic()
    while True:
        for pid in processes_with(tag):
            last_seen = time.monotonic()
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() - last_seen >= quiet:
            return
        pause.wait(0.1)


def remove(folders: list[str]) -> None:
    """Remove folders, with retries: a control group cannot be removed while it has a process."""
    pause = threading.Event()
    for _ in range(100):
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        if not any(map(os.path.exists, folders)):
            return
        pause.wait(0.1)


def main() -> None:
    """Wait until the owner ends, then clean up."""
    tag, *folders = sys.argv[1:]
    if len(tag) < 12:
        raise SystemExit(
            f"ambidex.vm.machines.reaper: the tag {tag!r} is too short: "
            "it could match other processes (at least 12 characters)"
        )
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    in_order = sys.stdin.buffer.read() == IN_ORDER
    reap(tag, 0.0 if in_order else QUIET)
    remove(folders)


if __name__ == "__main__":
    main()
