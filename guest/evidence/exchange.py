"""The protocol between a task's test suite and the agent's code under test, which is not trusted.

Messages are length-prefixed JSON. Immutable values are sent by value, and so are lists,
dictionaries and sets sent to the agent's code. All other objects of the agent's code stay in its
process and are sent as numbers that refer to them.
"""

from __future__ import annotations

import base64
import json
import socket
import struct
from collections.abc import Callable
from typing import Any

__all__ = ["ExchangeError", "decode", "encode", "receive", "send"]

LENGTH = struct.Struct(">I")
LARGEST = 16 << 20
DEEPEST = 50


class ExchangeError(Exception):
    """The other side has closed its end, or sent something that is not a message."""


def send(line: socket.socket, message: Any) -> None:
    """Send one message."""
    content = json.dumps(message).encode()
    line.sendall(LENGTH.pack(len(content)) + content)


def receive(line: socket.socket) -> Any:
    """Receive the next message; `ExchangeError` if there is none."""
    (size,) = LENGTH.unpack(_exactly(line, LENGTH.size))
    if size > LARGEST:
        raise ExchangeError(f"a message is too large: {size} bytes")
    try:
        return json.loads(_exactly(line, size))
    except (ValueError, RecursionError) as error:
        raise ExchangeError(f"not a message: {error}") from None


def _exactly(line: socket.socket, size: int) -> bytes:
    content = bytearray()
    while len(content) < size:
        part = line.recv(min(1 << 16, size - len(content)))
        if not part:
            raise ExchangeError("the process has ended")
        content += part
    return bytes(content)


def encode(value: Any, encode_other: Callable[[Any], Any], depth: int = 0) -> Any:
    """The JSON form of a value; `encode_other` is called for types that are not plain."""
    if depth > DEEPEST:
        raise ValueError("a value nests too deep")

    def inner(item: Any) -> Any:
        return encode(item, encode_other, depth + 1)

    if value is None or isinstance(value, bool):
        return value
    # The agent's subclasses of numbers and texts are sent as the plain type.
    if isinstance(value, int):
        return {"int": str(int(value))}
    if isinstance(value, float):
        return {"float": float.hex(float(value))}
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": base64.b64encode(bytes(value)).decode()}
    if isinstance(value, tuple):
        return {"tuple": [inner(item) for item in tuple.__iter__(value)]}
    return encode_other(value)


def decode(form: Any, decode_other: Callable[[dict[str, Any]], Any], depth: int = 0) -> Any:
    """The value of a form that `encode` made; `decode_other` is called for unknown forms."""
    if depth > DEEPEST:
        raise ExchangeError("a value nests too deep")
    if form is None or isinstance(form, (bool, str)):
        return form
    if not isinstance(form, dict) or len(form) != 1:
        raise ExchangeError(f"not a value: {str(form)[:80]}")
    ((kind, content),) = form.items()
    try:
        if kind == "int":
            return int(content) if len(content) < 4000 else 0
        if kind == "float":
            return float.fromhex(content)
        if kind == "bytes":
            return base64.b64decode(content)
        if kind == "tuple":
            return tuple(decode(item, decode_other, depth + 1) for item in content)
    except (TypeError, ValueError) as error:
        raise ExchangeError(f"not a value: {error}") from None
    return decode_other(form)
