"""How long the host waits for a guest."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "COLLECTS",
    "EXPORTS",
    "FILE",
    "FREEZES",
    "PATIENCE",
    "SLOWEST",
    "SURVEYS",
    "WORK",
    "Deadline",
    "Patience",
]

WORK = 6
"""Factor by which we wait longer for a busy program than for a moving screen: under emulation,
LibreOffice takes a quarter of a minute to save a file.
"""


FREEZES = 60.0
COLLECTS = 150.0
SURVEYS = 180.0
EXPORTS = 300.0
"""Seconds that the guest may take for these requests, on top of `Patience.answer`."""
FILE = 60.0
"""Seconds that a file transfer may take, on top of `Patience.answer`."""
SLOWEST = 1 << 20
"""Bytes per second: the minimum rate for writing a file to a guest."""


@dataclass(frozen=True)
class Patience:
    """Seconds to wait for each kind of answer, on top of what the request itself may take."""

    answer: float = 30.0
    """For any answer of the harness."""
    call: float = 600.0
    """For a tool call. The guest ends one after its tool's own limit, which is always shorter."""
    back: float = 20.0
    """For a lost guest to come back before the trial is abandoned."""


PATIENCE = Patience()


@dataclass(frozen=True)
class Deadline:
    """A common deadline for several requests."""

    end: float
    """Monotonic time."""
    message: str
    """The error message when it has passed."""
