"""The judge's box: each verdict is computed in a confined process of its own.

Evidence was made by an agent and is not trusted. A verdict is computed by a fork of a server that
has loaded the evaluators (`host.box.server`), confined (`host.box.confinement`): limits on memory,
CPU time, wall time and file size; no network, no other programs or processes, no environment
variables, and only the files that judging needs. Reaching a limit is a verdict, too: a score of 0
that names the limit. `host.box.client` is the controller's side.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LIMITS", "Limits"]

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Resource limits of one verdict."""

    memory: int = 3072 * MIB
    """Bytes of address space on top of the server's. Numbers and pictures of the largest files that
    are collected need about a third of it."""
    processor: int = 30
    """Seconds of CPU time. The slowest honest verdicts of OSWorld's tasks take about five."""
    wall: float = 90.0
    """Seconds of wall time, generous for a busy computer."""
    file: int = 256 * MIB
    """Bytes of each file written."""


LIMITS = Limits()
