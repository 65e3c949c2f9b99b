"""Where workers come from: a process of the door's account, started as `guest.processes.BOOT` says.

It has loaded what each of them needs, and becomes a copy of itself for each that is asked for: a
Python of its own would load it again. Its interpreter is isolated: it reads no variable, no folder
and no site package of the desktop user. The socket FD carries JSON: a request is `{"name",
"environment", "as"}` with two sockets, the worker's channel and what it prints to, `as` being
`guest.credentials.Credentials` or null; told are `{"started": PID}`, and at its end `{"ended": PID,
"status": N}`, negative for a signal. In the copy `MODULE.main(NAME, FD of its channel)` is run. It
ends with the door, and the workers with it.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
from typing import Any, Optional

from ambidex.guest.credentials import Credentials, protect

__all__ = ["LONGEST"]

LONGEST = 1 << 17
"""Bytes of a message: an environment is the most that is told."""
PR_SET_NAME = 15


def tell(line: socket.socket, **said: int) -> None:
    """One message to the door."""
    line.send(json.dumps(said).encode())


def reap(line: socket.socket) -> None:
    """Tell of each worker that has ended."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        tell(line, ended=pid, status=os.waitstatus_to_exitcode(status))


def copied(line: socket.socket) -> Optional[tuple[dict[str, Any], list[int]]]:
    """What was asked for: in each copy; None in the original, when nobody asks any more."""
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        readable, _, _ = select.select([line.fileno(), woken], [], [])
        if woken in readable:
            os.read(woken, 4096)
            reap(line)
        if line.fileno() in readable:
            said, sockets, _, _ = socket.recv_fds(line, LONGEST, 2)
            if not said:
                return None
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for end in (woken, wake):
                    os.close(end)
                return json.loads(said), sockets
            # Whoever is told of it may kill its group at once.
            os.setpgid(pid, pid)
            tell(line, started=pid)
            for each in sockets:
                os.close(each)


def main(module: str, fd: int) -> None:
    """Be asked; and in a copy, be what was asked for."""
    protect()
    worker = importlib.import_module(module)
    gc.freeze()
    with socket.socket(fileno=fd) as line:
        asked = copied(line)
    if asked is None:
        return
    os.setpgid(0, 0)
    said, (channel, printed) = asked
    if said["as"] is not None:
        Credentials(**said["as"]).assume()
    protect()
    for stream in (1, 2):
        os.dup2(printed, stream)
    os.close(printed)
    name = said["name"]
    ctypes.CDLL(None).prctl(PR_SET_NAME, f"worker-{name}".encode(), 0, 0, 0)
    sys.argv[:] = [module, name]
    os.environ.clear()
    os.environ.update(said["environment"])
    time.tzset()
    worker.main(name, channel)
