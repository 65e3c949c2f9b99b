"""The fork server: a process of the door's account that forks workers (`guest.processes.BOOT`).

It has imported what every worker needs, so that workers need not load it again. Its interpreter is
isolated: it reads no variables, folders or site packages of the desktop user. Its socket carries
JSON. A request is `{"name", "environment", "as"}` with two sockets, the worker's channel and its
output; `as` holds `guest.credentials.Credentials` or null. Its messages are `{"started": PID}` and
`{"ended": PID, "status": N}`, where N is negative for a signal. In the copy, `MODULE.main(NAME, FD
of the channel)` runs. The fork server ends with the door, and the workers end with it.
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
"""Largest message in bytes: an environment is the largest part."""
PR_SET_NAME = 15


def notify(line: socket.socket, **fields: int) -> None:
    """Send one message to the door."""
    line.send(json.dumps(fields).encode())


def reap(line: socket.socket) -> None:
    """Reap the workers that have ended, and notify the door of each."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        notify(line, ended=pid, status=os.waitstatus_to_exitcode(status))


def fork_on_request(line: socket.socket) -> Optional[tuple[dict[str, Any], list[int]]]:
    """Fork for each request. Returns in each copy, with the request and its sockets; in the
    original, returns None when the door has closed its end.
    """
    reading_end, writing_end = os.pipe()
    for end in (reading_end, writing_end):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(writing_end)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        readable, _, _ = select.select([line.fileno(), reading_end], [], [])
        if reading_end in readable:
            os.read(reading_end, 4096)
            reap(line)
        if line.fileno() in readable:
            content, sockets, _, _ = socket.recv_fds(line, LONGEST, 2)
            if not content:
                return None
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for end in (reading_end, writing_end):
                    os.close(end)
                return json.loads(content), sockets
            # Before the notification: the door may kill the worker's process group at once, and it
            # notices the end of a worker only when nobody else holds that end of the channel.
            os.setpgid(pid, pid)
            for number in sockets:
                os.close(number)
            notify(line, started=pid)


def main(module: str, fd: int) -> None:
    """Serve requests; in a copy, run the worker that was requested."""
    protect()
    gc.disable()
    worker = importlib.import_module(module)
    gc.freeze()
    gc.enable()
    with socket.socket(fileno=fd) as line:
        forked = fork_on_request(line)
    if forked is None:
        return
    os.setpgid(0, 0)
    request, (channel, output) = forked
    if request["as"] is not None:
        Credentials(**request["as"]).assume()
    protect()
    for stream in (1, 2):
        os.dup2(output, stream)
    os.close(output)
    name = request["name"]
    ctypes.CDLL(None).prctl(PR_SET_NAME, f"worker-{name}".encode(), 0, 0, 0)
    sys.argv[:] = [module, name]
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    worker.main(name, channel)
