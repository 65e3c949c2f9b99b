"""Which of a viewer's messages pass the bridge."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.host.room.rfb import Key, Pointer, RFBError, Viewer

HELLO = b"RFB 003.008\n" + b"\x02" + bytes(range(16)) + b"\x00"
PIXELS = b"\x00" + bytes(19)
ENCODINGS = struct.pack("!BxH2i", 2, 2, 7, -308)
REQUEST = struct.pack("!BBHHHH", 3, 1, 0, 0, 1920, 1080)
KEY = struct.pack("!BBxxI", 4, 1, 0x61)
KEY_UP = struct.pack("!BBxxI", 4, 0, 0x61)
POINTER = struct.pack("!BBHH", 5, 1, 30, 40)
CLIPBOARD = struct.pack("!BxxxI", 6, 5) + b"hello"
RICH_CLIPBOARD = struct.pack("!Bxxxi", 6, -8) + bytes(8)
FENCE = struct.pack("!BxxxIB", 248, 1, 3) + b"abc"
SHUTDOWN = struct.pack("!BxBB", 250, 1, 2)
RESIZE = struct.pack("!BxHHBx", 251, 640, 480, 1) + bytes(16)
QEMU_KEY = struct.pack("!BBHII", 255, 0, 1, 0x62, 48)
DRAWS = PIXELS + ENCODINGS + REQUEST + FENCE
ACTS = KEY + POINTER + CLIPBOARD + RICH_CLIPBOARD + QEMU_KEY


def opened() -> Viewer:
    viewer = Viewer()
    passed, _ = viewer.feed(HELLO, may_act=False)
    assert passed == HELLO[:-1] + b"\x01"
    return viewer


def test_without_a_lease_no_input_passes() -> None:
    assert opened().feed(DRAWS + ACTS + DRAWS, may_act=False) == (DRAWS + DRAWS, [])


def test_with_a_lease_input_passes_and_is_reported() -> None:
    passed, events = opened().feed(ACTS, may_act=True)
    assert passed == ACTS
    assert events == [Key(0x61, True), Pointer(30, 40, 1), Key(0x62, True)]


def test_nobody_resizes_a_screen_or_shuts_a_machine_down() -> None:
    assert opened().feed(SHUTDOWN + RESIZE + REQUEST, may_act=True) == (REQUEST, [])


def test_what_is_held_down_is_released_once() -> None:
    viewer = opened()
    viewer.feed(KEY + POINTER, may_act=True)
    assert viewer.let_go() == KEY_UP + struct.pack("!BBHH", 5, 0, 30, 40)
    assert viewer.let_go() == b""


@pytest.mark.parametrize(
    "said",
    [b"RFB 003.003\n", b"GET / HTTP/1", b"RFB 003.008\n\x13", HELLO + b"\x63", HELLO + b"\xff\x01"],
)
def test_an_unknown_message_ends_the_connection(said: bytes) -> None:
    with pytest.raises(RFBError):
        Viewer().feed(said, may_act=True)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=60))
def test_messages_may_arrive_in_any_chunks(lengths: list[int]) -> None:
    said, viewer, passed = HELLO + DRAWS + ACTS + DRAWS, Viewer(), b""
    for length in [*lengths, len(said)]:
        piece, said = said[:length], said[length:]
        passed += viewer.feed(piece, may_act=False)[0]
    assert passed == HELLO[:-1] + b"\x01" + DRAWS + DRAWS
