"""The framebuffer from outside, over VNC: it works when nothing in the guest answers."""

from __future__ import annotations

import io
import warnings

from vncdotool import api

from vm import MachineError

__all__ = ["capture"]

# The protocol's password is a matter of DES; where its library will keep that is not the user's.
warnings.filterwarnings("ignore", message="TripleDES has been moved", module="vncdotool")

BOUND = 10.0
"""Seconds for a connection and a frame."""


def capture(address: str, password: str) -> bytes:
    """The screen at `host:port` as PNG; `MachineError` if it does not answer, or refuses us."""
    host, port = address.rsplit(":", 1)
    frame = io.BytesIO()
    frame.name = "frame.png"  # the library tells the format by a name
    try:
        with api.connect(f"{host}::{port}", password=password, timeout=BOUND) as client:
            client.captureScreen(frame)
    except Exception as error:  # noqa: BLE001 - the library raises whatever its network loop met
        raise MachineError(f"no picture from {address}: {type(error).__name__} {error}") from None
    return frame.getvalue()
