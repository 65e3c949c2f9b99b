"""The agent's code under test, in a process of its own: it does what it is asked, and is given
nothing of the suite's but values.

It listens at an abstract socket and serves one connection. It runs as the desktop user, who may do
with it as they like: it holds no verdict.
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

from ambidex.guest.evidence.exchange import LostError, decoded, encoded, receive, send

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
"""What can be asked, beside a call."""


class Player:
    """Keeps what the suite has been told of."""

    def __init__(self) -> None:
        self._kept: list[Any] = []

    def do(self, asked: dict[str, Any]) -> Any:
        """Carry out one request; its result as it travels."""
        take = self._taken
        given = [take(each) for each in asked["given"]]
        if asked["do"] == "call":
            named = {name: take(each) for name, each in asked["named"].items()}
            return self._told(given[0](*given[1:], **named))
        return self._told(OPERATORS[asked["do"]](*given))

    def _told(self, value: Any) -> Any:
        return encoded(value, self._numbered)

    def _numbered(self, value: Any) -> Any:
        if callable(getattr(value, "item", None)) and type(value).__module__ == "numpy":
            return self._told(value.item())
        self._kept.append(value)
        kind = next((name for kinds, name in KINDS if isinstance(value, kinds)), "object")
        return {"kept": [len(self._kept) - 1, kind, type(value).__name__]}

    def _taken(self, said: Any) -> Any:
        def other(each: dict[str, Any]) -> Any:
            ((kind, held),) = each.items()
            readers: dict[str, Callable[[], Any]] = {
                "kept": lambda: self._kept[held],
                "list": lambda: [self._taken(one) for one in held],
                "set": lambda: {self._taken(one) for one in held},
                "dict": lambda: {self._taken(key): self._taken(one) for key, one in held},
                "pickle": lambda: pickle.loads(base64.b64decode(held)),
            }
            return readers[kind]()

        return decoded(said, other)


def main(folder: str, address: str) -> None:
    """Serve the suite that connects, until it has ended."""
    sys.path.insert(0, folder)
    player = Player()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(f"\0{address}")
        door.listen(1)
        line, _ = door.accept()
    with line:
        while True:
            try:
                asked = receive(line)
            except LostError:
                return
            try:
                said = {"value": player.do(asked)}
            except BaseException as error:  # noqa: BLE001 - the agent's code raises what it likes
                said = {"raised": [type(error).__name__, str(error)[:1000]]}
            send(line, said)
