"""A process for one run of a test suite, the door's side."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from ambidex.guest import SUITE, wire
from ambidex.guest.processes import Processes

__all__ = ["run_suite"]

GRACE = 30.0


async def run_suite(processes: Processes, given: dict[str, Any], source: bytes) -> dict[str, Any]:
    """The report of `guest.evidence.suite.run`, or a failure where it took too long or ended."""
    ours, theirs = socket.socketpair()
    heard, spoken = socket.socketpair()
    with heard:
        with theirs, spoken:
            process = await processes.start(SUITE, {}, theirs, spoken)
        reader, writer = await asyncio.open_connection(sock=ours)
        try:
            writer.write(wire.pack({"id": 1, "do": "run", "with": given}, source))
            reply = await asyncio.wait_for(wire.receive(reader), given["within"] + GRACE)
            said: dict[str, Any] = reply.head.get("value") or failed(str(reply.head.get("error")))
            return said
        except asyncio.TimeoutError:
            return failed("it was not done in time")
        except wire.ConnectionLostError:
            return failed(f"it ended ({await process.wait()})")
        finally:
            writer.close()
            process.kill()


def failed(why: str) -> dict[str, Any]:
    """A report that nothing passed, for this reason."""
    return {"passed": 0, "failed": 0, "errors": [why]}
