"""Displays are not trusted, since guests control them: sizes beyond a screen's are refused."""

from __future__ import annotations

import struct

import pytest
from twisted.internet.testing import StringTransport
from vncdotool.const import Encoding

from ambidex.vm.machines.display import Client, Factory

COLOURS = bytes.fromhex("2018 00 01 00ff 00ff 00ff 10 08 00 000000".replace(" ", ""))
SECURE = b"RFB 003.008\n" + b"\x01\x01" + b"\0\0\0\0"


class ConnectedClient:
    """A client that has received these messages from a server."""

    def __init__(self, *messages: bytes) -> None:
        self.failures: list[object] = []
        factory = Factory()
        factory.deferred.addErrback(self.failures.append)
        self.client = Client()
        self.client.factory = factory
        self.transport = StringTransport()
        self.client.makeConnection(self.transport)
        for message in messages:
            self.client.dataReceived(message)

    @property
    def disconnected(self) -> bool:
        return bool(self.transport.disconnecting)


def init(width: int, height: int, name: int = 1) -> bytes:
    return struct.pack("!HH16sI", width, height, COLOURS, name) + b"a"


def update(x: int, y: int, width: int, height: int, encoding: int) -> bytes:
    return b"\0\0\0\1" + struct.pack("!HHHHi", x, y, width, height, encoding)


def test_an_ordinary_screen_is_read() -> None:
    connected = ConnectedClient(
        SECURE, init(2, 1), update(0, 0, 2, 1, Encoding.RAW) + b"\xff\0\0\0\0\xff\0\0"
    )
    assert not connected.disconnected
    assert connected.client.screen is not None
    assert connected.client.screen.tobytes() in (b"\xff\0\0\0\xff\0", b"\0\0\xff\0\xff\0")


@pytest.mark.parametrize(
    "messages",
    [
        [init(65535, 65535)],
        [init(0, 0)],
        [init(2, 1, name=1 << 31)],
        [init(2, 1), b"\3\0\0\0\xff\xff\xff\xff"],
        [init(2, 1), update(65535, 65535, 1, 1, Encoding.RAW)],
        [init(2, 1), update(0, 0, 65535, 65535, Encoding.RAW)],
        [init(2, 1), update(0, 0, 65535, 65535, Encoding.PSEUDO_DESKTOP_SIZE)],
        [init(2, 1), update(0, 0, 2, 1, Encoding.ZRLE)],
        [init(2, 1), update(0, 0, 2, 1, Encoding.HEXTILE)],
    ],
)
def test_a_display_that_announces_too_much_is_disconnected(messages: list[bytes]) -> None:
    connected = ConnectedClient(SECURE, *messages)
    assert connected.disconnected
    connected.client.dataReceived(b"\0" * 100)
    assert not connected.client._packet
