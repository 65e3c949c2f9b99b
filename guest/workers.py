"""Supervises workers for the door: starts them, sends requests with a timeout, kills workers that
hang and replaces those that end.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Optional

from ambidex.guest import HARNESS, wire
from ambidex.guest.processes import Process, Processes

__all__ = ["Worker", "WorkerEndedError", "WorkerError", "WorkerRefusalError", "WorkerTimeoutError"]

log = logging.getLogger("ambidex.guest.workers")

FAILED_STARTS = 3
"""Consecutive starts that may fail before the worker stays down until the next request."""
RECOVER_WITHIN = 90.0
LAST_OUTPUT_WITHIN = 0.2
BUFFER = 8 << 20


class WorkerError(Exception):
    """A request got no result. `code` is one word, the message is for the caller."""

    code = "failed"


class WorkerTimeoutError(WorkerError):
    """The request timed out; the worker was killed and replaced."""

    code = "timeout"


class WorkerEndedError(WorkerError):
    """The worker ended during the request, or does not start."""

    code = "crashed"


class WorkerRefusalError(WorkerError):
    """The worker answered with an error, which is stored in `error`."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.error = error


@dataclass
class Worker:
    """A worker, whose process is replaced when it ends. `run` supervises it, `ask` uses it."""

    name: str
    processes: Processes
    """The source of its processes."""
    stage: str = "not started"
    session: dict[str, str] = field(default_factory=dict)
    """The desktop's environment, which the harness worker finds and the others start with."""

    _process: Optional[Process] = None
    _writer: Optional[asyncio.StreamWriter] = None
    _waiting: dict[int, asyncio.Future[wire.Message]] = field(default_factory=dict)
    _up: asyncio.Event = field(default_factory=asyncio.Event)
    _given_up: asyncio.Event = field(default_factory=asyncio.Event)
    _wanted: asyncio.Event = field(default_factory=asyncio.Event)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _count: int = 0
    _starts: int = 0
    _output: deque[str] = field(default_factory=lambda: deque(maxlen=12))
    _drains: set[asyncio.Task[None]] = field(default_factory=set)
    _recovered: str = ""

    @property
    def up(self) -> bool:
        """Whether it accepts requests."""
        return self._up.is_set()

    @property
    def pid(self) -> Optional[int]:
        """The id of its process, if it has one."""
        return self._process.pid if self._process else None

    async def wait_until_up(self, within: float) -> None:
        """Wait until it accepts requests.

        `WorkerEndedError` after `within` seconds, or as soon as it is given up, with the stage it
        reached.
        """
        if self._up.is_set():
            return
        self._given_up.clear()
        self._wanted.set()
        ends = [asyncio.create_task(event.wait()) for event in (self._up, self._given_up)]
        try:
            await asyncio.wait(ends, timeout=within, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for end in ends:
                end.cancel()
        if not self._up.is_set():
            raise WorkerEndedError(f"The {self.name} worker is not ready: {self.stage}.")

    async def ask(
        self, do: str, given: dict[str, Any], timeout: float, body: bytes = b""
    ) -> wire.Message:
        """Send a request and return the reply; another `WorkerError` if there is none.

        `timeout` in seconds bounds the request; a worker that exceeds it is killed and replaced.
        """
        if self.name == HARNESS:
            return await self._ask(do, given, timeout, body)
        async with self._turn:
            return await self._ask(do, given, timeout, body)

    async def _ask(
        self, do: str, given: dict[str, Any], timeout: float, body: bytes
    ) -> wire.Message:
        await self.wait_until_up(within=30)
        self._count += 1
        number, future = self._count, asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        assert self._writer is not None
        self._writer.write(wire.pack({"id": number, "do": do, "with": given}, body))
        try:
            reply: wire.Message = await asyncio.wait_for(future, timeout)
        except asyncio.TimeoutError:
            message = f"{do} timed out after {timeout:g} s; its worker was killed and restarted."
            await self._replace()
            raise WorkerTimeoutError(f"{message} {self._recovered}".strip()) from None
        finally:
            self._waiting.pop(number, None)
        if "error" in reply.head:
            raise WorkerRefusalError(reply.head["error"])
        return reply

    async def _replace(self) -> None:
        self._up.clear()
        self._recovered = ""
        self.kill()
        with contextlib.suppress(WorkerEndedError):  # the caller gets the timeout error either way
            await self.wait_until_up(RECOVER_WITHIN)

    def kill(self) -> None:
        """Kill the process and its process group."""
        if self._process:
            self._process.kill()

    async def run(self) -> None:
        """Keep a process running until cancelled."""
        failed = 0
        try:
            while True:
                ready = False
                try:
                    reader = await self._start()
                    ready = await self._listen(reader)
                    status = await self._end()
                except OSError as error:
                    status = str(error)
                failed = 0 if ready else failed + 1
                output = " | ".join(self._output)
                log.warning("worker %s ended (%s). Last output: %s", self.name, status, output)
                if failed >= FAILED_STARTS:
                    self.stage = f"does not start ({status}): {output}"
                    self._wanted.clear()
                    self._given_up.set()
                    await self._wanted.wait()
        finally:
            self.kill()
            for drain in self._drains:
                drain.cancel()
            await asyncio.gather(*self._drains, return_exceptions=True)
            if self._process and self._writer:
                await self._process.wait()
                self._writer.close()

    async def _start(self) -> asyncio.StreamReader:
        self.stage = "starting"
        self._output.clear()
        ours, theirs = socket.socketpair()
        our_output, their_output = socket.socketpair()
        environment = {**self.processes.account.environment, **self.session}
        with theirs, their_output:
            try:
                self._process = await self.processes.start(
                    self.name, environment, theirs, their_output
                )
            except BaseException:
                ours.close()
                our_output.close()
                raise
        drain = asyncio.create_task(self._drain(our_output, self._process.pid))
        self._drains.add(drain)
        drain.add_done_callback(self._drains.discard)
        reader, self._writer = await asyncio.open_connection(sock=ours, limit=BUFFER)
        self._starts += 1
        return reader

    async def _drain(self, output: socket.socket, pid: int) -> None:
        """Write the worker's output to the journal.

        Programs that it started may print after it has ended, so the socket must stay open.
        """
        reader, writer = await asyncio.open_connection(sock=output)
        try:
            while content := await reader.read(4096):
                for line in content.decode(errors="replace").splitlines():
                    self._output.append(line)
                    log.info("%s[%d]: %s", self.name, pid, line)
        finally:
            writer.close()

    async def _listen(self, reader: asyncio.StreamReader) -> bool:
        """Deliver replies until the worker has ended; returns whether it ever was ready."""
        ready = False
        tasks: list[asyncio.Task[None]] = []
        while True:
            try:
                message = await wire.receive(reader)
            except wire.ConnectionLostError:
                for task in tasks:
                    task.cancel()
                return ready
            number = message.head["id"]
            if number:
                future = self._waiting.get(number)
                if future and not future.done():
                    future.set_result(message)
            elif "stage" in message.head:
                self.stage = message.head["stage"]
            else:
                ready = True
                self.session = message.head["value"].get("session", self.session)
                tasks.append(asyncio.create_task(self._open()))

    async def _open(self) -> None:
        if self._starts > 1 and self.name != HARNESS:
            self.stage = "recovering"
            self._recovered = await self._recover()
        self.stage = "ready"
        self._up.set()

    async def _recover(self) -> str:
        future = asyncio.get_running_loop().create_future()
        self._waiting[-1] = future
        assert self._writer is not None
        self._writer.write(wire.pack({"id": -1, "do": "recover", "with": {}}))
        try:
            reply: wire.Message = await asyncio.wait_for(future, RECOVER_WITHIN)
        except asyncio.TimeoutError:
            return "Recovery did not finish."
        finally:
            self._waiting.pop(-1, None)
        if "error" in reply.head:
            log.error("recovery of %s failed: %s", self.name, reply.head["error"])
            return f"Recovery failed: {reply.head['error']['message']}"
        return " ".join(reply.head["value"])

    async def _end(self) -> str:
        self._up.clear()
        self.kill()
        assert self._process is not None
        assert self._writer is not None
        status = f"exit status {await self._process.wait()}"
        self._writer.close()
        # Wait for its last output, but not for programs that it started and that still print.
        if self._drains:
            await asyncio.wait(self._drains, timeout=LAST_OUTPUT_WITHIN)
        error = WorkerEndedError(f"The {self.name} worker ended ({status}) during this request.")
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(error)
        return status
