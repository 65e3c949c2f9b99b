"""Starts worker processes for the door, as copies of the fork server (`guest.forkserver`).

A fork server that has ended is replaced at the next start.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import dataclasses
import functools
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, Optional

from ambidex.guest.account import Account
from ambidex.guest.credentials import keep_for_children
from ambidex.guest.forkserver import LONGEST

__all__ = ["Process", "Processes"]

BOOT = (
    "import sys, json; sys.path[:0] = json.loads(sys.argv[1]); "
    "from ambidex.guest.forkserver import main; main(sys.argv[2], int(sys.argv[3]))"
)
"""The program of the isolated Python. Its arguments are folders of code, the module of the workers
and the number of the socket.
"""
END_WITHIN = 10.0
"""Seconds for a killed process to end."""
START_WITHIN = 120.0
"""Seconds for the fork server to import its modules, under emulation, and to answer."""


class Process:
    """A worker's process, which is a child of the fork server with the process id `parent`."""

    def __init__(self, pid: int, parent: int) -> None:
        self.pid = pid
        self._parent = parent
        self._ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def wait(self) -> str:
        """Wait for its end; its exit status, negative for a signal.

        The wait is bounded: a process may hang in the kernel, or the fork server may be stopped.
        """
        try:
            return str(await asyncio.wait_for(asyncio.shield(self._ended), END_WITHIN))
        except asyncio.TimeoutError:
            return f"unknown after {END_WITHIN:g} s"

    def end(self, status: int) -> None:
        """Record that it has ended."""
        self._ended.set_result(status)

    def kill(self) -> None:
        """Kill it and its process group.

        The door may kill any process, and the id may have been reused: only a child of the fork
        server is killed.
        """
        if self._ended.done():
            return
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            _, _, rest = Path(f"/proc/{self.pid}/stat").read_text().rpartition(") ")
            if int(rest.split()[1]) == self._parent:
                os.killpg(self.pid, signal.SIGKILL)


class Processes:
    """A fork server and the workers forked from it, which run `module`."""

    def __init__(self, account: Account, module: str = "ambidex.guest.worker") -> None:
        self.account = account
        self._module = module
        self._turn = asyncio.Lock()
        self._server: Optional[subprocess.Popen[bytes]] = None
        self._line: Optional[socket.socket] = None
        self._listener: Optional[asyncio.Task[None]] = None
        self._pending: Optional[asyncio.Future[Process]] = None
        self._alive: dict[int, Process] = {}

    async def start(
        self,
        name: str,
        environment: dict[str, str],
        channel: socket.socket,
        output: socket.socket,
    ) -> Process:
        """Start a worker's process with these sockets; OSError if that fails."""
        async with self._turn:
            if self._listener is None or self._listener.done():
                await self._open()
            assert self._line is not None
            credentials = self.account.credentials(name)
            fields = dataclasses.asdict(credentials) if credentials else None
            request = {"name": name, "environment": environment, "as": fields}
            content = json.dumps(request).encode()
            self._pending = asyncio.get_running_loop().create_future()
            socket.send_fds(self._line, [content], [channel.fileno(), output.fileno()])
            try:
                return await asyncio.wait_for(self._pending, START_WITHIN)
            except asyncio.TimeoutError:
                await self._close()
                message = f"the fork server did not answer within {START_WITHIN:.0f} s"
                raise OSError(message) from None

    def launch(self) -> None:
        """Start the fork server now, and not with the first worker: it then imports its modules
        while the caller imports others.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        path = json.dumps([str(Path(folder or ".").resolve()) for folder in sys.path])
        changes_credentials = self.account.worker is not None
        keep_capabilities = None
        libc = ctypes.CDLL(None, use_errno=True)
        if changes_credentials:
            keep_capabilities = functools.partial(keep_for_children, libc)
        with theirs:
            self._server = subprocess.Popen(
                [
                    *(sys.executable, "-I", "-B", "-c", BOOT),
                    *(path, self._module, str(theirs.fileno())),
                ],
                env=self.account.environment,
                cwd="/",
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=keep_capabilities,
            )
        ours.setblocking(False)
        self._line = ours

    async def _open(self) -> None:
        if self._server is None or self._listener is not None:
            await self._close()
            self.launch()
        assert self._line is not None
        self._listener = asyncio.create_task(self._listen(self._line))

    async def _listen(self, line: socket.socket) -> None:
        """Process the fork server's messages until it ends, and its copies with it."""
        loop = asyncio.get_running_loop()
        try:
            while content := await loop.sock_recv(line, LONGEST):
                self._handle(json.loads(content))
        except (ConnectionError, ValueError, LookupError, TypeError):
            pass  # it was killed, or sent something that is not a message
        finally:
            for process in self._alive.values():
                process.end(-signal.SIGKILL)
            self._alive.clear()
            if self._pending is not None and not self._pending.done():
                self._pending.set_exception(OSError("the fork server ended"))

    def _handle(self, message: dict[str, Any]) -> None:
        if "started" in message:
            pid = int(message["started"])
            assert self._server is not None
            process = self._alive[pid] = Process(pid, self._server.pid)
            if self._pending is not None and not self._pending.done():
                self._pending.set_result(process)
        else:
            self._alive.pop(message["ended"]).end(message["status"])

    async def close(self) -> None:
        """End the fork server, and with it all workers."""
        async with self._turn:
            await self._close()

    async def _close(self) -> None:
        if self._server is None or self._line is None:
            return
        self._server.kill()
        await asyncio.to_thread(self._server.wait)
        if self._listener is not None:
            await self._listener
        self._line.close()
        self._server = self._line = self._listener = None
