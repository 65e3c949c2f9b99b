"""Gives a forked machine a new identity, since forks start from the same memory."""

from __future__ import annotations

import base64
import binascii
import fcntl
import struct
import time
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ambidex.guest.guard import Token

__all__ = ["Identity", "assume", "set_clock"]

RNDADDENTROPY, RNDRESEEDCRNG = 0x40085203, 0x5207
"""Requests of random(4); both need CAP_SYS_ADMIN."""


class Identity(BaseModel):
    """The identity that the host gives a forked machine."""

    model_config = ConfigDict(extra="forbid")

    token: str = Field(min_length=16)
    clock: float = Field(gt=0, description="seconds since 1970")
    entropy: bytes = Field(min_length=16)
    machine_id: str = Field(pattern="^[0-9a-f]{32}$")

    @field_validator("entropy", mode="before")
    @classmethod
    def _decode(cls, value: object) -> object:
        """Decode base64, the form on the wire."""
        if not isinstance(value, str):
            return value
        try:
            return base64.b64decode(value, validate=True)
        except binascii.Error as error:
            raise ValueError(f"not base64: {error}") from error


def assume(identity: Identity, token: Token) -> dict[str, str]:
    """Renew everything but the clock; the parts that the system did not permit, with the reason.

    The token comes last: until then, the host can repeat the request with the old one.
    """
    actions: dict[str, Callable[[], object]] = {
        "entropy": lambda: add_entropy(identity.entropy),
        "machine_id": lambda: write_in_place(Path("/etc/machine-id"), identity.machine_id + "\n"),
    }
    skipped = try_all(actions)
    token.renew(identity.token)
    return skipped


def set_clock(clock: float) -> dict[str, str]:
    """Set the machine's clock; returns the same as `assume`. It wakes up half of the desktop."""
    return try_all({"clock": lambda: time.clock_settime(time.CLOCK_REALTIME, clock)})


def try_all(actions: dict[str, Callable[[], object]]) -> dict[str, str]:
    """Run all actions; the names of those that the system did not permit, with the reason."""
    skipped = {}
    for name, action in actions.items():
        try:
            action()
        except OSError as error:
            skipped[name] = str(error)
    return skipped


def add_entropy(entropy: bytes) -> None:
    """Reseed the kernel's random number generator.

    Writing to the device is not enough: the generator would keep the key it was forked with until
    it next takes one from the pool.
    """
    request = struct.pack("ii", len(entropy) * 8, len(entropy)) + entropy
    with open("/dev/urandom", "wb", buffering=0) as device:
        fcntl.ioctl(device, RNDADDENTROPY, request)
        fcntl.ioctl(device, RNDRESEEDCRNG)


def write_in_place(path: Path, text: str) -> None:
    """Overwrite a file without creating another, since we may not write to its folder."""
    with path.open("r+") as file:
        file.write(text)
        file.truncate()
