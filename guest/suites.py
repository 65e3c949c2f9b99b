"""Runs a task's test suite in a worker process of its own, on behalf of the door."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from ambidex.guest import SUITE, wire
from ambidex.guest.processes import Processes

__all__ = ["run_suite"]

GRACE = 30.0


async def run_suite(processes: Processes, given: dict[str, Any], source: bytes) -> dict[str, Any]:
    """The report of `guest.evidence.suite.run`; a report of a failure if it timed out or ended."""
    ours, theirs = socket.socketpair()
    our_output, their_output = socket.socketpair()
    with our_output:
        with theirs, their_output:
            process = await processes.start(SUITE, {}, theirs, their_output)
        reader, writer = await asyncio.open_connection(sock=ours)
        try:
            writer.write(wire.pack({"id": 1, "do": "run", "with": given}, source))
            reply = await asyncio.wait_for(wire.receive(reader), given["within"] + GRACE)
            report: dict[str, Any] = reply.head.get("value") or failure_report(
                str(reply.head.get("error"))
            )
            return report
        except asyncio.TimeoutError:
            return failure_report("the test suite timed out")
        except wire.ConnectionLostError:
            return failure_report(f"the test suite's process ended ({await process.wait()})")
        finally:
            writer.close()
            process.kill()


def failure_report(reason: str) -> dict[str, Any]:
    """A report in which nothing passed, for this reason."""
    return {"passed": 0, "failed": 0, "errors": [reason]}
