"""The only code on the host that reads bytes from a guest.

A guest may be controlled by the agent: its answers may be endless, slow, deeply nested, of the
wrong type, or decompression bombs. Each answer has a `Bound` on bytes and seconds, and everything
read from it is validated. Whatever the bytes are, the only exception raised is a `GuestError`:

TooLargeError   more bytes, values or pixels than allowed
TooSlowError    not complete when the time was up, however many bytes arrived
MalformedError  not in the agreed format
LostError       no connection, or the connection broke

    wire        one HTTP request: bytes within a bound
    parsing     bytes to JSON, models, texts, pixels
    calls       a vetted transport for the MCP client; tools and results as our own types

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
    """An answer, or all answers of a stage together, did not arrive in time."""


class MalformedError(GuestError):
    """An answer is not in the agreed format."""


class LostError(GuestError):
    """The guest could not be reached, or the connection broke."""


@dataclass(frozen=True)
class Bound:
    """The limits of one answer."""

    largest: int
    """Maximum bytes of its body."""
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
"""Maximum bytes by kind of answer. The guest truncates a command's two outputs at 4 MiB, which may
grow sixfold as JSON; `report` is for health and for actions; `call` is for any answer over MCP;
`error` is for every answer with a status of 400 or above."""
