"""A VNC viewer that is no page of ours: it says to the bridge whatever a test wants it to say."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from vncdotool.rfb import _vnc_des, des_encrypt
from websockets.sync.client import ClientConnection, connect

from ambidex.vm import Machine

__all__ = ["screen_of", "viewer"]

VERSION = b"RFB 003.008\n"
PASSWORD = 2


def screen_of(machine: Machine) -> tuple[str, str]:
    """The address and the password of a machine's screen."""
    assert machine.vnc is not None
    return machine.vnc


@contextmanager
def viewer(
    address: str, cookies: Mapping[str, str], password: str
) -> Iterator[tuple[ClientConnection, tuple[int, int]]]:
    """A connection past its greetings, and the size of the screen."""
    shown = "; ".join(f"{name}={value}" for name, value in cookies.items())
    where = address.replace("http", "ws", 1)
    with connect(where, additional_headers={"cookie": shown}) as socket:
        assert socket.recv() == VERSION
        socket.send(VERSION)
        offered = socket.recv(decode=False)
        assert PASSWORD in offered[1:], offered
        socket.send(bytes([PASSWORD]))
        socket.send(des_encrypt(_vnc_des(password), socket.recv(decode=False)))
        assert socket.recv() == bytes(4)
        socket.send(b"\x01")
        width, height = struct.unpack_from("!HH", socket.recv(decode=False))
        yield socket, (width, height)
