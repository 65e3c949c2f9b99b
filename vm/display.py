"""The framebuffer from outside, over VNC: it works when nothing in the guest answers."""

from __future__ import annotations

import io
import warnings

from PIL import Image
from vncdotool import api
from vncdotool.client import VNCDoToolClient, VNCDoToolFactory

from vm import MachineError

__all__ = ["Client", "Factory", "capture"]

# The protocol's password is a matter of DES; where its library will keep that is not the user's.
warnings.filterwarnings("ignore", message="TripleDES has been moved", module="vncdotool")

BOUND = 10.0
"""Seconds for a connection and a frame."""


class Client(VNCDoToolClient):  # type: ignore[misc]
    """The library's, with a screen to begin with: it takes the first part that it is sent for the
    upper left one, and TigerVNC sends parts of one colour first.
    """

    def vncConnectionMade(self) -> None:
        """The size of the screen is known."""
        self.screen: Image.Image | None = Image.new("RGB", (self.width, self.height))
        super().vncConnectionMade()


class Factory(VNCDoToolFactory):  # type: ignore[misc]
    """Makes such clients."""

    protocol = Client


def capture(address: str, password: str) -> bytes:
    """The screen at `host:port` as PNG; `MachineError` if it does not answer, or refuses us."""
    host, port = address.rsplit(":", 1)
    frame = io.BytesIO()
    frame.name = "frame.png"  # the library tells the format by a name
    try:
        with api.connect(f"{host}::{port}", password, Factory, timeout=BOUND) as client:
            client.captureScreen(frame)
    except Exception as error:  # noqa: BLE001 - the library raises whatever its network loop met
        raise MachineError(f"no picture from {address}: {type(error).__name__} {error}") from None
    return frame.getvalue()
