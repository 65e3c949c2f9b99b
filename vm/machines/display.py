"""The framebuffer from outside, over VNC: it works when nothing in the guest answers."""

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

# The protocol's password is a matter of DES; where its library will keep that is not the user's.
warnings.filterwarnings("ignore", message="TripleDES has been moved", module="vncdotool")

BOUND = 10.0
"""Seconds for a connection and a frame."""
MOST_PIXELS = 1 << 24
"""Of a screen. What a screen is, the guest has a say in."""
LARGEST = 4 * MOST_PIXELS + 1024
"""Bytes of one part of a message: its pixels, a name, a text on the clipboard."""
READ = frozenset(
    {
        Encoding.RAW,
        Encoding.PSEUDO_CURSOR,
        Encoding.PSEUDO_DESKTOP_SIZE,
        Encoding.PSEUDO_LAST_RECT,
        Encoding.PSEUDO_QEMU_EXTENDED_KEY_EVENT,
    }
)
"""What we ask for. The library would read packed parts, too, however much they hold."""


class Client(VNCDoToolClient):  # type: ignore[misc]
    """The library's, with a screen to begin with: it takes the first part that it is sent for the
    upper left one, and TigerVNC sends parts of one colour first. A server that announces more than
    a screen can hold is not heard any further.
    """

    def vncConnectionMade(self) -> None:
        """The size of the screen is known."""
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
        if encoding not in READ or not self._fits(max(1, x + width), max(1, y + height)):
            self._refuse(f"a part at {x},{y} of {width}x{height} in encoding {encoding}")
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
            refused = ProtocolError(f"the display announced {what}")
            failure = Failure(refused)  # type: ignore[no-untyped-call]
            self.factory.clientConnectionFailed(None, failure)


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
