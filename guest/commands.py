"""The operations of the worker `harness` that need no desktop: commands and files.

The host requests them, and the desktop user executes them.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from ambidex.guest import HarnessError
from ambidex.guest.wire import WorkerReply

__all__ = ["Operation", "operations", "without_desktop"]

OUTPUT = 4 << 20
"""Bytes of each output stream that are returned."""
FLOOD = 64 << 20
"""Bytes of output after which a command is killed, since output is held in memory."""
CHECK_EVERY = 0.5
"""Seconds between checks of how much a command has written."""

Operation = Callable[[dict[str, Any], bytes], WorkerReply]


def operations() -> dict[str, Operation]:
    """All operations by name."""
    return {"run": run, "write": write_file}


def without_desktop() -> dict[str, Operation]:
    """What the other operations of the harness do in a guest without a desktop."""

    def check(given: dict[str, Any], body: bytes) -> WorkerReply:
        return WorkerReply({"checks": {}, "screen": None})

    def refuse(given: dict[str, Any], body: bytes) -> WorkerReply:
        message = "This guest has no desktop: no screen, no windows and no accessibility tree."
        raise HarnessError(message, code="no_desktop", hint="Use commands, files and tools.")

    refused = dict.fromkeys(("screenshot", "wait_window", "accessible"), refuse)
    return {"check": check, "renew": check, **refused}


def file_path(given: dict[str, Any]) -> Path:
    """The path of a request, with `~` as the desktop user's home; 400 if it cannot be a file."""
    path = Path(given["path"]).expanduser()
    if not path.is_absolute():
        message = f"{given['path']!r} is not absolute and does not begin with ~."
        raise HarnessError(message, code="bad_path")
    if path.is_dir():
        raise HarnessError(f"{path} is a directory.", code="directory")
    return path


def write_file(given: dict[str, Any], body: bytes) -> WorkerReply:
    """Write a file, and create its folders."""
    path = file_path(given)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    except OSError as error:
        raise HarnessError(f"{path}: {error.strerror}.", code="unwritable") from error
    return WorkerReply({"path": str(path), "size": len(body)})


def run(given: dict[str, Any], body: bytes) -> WorkerReply:
    """Run a command in the session; returns its status and output, or its pid with `background`."""
    argv = [os.path.expanduser(part) if part.startswith("~") else part for part in given["argv"]]
    options: dict[str, Any] = {
        "cwd": os.path.expanduser(given["cwd"] or "~"),
        "env": {**os.environ, **given["env"]},
        # A process group of its own, which survives a restart of this worker, and which can be
        # killed as a whole after a timeout.
        "start_new_session": True,
        # All user ids are the desktop user's, whereas this worker has only its effective id.
        "user": os.geteuid(),
    }
    null = subprocess.DEVNULL
    # Files, not pipes: a program that the command leaves running would hold a pipe open. In memory:
    # on a full disk, the command's output would be lost.
    with memory_file("input") as stdin, memory_file("output") as out, memory_file("errors") as err:
        stdin.write((given["input"] or "").encode())
        stdin.seek(0)
        streams = (null, null, null) if given["background"] else (stdin, out, err)
        try:
            process = subprocess.Popen(
                argv, stdin=streams[0], stdout=streams[1], stderr=streams[2], **options
            )
        except (OSError, ValueError) as error:
            raise HarnessError(f"{argv[0]}: {error}", code="not_started") from error
        if given["background"]:
            # Wait for it in a thread, or it would remain a zombie.
            threading.Thread(target=process.wait, daemon=True).start()
            return WorkerReply({"pid": process.pid})
        timed_out = not wait_or_kill(process, given["timeout"], (out, err))
        stdout, stderr = read_output(out), read_output(err)
    return WorkerReply(
        {
            "returncode": process.returncode,
            "stdout": stdout[:OUTPUT].decode(errors="replace"),
            "stderr": stderr[:OUTPUT].decode(errors="replace"),
            "timed_out": timed_out,
            "truncated": max(len(stdout), len(stderr)) > OUTPUT,
        }
    )


def memory_file(name: str) -> IO[bytes]:
    """A file in memory."""
    return open(os.memfd_create(name), "w+b", buffering=0)


def wait_or_kill(
    process: subprocess.Popen[bytes], within: float, streams: tuple[IO[bytes], ...]
) -> bool:
    """Wait for a command, and kill it after that time or if its output exceeds `FLOOD`.

    Returns whether it ended in time.
    """
    end = time.monotonic() + within
    while True:
        remaining = end - time.monotonic()
        if remaining <= 0:
            break
        try:
            process.wait(min(remaining, CHECK_EVERY))
            return True
        except subprocess.TimeoutExpired:
            if any(os.fstat(stream.fileno()).st_size > FLOOD for stream in streams):
                break
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return time.monotonic() < end


def read_output(stream: IO[bytes]) -> bytes:
    """A command's output, up to one byte more than is returned to the host."""
    stream.seek(0)
    return stream.read(OUTPUT + 1)
