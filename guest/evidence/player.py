"""Runs the agent's code under test in a process of its own, on behalf of a test suite.

It listens on an abstract socket and serves one connection, over which it receives only values. It
runs as the desktop user, who may do anything to it: it holds no verdict.
"""

from __future__ import annotations

import base64
import importlib
import operator
import pickle
import random
import socket
import sys
from collections.abc import Callable
from typing import Any

from ambidex.guest.evidence.exchange import ExchangeError, decode, encode, receive, send

__all__ = ["main"]

KINDS = ((list, "list"), (dict, "dict"), ((set, frozenset), "set"), (type, "class"))
NAMED = (
    *(
        "getitem",
        "setitem",
        "delitem",
        "contains",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "add",
        "sub",
    ),
    *("mul", "truediv", "floordiv", "mod", "pow", "neg", "abs", "and_", "or_"),
)
OPERATORS: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in NAMED},
    **{"len": len, "bool": bool, "repr": repr, "str": str, "dir": dir, "items": tuple},
    **{"import": importlib.import_module, "seed": random.seed, "get": getattr, "set": setattr},
    "isinstance": isinstance,
}
"""The operations that a suite can request, besides a call."""


class Player:
    """Executes a suite's requests, and stores the objects that it refers to."""

    def __init__(self) -> None:
        self._objects: list[Any] = []

    def do(self, request: dict[str, Any]) -> Any:
        """Execute one request and return its encoded result."""
        arguments = [self._decode(form) for form in request["given"]]
        if request["do"] == "call":
            named = {name: self._decode(form) for name, form in request["named"].items()}
            return self._encode(arguments[0](*arguments[1:], **named))
        return self._encode(OPERATORS[request["do"]](*arguments))

    def _encode(self, value: Any) -> Any:
        return encode(value, self._encode_object)

    def _encode_object(self, value: Any) -> Any:
        if callable(getattr(value, "item", None)) and type(value).__module__ == "numpy":
            return self._encode(value.item())
        self._objects.append(value)
        kind = next((name for kinds, name in KINDS if isinstance(value, kinds)), "object")
        return {"kept": [len(self._objects) - 1, kind, type(value).__name__]}

    def _decode(self, form: Any) -> Any:
        def decode_other(form: dict[str, Any]) -> Any:
            ((kind, content),) = form.items()
            decoders: dict[str, Callable[[], Any]] = {
                "kept": lambda: self._objects[content],
                "list": lambda: [self._decode(item) for item in content],
                "set": lambda: {self._decode(item) for item in content},
                "dict": lambda: {self._decode(key): self._decode(item) for key, item in content},
                "pickle": lambda: pickle.loads(base64.b64decode(content)),
            }
            return decoders[kind]()

        return decode(form, decode_other)


def main(folder: str, address: str) -> None:
    """Serve the suite that connects, until it has ended."""
    sys.path.insert(0, folder)
    player = Player()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0{address}")
        listener.listen(1)
        line, _ = listener.accept()
    with line:
        while True:
            try:
                request = receive(line)
            except ExchangeError:
                return
            try:
                answer = {"value": player.do(request)}
            except BaseException as error:  # noqa: BLE001 - the agent's code may raise anything
                answer = {"raised": [type(error).__name__, str(error)[:1000]]}
            send(line, answer)
