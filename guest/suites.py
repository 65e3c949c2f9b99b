"""Runs a task's test suite in a worker process of its own, on behalf of the door."""

from __future__ import annotations

from typing import Any

from ambidex.guest import SUITE
from ambidex.guest.processes import Processes
from ambidex.guest.single_use import ask_once
from ambidex.guest.workers import WorkerError

__all__ = ["run_suite"]

GRACE = 30.0


async def run_suite(processes: Processes, given: dict[str, Any], source: bytes) -> dict[str, Any]:
    """The report of `guest.evidence.suite.run`; a report of a failure if it timed out or ended."""
    try:
        reply = await ask_once(processes, SUITE, "run", given, given["within"] + GRACE, source)
    except WorkerError as error:
        return {"passed": 0, "failed": 0, "errors": [f"the test suite gave no report: {error}"]}
    report: dict[str, Any] = reply.head["value"]
    return report
