"""Becoming another machine after a fork: clones start from one memory, so what must differ is
renewed.
"""

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
"""Requests of random(4); both take CAP_SYS_ADMIN."""


class Identity(BaseModel):
    """What the host gives a new machine."""

    model_config = ConfigDict(extra="forbid")

    token: str = Field(min_length=16)
    clock: float = Field(gt=0, description="seconds since 1970")
    entropy: bytes = Field(min_length=16)
    machine_id: str = Field(pattern="^[0-9a-f]{32}$")

    @field_validator("entropy", mode="before")
    @classmethod
    def decoded(cls, given: object) -> object:
        """Base64 on the wire."""
        if not isinstance(given, str):
            return given
        try:
            return base64.b64decode(given, validate=True)
        except binascii.Error as error:
            raise ValueError(f"not base64: {error}") from error


def assume(identity: Identity, token: Token) -> dict[str, str]:
    """Renew everything but the clock; what the system did not allow is returned by name, with the
    reason.

    The token comes last: until it is renewed the host can ask again with the old one.
    """
    renewed: dict[str, Callable[[], object]] = {
        "entropy": lambda: stir(identity.entropy),
        "machine_id": lambda: write_in_place(Path("/etc/machine-id"), identity.machine_id + "\n"),
    }
    skipped = tried(renewed)
    token.renew(identity.token)
    return skipped


def set_clock(identity: Identity) -> dict[str, str]:
    """Tell the machine what time it is; what `assume` returns. Half of the desktop wakes up of
    it.
    """
    return tried({"clock": lambda: time.clock_settime(time.CLOCK_REALTIME, identity.clock)})


def tried(steps: dict[str, Callable[[], object]]) -> dict[str, str]:
    """The steps that the system did not allow, and why."""
    skipped = {}
    for name, step in steps.items():
        try:
            step()
        except OSError as error:
            skipped[name] = str(error)
    return skipped


def stir(entropy: bytes) -> None:
    """Make the kernel's randomness our own from now on. Writing to the device is not enough: the
    generator goes on with the key it was forked with until it next takes one from the pool.
    """
    credited = struct.pack("ii", len(entropy) * 8, len(entropy)) + entropy
    with open("/dev/urandom", "wb", buffering=0) as device:
        fcntl.ioctl(device, RNDADDENTROPY, credited)
        fcntl.ioctl(device, RNDRESEEDCRNG)


def write_in_place(path: Path, text: str) -> None:
    """Overwrite a file whose folder we may not write to."""
    with path.open("r+") as file:
        file.write(text)
        file.truncate()
