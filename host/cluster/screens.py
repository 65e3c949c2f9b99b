"""A machine's screen on another host, as an address on the head's loopback.

The head listens for viewers; what a viewer and the screen say to each other passes as calls of the
worker. The control room thus needs no port of another host, and the screen's password protects the
address as it does on one computer.
"""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Protocol

from ambidex.host.errors import HostError

__all__ = ["ScreenConnections", "ScreenWorker", "listening"]

WAIT = 10.0
"""Seconds that a worker waits for something from the screen before it says that there is nothing.
"""
MOST = 1 << 18
"""Bytes of one message."""
MOST_VIEWERS = 6
"""Connections of one lane's screen."""


class ScreenWorker(Protocol):
    """The calls of a worker that a tunnel needs."""

    def connect(self) -> int:
        """Connect to the screen; returns the number of the connection."""

    def send(self, connection: int, data: bytes) -> None:
        """Send to the screen."""

    def receive(self, connection: int, wait: float) -> bytes | None:
        """What the screen has sent; empty if nothing came for `wait` seconds, None at its end."""

    def disconnect(self, connection: int) -> None:
        """End a connection."""


class ScreenConnections:
    """A worker's connections to the screen of one machine."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._sockets: dict[int, socket.socket] = {}

    def connect(self, address: str) -> int:
        """Connect to the screen at `HOST:PORT`. `OSError` if it does not answer."""
        if len(self._sockets) >= MOST_VIEWERS:
            raise ConnectionRefusedError(f"{MOST_VIEWERS} viewers are connected already")
        host, _, port = address.rpartition(":")
        number = next(self._numbers)
        self._sockets[number] = socket.create_connection((host, int(port)), timeout=WAIT)
        return number

    def send(self, connection: int, data: bytes) -> None:
        """See `ScreenWorker`."""
        with suppress(OSError):  # seen by `receive`
            self._sockets[connection].sendall(data)

    def receive(self, connection: int, wait: float) -> bytes | None:
        """See `ScreenWorker`."""
        screen = self._sockets.get(connection)
        try:
            if screen is None:
                return None
            if not select.select([screen], [], [], wait)[0]:
                return b""
            return screen.recv(MOST) or None
        except (OSError, ValueError):  # ValueError: closed meanwhile
            return None

    def disconnect(self, connection: int) -> None:
        """See `ScreenWorker`."""
        if screen := self._sockets.pop(connection, None):
            with suppress(OSError):
                screen.shutdown(socket.SHUT_RDWR)
            screen.close()

    def close(self) -> None:
        """End all connections."""
        for connection in list(self._sockets):
            self.disconnect(connection)


@contextmanager
def listening(worker: Callable[[], ScreenWorker]) -> Iterator[str]:
    """An address, `127.0.0.1:PORT`, that leads to the screen while the block runs."""
    server = socket.create_server(("127.0.0.1", 0))
    viewers: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                viewer, _ = server.accept()
            except OSError:  # closed
                return
            viewers.append(viewer)
            threading.Thread(
                target=_forward, args=(viewer, worker()), name="screen", daemon=True
            ).start()

    threading.Thread(target=accept, name="screens", daemon=True).start()
    try:
        yield f"127.0.0.1:{server.getsockname()[1]}"
    finally:
        for open_socket in (server, *viewers):
            with suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
            open_socket.close()


def _forward(viewer: socket.socket, worker: ScreenWorker) -> None:
    """Forward what a viewer and the screen say until one of them ends."""
    try:
        connection = worker.connect()
    except (HostError, OSError):
        viewer.close()
        return

    def to_screen() -> None:
        with suppress(HostError, OSError):
            while data := viewer.recv(MOST):
                worker.send(connection, data)
        with suppress(HostError):
            worker.disconnect(connection)

    threading.Thread(target=to_screen, name="screen input", daemon=True).start()
    with suppress(HostError, OSError):
        while (data := worker.receive(connection, WAIT)) is not None:
            viewer.sendall(data)
    with suppress(OSError):
        viewer.shutdown(socket.SHUT_RDWR)
    viewer.close()
