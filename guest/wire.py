"""Messages between the door and workers: a JSON header and an optional binary body.

    4 bytes header length, 4 bytes body length (big endian), header, body

A request is `{"id", "do", "with"}`; a reply is `{"id", "value"}` or `{"id", "error": {"kind",
"code", "message", "hint"}}`. A worker's first message is its hello: `{"id": 0, "value": {...}}`, or
`{"id": 0, "stage": "..."}` while it is still starting.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from dataclasses import dataclass
from typing import Any

__all__ = ["ConnectionLostError", "Message", "WorkerReply", "pack", "read", "receive"]

PREFIX = struct.Struct(">II")
LARGEST = 1 << 28
"""Largest header or body in bytes. A larger size means that the stream is corrupt."""


class ConnectionLostError(Exception):
    """The other side closed its end, or sent something that is not a message."""


@dataclass(frozen=True)
class Message:
    """One message: a JSON header and a binary body."""

    head: dict[str, Any]
    body: bytes = b""


@dataclass(frozen=True)
class WorkerReply:
    """The result of a worker's operation: JSON and a binary body."""

    value: Any
    body: bytes | bytearray | memoryview = b""


def pack(head: dict[str, Any], body: bytes | bytearray | memoryview = b"") -> bytes:
    """The bytes of a message. Text that is not valid Unicode, such as the name of a file, gets
    question marks: an encoding error would end the worker.
    """
    encoded = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
    return b"".join((PREFIX.pack(len(encoded), len(body)), encoded, body))


def _sizes(prefix: bytes) -> tuple[int, int]:
    head, body = PREFIX.unpack(prefix)
    if head > LARGEST or body > LARGEST:
        raise ConnectionLostError(
            f"a message of {head} + {body} bytes was announced: the stream is corrupt"
        )
    return head, body


def _head(encoded: bytes) -> dict[str, Any]:
    try:
        head = json.loads(encoded)
    except ValueError as error:
        raise ConnectionLostError(f"a header is not JSON: {error}") from error
    if not isinstance(head, dict):
        raise ConnectionLostError(f"a header is not an object: {encoded[:80]!r}")
    return head


async def receive(stream: asyncio.StreamReader) -> Message:
    """Read the next message, in the door; `ConnectionLostError` if there will be none."""
    try:
        head, body = _sizes(await stream.readexactly(PREFIX.size))
        return Message(
            _head(await stream.readexactly(head)), await stream.readexactly(body) if body else b""
        )
    except (asyncio.IncompleteReadError, ConnectionError) as error:
        raise ConnectionLostError("the worker closed its end") from error


def read(channel: socket.socket) -> Message:
    """Read the next message, in a worker; `ConnectionLostError` if there will be none."""
    head, body = _sizes(_exactly(channel, PREFIX.size))
    return Message(_head(_exactly(channel, head)), _exactly(channel, body))


def _exactly(channel: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        part = channel.recv(min(size, 1 << 20))
        if not part:
            raise ConnectionLostError("the door closed its end")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
