"""Small live pictures of many screens: one connection to each, which only says what has changed.
A screen on which nothing happens costs nothing.
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

__all__ = ["Eyes", "Picture"]

EVERY = 1.0
"""Seconds between two pictures of a screen."""
WIDTH = 480
QUALITY = 70
CLOCK: Any = reactor


@dataclass(frozen=True)
class Picture:
    """A screen, made small."""

    number: int
    """Counts the pictures of this screen."""
    jpeg: bytes


class Glance(Client):
    """Asks for what has changed, a while after it got what had changed before."""

    eye: Eye
    waiting: Any = None

    def vncConnectionMade(self) -> None:
        """The screen can be asked for."""
        super().vncConnectionMade()
        self.framebufferUpdateRequest(incremental=False)

    def commitUpdate(self, rectangles: Any = None) -> None:
        """Something was drawn."""
        super().commitUpdate(rectangles)
        if rectangles and self.screen is not None:
            self.eye.saw(self.screen)
        self.waiting = CLOCK.callLater(EVERY, self._ask)

    def connectionLost(self, reason: Any) -> None:
        """The machine has gone, or nobody looks any more."""
        if self.waiting is not None and self.waiting.active():
            self.waiting.cancel()
        self.eye.closed = True
        super().connectionLost(reason)

    def _ask(self) -> None:
        self.framebufferUpdateRequest(incremental=True)


class Glances(Factory):
    """Makes those for one screen."""

    protocol = Glance

    def __init__(self, eye: Eye) -> None:
        super().__init__()
        self.eye = eye
        self.deferred.addErrback(self._failed)

    def buildProtocol(self, addr: Any) -> Any:
        """One that tells our eye."""
        protocol = super().buildProtocol(addr)
        protocol.eye = self.eye
        self.eye.protocol = protocol
        return protocol

    def clientConnectionFailed(self, connector: Any, reason: Any) -> None:
        """Nobody answers at that address, or the password is wrong."""
        self.eye.closed = True

    def _failed(self, reason: Any) -> None:
        self.eye.closed = True


@dataclass
class Eye:
    """What is known of one screen."""

    closed: bool = False
    picture: Picture | None = None
    protocol: Any = None

    def close(self) -> None:
        """Look no more."""
        self.closed = True
        if self.protocol is not None and self.protocol.transport is not None:
            reactor.callFromThread(self.protocol.transport.loseConnection)

    def saw(self, screen: Image.Image) -> None:
        """Keep a small picture of it."""
        small = screen.resize(
            (WIDTH, round(WIDTH * screen.height / screen.width)), reducing_gap=2.0
        )
        target = io.BytesIO()
        small.save(target, "JPEG", quality=QUALITY)
        number = self.picture.number + 1 if self.picture else 1
        self.picture = Picture(number, target.getvalue())


@dataclass
class Eyes:
    """Looks at the screens it is told to."""

    _eyes: dict[str, Eye] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def look(self, screens: dict[str, tuple[str, str]]) -> None:
        """Look at these and at no others: address and password of each, by a key of one's own."""
        with self._lock:
            for key in self._eyes.keys() - screens.keys():
                self._eyes.pop(key).close()
            for key, (address, password) in screens.items():
                if key in self._eyes and self._eyes[key].closed:
                    self._eyes.pop(key).close()
                if key not in self._eyes:
                    self._eyes[key] = _opened(address, password)

    def picture(self, key: str) -> Picture | None:
        """The last picture of that screen; None before the first."""
        eye = self._eyes.get(key)
        return eye.picture if eye else None

    def close(self) -> None:
        """Look at nothing any more."""
        self.look({})


def _opened(address: str, password: str) -> Eye:
    host, port = address.rsplit(":", 1)
    eye = Eye()
    api.connect(f"{host}::{port}", password, lambda: Glances(eye))
    return eye
