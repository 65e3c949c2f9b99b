"""Processes of workers, the door's side: each is a copy of the fork server (`guest.forkserver`),
which is started again when it has ended.
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
"""What an isolated Python is told: folders of code, module of the workers, number of the socket."""
END_WITHIN = 10.0
"""Seconds for a process that was killed to end."""
START_WITHIN = 120.0
"""Seconds for the fork server to load what it has to, under emulation, and to answer."""


class Process:
    """One worker's; it is a child of the fork server of that number."""

    def __init__(self, pid: int, parent: int) -> None:
        self.pid = pid
        self._parent = parent
        self._ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def wait(self) -> str:
        """Its exit status, when it has ended; negative for a signal. Not waited for without end: a
        process may hang in the kernel, and whoever tells of it may be stopped.
        """
        try:
            return str(await asyncio.wait_for(asyncio.shield(self._ended), END_WITHIN))
        except asyncio.TimeoutError:
            return f"unknown after {END_WITHIN:g} s"

    def end(self, status: int) -> None:
        """It has ended."""
        self._ended.set_result(status)

    def kill(self) -> None:
        """End it and what it started in its group, now. The door may end anybody's processes, and
        the number may be another process's by now: only a child of the fork server is ended.
        """
        if self._ended.done():
            return
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            _, _, rest = Path(f"/proc/{self.pid}/stat").read_text().rpartition(") ")
            if int(rest.split()[1]) == self._parent:
                os.killpg(self.pid, signal.SIGKILL)


class Processes:
    """A fork server, and the workers that it became; `module` is what the copies run."""

    def __init__(self, account: Account, module: str = "ambidex.guest.worker") -> None:
        self.account = account
        self._module = module
        self._turn = asyncio.Lock()
        self._server: Optional[asyncio.subprocess.Process] = None
        self._line: Optional[socket.socket] = None
        self._hearing: Optional[asyncio.Task[None]] = None
        self._asked: Optional[asyncio.Future[Process]] = None
        self._alive: dict[int, Process] = {}

    async def start(
        self,
        name: str,
        environment: dict[str, str],
        channel: socket.socket,
        printed: socket.socket,
    ) -> Process:
        """A worker's process, which holds a channel and prints to a socket; OSError says why there
        is none.
        """
        async with self._turn:
            if self._hearing is None or self._hearing.done():
                await self._open()
            assert self._line is not None
            who = self.account.credentials(name)
            credentials = dataclasses.asdict(who) if who else None
            asked = {"name": name, "environment": environment, "as": credentials}
            said = json.dumps(asked).encode()
            self._asked = asyncio.get_running_loop().create_future()
            socket.send_fds(self._line, [said], [channel.fileno(), printed.fileno()])
            try:
                return await asyncio.wait_for(self._asked, START_WITHIN)
            except asyncio.TimeoutError:
                await self._close()
                message = f"the fork server did not answer within {START_WITHIN:.0f} s"
                raise OSError(message) from None

    async def _open(self) -> None:
        await self._close()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        path = json.dumps([str(Path(each or ".").resolve()) for each in sys.path])
        changes = self.account.worker is not None
        libc = ctypes.CDLL(None, use_errno=True)
        with theirs:
            self._server = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-B", "-c", BOOT),
                *(path, self._module, str(theirs.fileno())),
                env=self.account.environment,
                cwd="/",
                pass_fds=[theirs.fileno()],
                stdin=asyncio.subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=functools.partial(keep_for_children, libc) if changes else None,
            )
        ours.setblocking(False)
        self._line = ours
        self._hearing = asyncio.create_task(self._hear(ours))

    async def _hear(self, line: socket.socket) -> None:
        """Take in what the fork server says until it ends, and its copies with it."""
        loop = asyncio.get_running_loop()
        try:
            while said := await loop.sock_recv(line, LONGEST):
                self._told(json.loads(said))
        except (ConnectionError, ValueError, LookupError, TypeError):
            pass  # it was killed, or what it says is no message
        finally:
            for process in self._alive.values():
                process.end(-signal.SIGKILL)
            self._alive.clear()
            if self._asked is not None and not self._asked.done():
                self._asked.set_exception(OSError("the fork server ended"))

    def _told(self, said: dict[str, Any]) -> None:
        if "started" in said:
            pid = int(said["started"])
            assert self._server is not None
            process = self._alive[pid] = Process(pid, self._server.pid)
            if self._asked is not None and not self._asked.done():
                self._asked.set_result(process)
        else:
            self._alive.pop(said["ended"]).end(said["status"])

    async def close(self) -> None:
        """End the fork server, and with it all that came of it."""
        async with self._turn:
            await self._close()

    async def _close(self) -> None:
        if self._server is None or self._line is None or self._hearing is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self._server.kill()
        await self._server.wait()
        await self._hearing
        self._line.close()
