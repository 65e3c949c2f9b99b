"""Workers that answer one request and then end."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from ambidex.guest import wire
from ambidex.guest.processes import Processes
from ambidex.guest.workers import WorkerEndedError, WorkerRefusalError, WorkerTimeoutError

__all__ = ["ask_once"]


async def ask_once(
    processes: Processes,
    worker: str,
    do: str,
    given: dict[str, Any],
    within: float,
    body: bytes = b"",
) -> wire.Message:
    """Start the worker of that name, and return its reply to one request; a `WorkerError` if there
    is none within `within` seconds."""
    ours, theirs = socket.socketpair()
    our_output, their_output = socket.socketpair()
    with our_output:
        with theirs, their_output:
            process = await processes.start(worker, {}, theirs, their_output)
        reader, writer = await asyncio.open_connection(sock=ours)
        try:
            writer.write(wire.pack({"id": 1, "do": do, "with": given}, body))
            reply = await asyncio.wait_for(wire.receive(reader), within)
        except asyncio.TimeoutError:
            raise WorkerTimeoutError(f"{do} timed out after {within:g} s.") from None
        except wire.ConnectionLostError:
            status = await process.wait()
            raise WorkerEndedError(f"The {worker} worker ended (exit status {status}).") from None
        finally:
            writer.close()
            process.kill()
    if "error" in reply.head:
        raise WorkerRefusalError(reply.head["error"])
    return reply
