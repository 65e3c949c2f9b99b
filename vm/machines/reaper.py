"""Ends what its owner left behind, however the owner died.

`python -m ambidex.vm.machines.reaper TAG FOLDER…` holds the read end of a pipe, which closes when
the owner ends, even by kill -9. Then it kills every process whose command line carries TAG until
none is left, and removes the folders and control groups. It never signals a process that does not
carry its owner's tag.
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
"""Seconds without a tagged process before the reaper leaves: a machine may be starting just now."""

IN_ORDER = b"closed"
"""What an owner writes that ended its machines itself: the reaper looks once more and leaves."""


def processes_with(tag: str) -> list[int]:
    """Process ids whose command line contains `tag`, this one's own left out."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if tag.encode() in line and b"ambidex.vm.machines.reaper" not in line.split(b"\0"):
                found.append(int(entry.name))
    return found


def reap(tag: str, quiet: float) -> None:
    """Kill until nothing with this tag has been seen for `quiet` seconds."""
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
    """Remove folders; a control group stays for as long as the last of its processes."""
    pause = threading.Event()
    for _ in range(100):
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        if not any(map(os.path.exists, folders)):
            return
        pause.wait(0.1)


def main() -> None:
    """Wait for the owner's end, then clean up after it."""
    tag, *folders = sys.argv[1:]
    if len(tag) < 12:
        raise SystemExit(
            "ambidex.vm.machines.reaper: a tag that short could match somebody else's process"
        )
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    in_order = sys.stdin.buffer.read() == IN_ORDER
    reap(tag, 0.0 if in_order else QUIET)
    remove(folders)


if __name__ == "__main__":
    main()
