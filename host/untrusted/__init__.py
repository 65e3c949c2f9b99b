"""The only place on the host that reads bytes from a guest.

A guest is whatever the agent left behind: its answers may be endless, slow, deep, of the wrong
type, or bombs. Here each answer has a `Bound` of bytes and of seconds, and everything read from it
is checked. Whatever the bytes are, the only exception is a `GuestError`:

TooLargeError   more bytes, values or pixels than the bound
TooSlowError    not whole when its time was over, however many bytes arrived
MalformedError  not in the form that was agreed on
LostError       no connection, or it broke

    wire        one HTTP request: bytes within a bound
    parsing     bytes to JSON, models, texts, pixels
    calls       what the MCP client is given to read, and tools and results as our own nouns

`tests/test_untrusted.py` keeps such reading out of every other module.
"""

from __future__ import annotations

from dataclasses import dataclass

from ambidex.host.errors import GuestError

__all__ = [
    "LARGEST",
    "Bound",
    "LostError",
    "MalformedError",
    "TooLargeError",
    "TooSlowError",
]

MIB = 1 << 20


class TooLargeError(GuestError):
    """An answer has more bytes, values or pixels than its bound."""


class TooSlowError(GuestError):
    """An answer, or all answers that a stage waits for, did not come in time."""


class MalformedError(GuestError):
    """An answer is not in the form that was agreed on."""


class LostError(GuestError):
    """The guest could not be reached, or the connection broke."""


@dataclass(frozen=True)
class Bound:
    """What one answer may cost."""

    largest: int
    """Bytes of its body."""
    within: float
    """Seconds from the request to the last byte of the answer."""


LARGEST = {
    "screenshot": 66 * MIB,
    "file": 128 * MIB,
    "list": 128 * MIB,
    "run": 64 * MIB,
    "accessibility": 32 * MIB,
    "journal": 4 * MIB,
    "report": 1 * MIB,
    "call": 64 * MIB,
    "error": 64 << 10,
}
"""Bytes of each kind of answer. A command's two outputs are cut at 4 MiB by the guest and may grow
sixfold as JSON; `report` is health and what an action is answered; `call` is any answer of the
tools' door; `error` is every answer with a status of 400 and above."""
