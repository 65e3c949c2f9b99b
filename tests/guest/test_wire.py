"""Messages between the door and a worker."""

from __future__ import annotations

import asyncio
import socket
import threading

import pytest

from ambidex.guest import wire
from tests.support.tables import every_case


def test_a_message_is_transferred_unchanged() -> None:
    one, other = socket.socketpair()
    head, body = {"id": 7, "with": {"text": "Grüße 你好 🎉"}}, bytes(range(256)) * 20_000
    with one, other:
        sender = threading.Thread(target=one.sendall, args=(wire.pack(head, body),))
        sender.start()
        message = wire.read(other)
        sender.join(60)
    assert (message.head, message.body) == (head, body)


def test_a_name_that_is_not_valid_unicode_is_sent_with_question_marks() -> None:
    one, other = socket.socketpair()
    with one, other:
        one.sendall(wire.pack({"path": b"/home/\xff\xfe ok".decode(errors="surrogateescape")}))
        assert wire.read(other).head == {"path": "/home/?? ok"}


def test_a_closed_stream_is_a_lost_connection_and_not_an_empty_message() -> None:
    one, other = socket.socketpair()
    with one, other:
        one.sendall(wire.pack({"id": 1})[:6])
        one.close()
        with pytest.raises(wire.ConnectionLostError):
            wire.read(other)


@every_case(
    "sent",
    [b"\xff" * 8, wire.PREFIX.pack(3, 0) + b"{]}", wire.PREFIX.pack(2, 0) + b"[]", b"\0"],
    ids=["sizes too large", "not JSON", "not an object", "truncated"],
)
def test_bytes_that_are_not_a_message_are_a_lost_connection(sent: bytes) -> None:
    async def scene() -> None:
        stream = asyncio.StreamReader()
        stream.feed_data(sent)
        stream.feed_eof()
        with pytest.raises(wire.ConnectionLostError):
            await wire.receive(stream)

    asyncio.run(scene())
