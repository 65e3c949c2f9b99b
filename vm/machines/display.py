"""Captures a machine's screen over VNC, which works even if the guest does not answer."""

from __future__ import annotations

import io
import struct
import sys
import warnings
from collections.abc import Callable
from typing import Any

from PIL import Image
from twisted.python.failure import Failure
from vncdotool import api
from vncdotool.client import ProtocolError, VNCDoToolClient, VNCDoToolFactory
from vncdotool.const import Encoding

from ambidex.vm import MachineError

__all__ = ["Client", "Factory", "capture"]

# RFB passwords use DES; the move of that cipher within `cryptography` does not concern users.
warnings.filterwarnings("ignore", message="TripleDES has been moved", module="vncdotool")

BOUND = 10.0
"""Seconds for connecting and receiving a frame."""
MOST_PIXELS = 1 << 24
"""Largest accepted screen, in pixels: the guest influences its size, and is not trusted."""
LARGEST = 4 * MOST_PIXELS + 1024
"""Largest part of a message in bytes: pixels, a name, the text of the clipboard."""
ENCODINGS = frozenset(
    {
        Encoding.RAW,
        Encoding.PSEUDO_CURSOR,
        Encoding.PSEUDO_DESKTOP_SIZE,
        Encoding.PSEUDO_LAST_RECT,
        Encoding.PSEUDO_QEMU_EXTENDED_KEY_EVENT,
    }
)
"""The accepted encodings: those that are requested.

The library would also read compressed rectangles, however large they become.
"""


class Client(VNCDoToolClient):  # type: ignore[misc]
    """A VNC client that starts with an empty screen and limits what a server may send.

    Without that screen, the library takes the first rectangle for the upper left one, but TigerVNC
    sends rectangles of one colour first. It disconnects a server that announces more than a screen
    can hold.
    """

    def vncConnectionMade(self) -> None:
        """Called when the size of the screen is known."""
        if not self._fits(self.width, self.height):
            self._refuse(f"a screen of {self.width}x{self.height}")
            return
        self.screen: Image.Image | None = Image.new("RGB", (self.width, self.height))
        super().vncConnectionMade()

    def expect(self, handler: Callable[..., None], size: int, *args: Any, **kwargs: Any) -> None:
        """Wait for the next part of a message."""
        if size > LARGEST:
            self._refuse(f"a part of {size} bytes")
            return
        super().expect(handler, size, *args, **kwargs)

    def _handleRectangle(self, block: bytes) -> None:
        x, y, width, height, encoding = struct.unpack("!HHHHi", block)
        if encoding not in ENCODINGS or not self._fits(max(1, x + width), max(1, y + height)):
            self._refuse(f"a rectangle at {x},{y} of {width}x{height} in encoding {encoding}")
            return
        super()._handleRectangle(block)

    def _fits(self, width: int, height: int) -> bool:
        return 0 < width * height <= MOST_PIXELS

    def _refuse(self, what: str) -> None:
        self._packet.clear()
        self._expected_len = sys.maxsize
        self._handler = self._packet.clear
        self.transport.loseConnection()
        if not self.factory.deferred.called:
            error = ProtocolError(f"the display announced {what}")
            failure = Failure(error)  # type: ignore[no-untyped-call]
            self.factory.clientConnectionFailed(None, failure)


class Factory(VNCDoToolFactory):  # type: ignore[misc]
    """Makes instances of `Client`."""

    protocol = Client


def capture(address: str, password: str) -> bytes:
    """The screen at `host:port` as PNG; `MachineError` if it does not answer or rejects us."""
    host, port = address.rsplit(":", 1)
    frame = io.BytesIO()
    frame.name = "frame.png"  # the library infers the format from a name
    try:
        with api.connect(f"{host}::{port}", password, Factory, timeout=BOUND) as client:
            client.captureScreen(frame)
    except Exception as error:  # noqa: BLE001 - the library raises whatever its network loop met
        raise MachineError(
            f"cannot capture the screen at {address}: {type(error).__name__} {error}"
        ) from None
    return frame.getvalue()
