"""The way from a viewer on the head to a screen on another host."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from ambidex.host.cluster.screens import MOST, ScreenConnections, listening


@pytest.fixture
def screen() -> Iterator[str]:
    """A server that sends everything back, and ends a connection after `bye`."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                viewer, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=echo, args=(viewer,), daemon=True).start()

    def echo(viewer: socket.socket) -> None:
        with viewer:
            while data := viewer.recv(MOST):
                viewer.sendall(data)
                if data.endswith(b"bye"):
                    return

    threading.Thread(target=serve, daemon=True).start()
    yield f"127.0.0.1:{server.getsockname()[1]}"
    server.shutdown(socket.SHUT_RDWR)
    server.close()


@dataclass
class Near:
    """A worker in this process."""

    address: str
    connections: ScreenConnections = field(default_factory=ScreenConnections)
    ended: threading.Event = field(default_factory=threading.Event)

    def connect(self) -> int:
        return self.connections.connect(self.address)

    def send(self, connection: int, data: bytes) -> None:
        self.connections.send(connection, data)

    def receive(self, connection: int, wait: float) -> bytes | None:
        return self.connections.receive(connection, wait)

    def disconnect(self, connection: int) -> None:
        self.connections.disconnect(connection)
        self.ended.set()


def viewer_of(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=30)


def read(viewer: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size and (more := viewer.recv(MOST)):
        data += more
    return data


def test_several_viewers_see_and_use_the_screen(screen: str) -> None:
    near = Near(screen)
    with listening(lambda: near) as address:
        first, second = viewer_of(address), viewer_of(address)
        large = bytes(range(256)) * 4000
        threading.Thread(target=first.sendall, args=(large,)).start()
        second.sendall(b"keys")
        assert read(second, 4) == b"keys"
        assert read(first, len(large)) == large
        first.close()
        assert near.ended.wait(30), "a viewer that leaves is disconnected from the screen"
        second.sendall(b"still here")
        assert read(second, 10) == b"still here"
        second.close()


def test_a_screen_that_ends_ends_its_viewers(screen: str) -> None:
    near = Near(screen)
    with listening(lambda: near) as address, viewer_of(address) as viewer:
        viewer.sendall(b"bye")
        assert read(viewer, 10) == b"bye"
        assert viewer.recv(1) == b""


def test_a_machine_without_a_screen_ends_a_viewer_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        free = unused.getsockname()[1]
    near = Near(f"127.0.0.1:{free}")
    with listening(lambda: near) as address, viewer_of(address) as viewer:
        assert viewer.recv(1) == b""


def test_the_address_ends_with_the_attempt(screen: str) -> None:
    near = Near(screen)
    with listening(lambda: near) as address:
        viewer = viewer_of(address)
        viewer.sendall(b"x")
        assert read(viewer, 1) == b"x"
    assert viewer.recv(1) == b""
    viewer.close()
    with pytest.raises(ConnectionRefusedError):
        viewer_of(address)
