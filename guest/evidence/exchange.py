"""What two processes say to each other of whom only one is trusted: the test suite of a task, and
the agent's code that it tests.

Messages are JSON behind their length. Values that cannot be changed travel as they are, and so do
lists, dictionaries and sets on their way to the agent's code; all else of the agent's travels as a
number that stands for it, and stays where it is.
"""

from __future__ import annotations

import base64
import json
import socket
import struct
from collections.abc import Callable
from typing import Any

__all__ = ["LostError", "decoded", "encoded", "receive", "send"]

LENGTH = struct.Struct(">I")
LARGEST = 16 << 20
DEEPEST = 50


class LostError(Exception):
    """The other side has closed its end, or says what is no message."""


def send(line: socket.socket, said: Any) -> None:
    """One message."""
    content = json.dumps(said).encode()
    line.sendall(LENGTH.pack(len(content)) + content)


def receive(line: socket.socket) -> Any:
    """The next message; `LostError` if there is none."""
    (size,) = LENGTH.unpack(_exactly(line, LENGTH.size))
    if size > LARGEST:
        raise LostError(f"a message of {size} bytes")
    try:
        return json.loads(_exactly(line, size))
    except (ValueError, RecursionError) as error:
        raise LostError(f"no message: {error}") from None


def _exactly(line: socket.socket, size: int) -> bytes:
    content = bytearray()
    while len(content) < size:
        part = line.recv(min(1 << 16, size - len(content)))
        if not part:
            raise LostError("it has ended")
        content += part
    return bytes(content)


def encoded(value: Any, other: Callable[[Any], Any], depth: int = 0) -> Any:
    """A value as JSON; `other` gives the form of what is none of the plain kinds."""
    if depth > DEEPEST:
        raise ValueError("a value nests too deep")

    def inner(each: Any) -> Any:
        return encoded(each, other, depth + 1)

    if value is None or isinstance(value, bool):
        return value
    # A kind of number or text that the agent made is taken for the plain one.
    if isinstance(value, int):
        return {"int": str(int(value))}
    if isinstance(value, float):
        return {"float": float.hex(float(value))}
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": base64.b64encode(bytes(value)).decode()}
    if isinstance(value, tuple):
        return {"tuple": [inner(each) for each in tuple.__iter__(value)]}
    return other(value)


def decoded(said: Any, other: Callable[[dict[str, Any]], Any], depth: int = 0) -> Any:
    """What `encoded` made; `other` reads the forms that are none of the plain kinds."""
    if depth > DEEPEST:
        raise LostError("a value nests too deep")
    if said is None or isinstance(said, (bool, str)):
        return said
    if not isinstance(said, dict) or len(said) != 1:
        raise LostError(f"no value: {str(said)[:80]}")
    ((kind, held),) = said.items()
    try:
        if kind == "int":
            return int(held) if len(held) < 4000 else 0
        if kind == "float":
            return float.fromhex(held)
        if kind == "bytes":
            return base64.b64decode(held)
        if kind == "tuple":
            return tuple(decoded(each, other, depth + 1) for each in held)
    except (TypeError, ValueError) as error:
        raise LostError(f"no value: {error}") from None
    return other(said)
