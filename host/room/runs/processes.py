"""Processes of `ambidex` that the room starts, and the runners of runs. A started process is
separate: it outlives the room, and Ctrl-C in the room does not reach it."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from ambidex.host.errors import BusyError, UsageError
from ambidex.host.records.config import NAME as CONFIG
from ambidex.host.runs.inventory import runner_of

__all__ = ["ENDED", "outcome", "spawn", "stop_runner"]

HEARS_INTERRUPTS = ("env", "--default-signal=INT")
"""A room that a script started in the background ignores interrupts; what it starts must not."""
TAIL = 6
"""Lines at the end of the output that are shown as the reason of a failure."""
ERROR_PREFIX = "ambidex: "
"""Prefix of error messages of the command line."""
ENDED = (1, 3, 130)
"""Exit codes, besides 0, of a run that took place; see `host.cli.main`."""


def spawn(
    argv: Sequence[str], output: Path, on_end: Callable[[int], None], directory: Path | None = None
) -> None:
    """Start a process that writes to this file, and call `on_end` with its exit code. The file is
    locked until then; see `outcome`."""
    file = output.open("wb")
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        process = subprocess.Popen(
            (*HEARS_INTERRUPTS, *argv),
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError:
        file.close()
        raise

    def wait() -> None:
        with file:
            on_end(process.wait())

    # A thread records the exit code, whether or not a page is open.
    threading.Thread(target=wait, daemon=True).start()


def outcome(out: Path, output: str, code: int | None, done: Sequence[int] = ()) -> tuple[str, str]:
    """The state of a process (running, ended or failed) and the reason of a failure. `output` is
    the name of its output file in the directory of its run, `code` its exit code if it is known.
    Without one, or with one of `done`, it failed if it printed an error or left no run."""
    if code == 0:
        return "ended", ""
    with (out / output).open(encoding="utf-8", errors="replace") as file:
        if code is None and _locked(file):
            return "running", ""
        lines = file.read().splitlines()
    errors = [number for number, line in enumerate(lines) if line.startswith(ERROR_PREFIX)]
    if (code is None or code in done) and not errors and (out / CONFIG).exists():
        return "ended", ""
    reason = "\n".join(lines[errors[-1] :] if errors else lines[-TAIL:]).removeprefix(ERROR_PREFIX)
    ended = "ended" if code is None else f"exit code {code}"
    return "failed", reason.strip() or f"{ended} without output"


def stop_runner(run: Path) -> int:
    """Interrupt the runner of a run as Ctrl-C does, and return its process id. `BusyError` if the
    run is not running."""
    process = runner_of(run)
    if process is None:
        raise BusyError(f"{run.name} is not running")
    if process == os.getpid():
        raise UsageError(
            f"{run.name} runs in the process of this control room",
            hint="Press Ctrl-C in its terminal.",
        )
    os.kill(process, signal.SIGINT)
    return process


def _locked(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False
