"""The box in which verdicts are given: one process for each, that can do nothing but judge.

What is judged was made by an agent. So a verdict is given by a copy of a server that has loaded the
evaluators (`host.box.server`), in a cage (`host.box.cage`): bounds on memory, processor time, wall
time and the size of files; no network, no other program, no other process, no variable of the
environment, and only the files that judging needs. Reaching a bound is a verdict: a score of 0 that
says which. `host.box.client` is the controller's side.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LIMITS", "Limits"]

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What one verdict may take."""

    memory: int = 3072 * MIB
    """Bytes of address space beyond what the server has: numbers and pictures of the largest files
    that are collected need about a third of it."""
    processor: int = 30
    """Seconds of processor time; the slowest honest verdicts of OSWorld's tasks take about five."""
    wall: float = 90.0
    """Seconds in all, for a computer that is busy."""
    file: int = 256 * MIB
    """Bytes of one file that is written."""


LIMITS = Limits()
