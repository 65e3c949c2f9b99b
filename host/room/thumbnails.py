"""Live thumbnails of many screens, over one VNC connection each. Only changes are transferred, so
an idle screen costs nothing.
"""

from __future__ import annotations

import io
import threading
from dataclasses import dataclass, field
from typing import Any

from PIL import Image
from twisted.internet import reactor
from vncdotool import api

from ambidex.vm.machines.display import Client, Factory

__all__ = ["Picture", "Thumbnails"]

EVERY = 1.0
"""Seconds between two updates of a screen."""
WIDTH = 480
QUALITY = 70
CLOCK: Any = reactor


@dataclass(frozen=True)
class Picture:
    """A thumbnail of a screen."""

    number: int
    """Serial number among the pictures of this screen, from 1."""
    jpeg: bytes


class ThumbnailClient(Client):
    """A VNC client that requests changes, `EVERY` seconds after the previous ones arrived."""

    preview: ScreenThumbnail
    waiting: Any = None

    def vncConnectionMade(self) -> None:
        """Request the full screen once connected."""
        super().vncConnectionMade()
        self.framebufferUpdateRequest(incremental=False)

    def commitUpdate(self, rectangles: Any = None) -> None:
        """Take over an update and schedule the next request."""
        super().commitUpdate(rectangles)
        if rectangles and self.screen is not None:
            self.preview.update(self.screen)
        self.waiting = CLOCK.callLater(EVERY, self._ask)

    def connectionLost(self, reason: Any) -> None:
        """Stop: the machine has gone, or the connection was closed."""
        if self.waiting is not None and self.waiting.active():
            self.waiting.cancel()
        self.preview.closed = True
        super().connectionLost(reason)

    def _ask(self) -> None:
        self.framebufferUpdateRequest(incremental=True)


class ThumbnailFactory(Factory):
    """Creates the VNC client of one screen."""

    protocol = ThumbnailClient

    def __init__(self, preview: ScreenThumbnail) -> None:
        super().__init__()
        self.preview = preview
        self.deferred.addErrback(self._failed)

    def buildProtocol(self, addr: Any) -> Any:
        """Create a client that updates this factory's preview."""
        protocol = super().buildProtocol(addr)
        protocol.preview = self.preview
        self.preview.protocol = protocol
        return protocol

    def clientConnectionFailed(self, connector: Any, reason: Any) -> None:
        """Stop: nothing listens at the address, or the password is wrong."""
        self.preview.closed = True

    def _failed(self, reason: Any) -> None:
        self.preview.closed = True


@dataclass
class ScreenThumbnail:
    """The thumbnail of one screen and its connection."""

    closed: bool = False
    picture: Picture | None = None
    protocol: Any = None

    def close(self) -> None:
        """Close the connection."""
        self.closed = True
        if self.protocol is not None and self.protocol.transport is not None:
            reactor.callFromThread(self.protocol.transport.loseConnection)

    def update(self, screen: Image.Image) -> None:
        """Make a thumbnail of the screen."""
        small = screen.resize(
            (WIDTH, round(WIDTH * screen.height / screen.width)), reducing_gap=2.0
        )
        target = io.BytesIO()
        small.save(target, "JPEG", quality=QUALITY)
        number = self.picture.number + 1 if self.picture else 1
        self.picture = Picture(number, target.getvalue())


@dataclass
class Thumbnails:
    """Live thumbnails of a changing set of screens."""

    _screens: dict[str, ScreenThumbnail] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def watch(self, screens: dict[str, tuple[str, str]]) -> None:
        """Watch exactly these screens: address and password by a key of the caller's choice."""
        with self._lock:
            for key in self._screens.keys() - screens.keys():
                self._screens.pop(key).close()
            for key, (address, password) in screens.items():
                if key in self._screens and self._screens[key].closed:
                    self._screens.pop(key).close()
                if key not in self._screens:
                    self._screens[key] = _connect(address, password)

    def picture(self, key: str) -> Picture | None:
        """The latest picture of a screen; None before the first."""
        preview = self._screens.get(key)
        return preview.picture if preview else None

    def close(self) -> None:
        """Close all connections."""
        self.watch({})


def _connect(address: str, password: str) -> ScreenThumbnail:
    host, port = address.rsplit(":", 1)
    preview = ScreenThumbnail()
    api.connect(f"{host}::{port}", password, lambda: ThumbnailFactory(preview))
    return preview
