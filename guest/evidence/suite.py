"""Runs a task's test suite on code that an agent wrote.

The suite runs in a worker of the collector's account. The agent's modules that it imports are in
another process (`guest.evidence.player`); the suite holds `RemoteObject`s that forward operations
to that process. So no code of the agent's can reach the suite, its functions or its report.
"""

from __future__ import annotations

import base64
import builtins
import contextlib
import fractions
import importlib.abc
import importlib.machinery
import os
import pickle
import random
import socket
import sys
import time
import traceback
import types
from collections.abc import Iterator
from typing import Any, Optional

from ambidex.guest.evidence.exchange import ExchangeError, decode, encode, receive, send

__all__ = ["AgentCodeError", "run"]

STARTS_WITHIN = 30.0
CLASSES = {"list": list, "dict": dict, "set": set, "class": type}


class AgentCodeError(Exception):
    """The agent's code raised an exception that is not a builtin one."""


class AgentConnection:
    """A connection to the agent's process."""

    def __init__(self, address: str, within: float) -> None:
        self._end = time.monotonic() + within
        self._line = socket.socket(socket.AF_UNIX)
        limit = time.monotonic() + STARTS_WITHIN
        while True:
            try:
                self._line.connect(f"\0{address}")
                return
            except ConnectionRefusedError:
                if time.monotonic() > limit:
                    raise ExchangeError("the agent's code was not started") from None
                time.sleep(0.02)  # before the next attempt, within the bound

    def request(self, operation: str, *arguments: Any, **named: Any) -> Any:
        """Request an operation; returns its result, or raises what it raised."""
        self._line.settimeout(max(0.01, self._end - time.monotonic()))
        message = {
            "do": operation,
            "given": [encode(argument, self._encode_other) for argument in arguments],
            "named": {name: encode(value, self._encode_other) for name, value in named.items()},
        }
        try:
            send(self._line, message)
            answer = receive(self._line)
        except (OSError, ExchangeError) as error:
            raise ExchangeError(f"the agent's code does not answer: {error}") from None
        if not isinstance(answer, dict):
            raise ExchangeError("the answer of the agent's code is not an object")
        if "raised" in answer:
            name, text = (str(part) for part in answer["raised"])
            kind = getattr(builtins, name, None)
            known = isinstance(kind, type) and issubclass(kind, Exception)
            raise (kind(text) if known and kind else AgentCodeError(f"{name}: {text}"))
        return decode(answer.get("value"), self._decode_other)

    def _decode_other(self, form: dict[str, Any]) -> Any:
        number, kind, name = form["kept"]
        return RemoteObject(self, int(number), str(kind), str(name))

    def _encode_other(self, value: Any) -> Any:
        """Encode the agent's objects as references, and the suite's own as copies."""

        def inner(item: Any) -> Any:
            return encode(item, self._encode_other)

        if type(value) is RemoteObject:
            return {"kept": object.__getattribute__(value, "_number")}
        if isinstance(value, list):
            return {"list": [inner(item) for item in value]}
        if isinstance(value, (set, frozenset)):
            return {"set": [inner(item) for item in value]}
        if isinstance(value, dict):
            return {"dict": [[inner(key), inner(item)] for key, item in value.items()]}
        return {"pickle": base64.b64encode(pickle.dumps(value)).decode()}


class RemoteObject:
    """A reference to an object in the agent's process; operations on it are executed there."""

    def __init__(self, line: AgentConnection, number: int, kind: str, name: str) -> None:
        for key, value in (("_line", line), ("_number", number), ("_kind", kind), ("_name", name)):
            object.__setattr__(self, key, value)

    @property  # type: ignore[misc]  # read-only: it is for isinstance
    def __class__(self) -> Any:
        kind = object.__getattribute__(self, "_kind")
        return CLASSES.get(kind, RemoteObject)

    def __getattr__(self, name: str) -> Any:
        return _request(self, "get", name)

    def __setattr__(self, name: str, value: Any) -> None:
        _request(self, "set", name, value)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return object.__getattribute__(self, "_line").request("call", self, *arguments, **named)

    def __iter__(self) -> Iterator[Any]:
        return iter(_request(self, "items"))

    def __eq__(self, other: object) -> bool:
        return _equal(self, other)

    def __hash__(self) -> int:
        return object.__getattribute__(self, "_number")  # type: ignore[no-any-return]

    def __instancecheck__(self, other: Any) -> bool:
        return type(other) is RemoteObject and bool(_request(other, "isinstance", self))


def _request(remote: RemoteObject, operation: str, *arguments: Any) -> Any:
    return object.__getattribute__(remote, "_line").request(operation, remote, *arguments)


def _add_operator(name: str, operation: str, kind: Any = None) -> None:
    def operator(self: RemoteObject, *arguments: Any) -> Any:
        result = _request(self, operation, *arguments)
        return result if kind is None else kind(result)

    setattr(RemoteObject, name, operator)


for _name, _plain in (("len", int), ("bool", bool), ("repr", str), ("str", str), ("dir", list)):
    _add_operator(f"__{_name}__", _name, _plain)
for _name in ("getitem", "setitem", "delitem", "lt", "le", "gt", "ge", "add", "sub", "mul",
              "truediv", "floordiv", "mod", "pow", "neg", "abs"):  # fmt: skip
    _add_operator(f"__{_name}__", _name)
_add_operator("__contains__", "contains", bool)
_add_operator("__and__", "and_")
_add_operator("__or__", "or_")


def _kind(value: Any) -> str:
    if type(value) is RemoteObject:
        return str(object.__getattribute__(value, "_kind"))
    kinds = (("list", list), ("dict", dict), ("set", (set, frozenset)))
    return next((name for name, types_ in kinds if isinstance(value, types_)), "")


def _equal(one: Any, other: Any, depth: int = 0) -> bool:
    """Whether two values are equal, as compared in this process.

    The agent's `__eq__` is used only between two of its own objects: one that claims to be equal to
    everything is equal to no value of the suite.
    """
    kinds = _kind(one), _kind(other)
    if depth > 50 or (kinds[0] != kinds[1] and "" not in kinds):
        return False
    if kinds[0] in ("list", "dict", "set") and kinds[0] == kinds[1]:
        items = [list(value) for value in (one, other)]
        if len(items[0]) != len(items[1]):
            return False
        if kinds[0] == "list":
            return all(_equal(a, b, depth + 1) for a, b in zip(*items, strict=True))
        if kinds[0] == "set":
            return all(any(_equal(a, b, depth + 1) for b in items[1]) for a in items[0])
        return all(
            any(_equal(a, b, depth + 1) and _equal(one[a], other[b], depth + 1) for b in items[1])
            for a in items[0]
        )
    if type(one) is RemoteObject and type(other) is RemoteObject:
        return bool(_request(one, "eq", other))
    if type(one) is RemoteObject or type(other) is RemoteObject:
        return False
    return bool(one == other)


class AgentModule(types.ModuleType):
    """A module of the agent's, as the suite imports it."""

    def __init__(self, name: str, remote: RemoteObject) -> None:
        super().__init__(name)
        names = [str(attribute) for attribute in _request(remote, "dir")]
        public = [attribute for attribute in names if not attribute.startswith("_")]
        self.__dict__.update({"_remote": remote, "__all__": public})

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_remote"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__"):
            super().__setattr__(name, value)
        else:
            setattr(self.__dict__["_remote"], name, value)


class AgentModuleFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the agent's modules in the agent's process."""

    def __init__(self, line: AgentConnection, modules: list[str]) -> None:
        self._line, self._modules = line, frozenset(modules)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """A spec for the agent's modules, None for others."""
        if name.partition(".")[0] not in self._modules:
            return None
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec: Any) -> Optional[types.ModuleType]:
        """Import the module in the agent's process, and return a proxy of it."""
        return AgentModule(spec.name, self._line.request("import", spec.name))

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing to do: the module was executed in the agent's process."""


def run(given: dict[str, Any], source: bytes) -> dict[str, Any]:
    """Run the suite with the text `source`; a report with `passed`, `failed` and `errors`.

    `given` has the `address` of the agent's process, the names of its `modules`, the `function` to
    call, and the time limit `within` in seconds.
    """
    report: dict[str, Any] = {"passed": 0, "failed": 0, "errors": []}
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    try:
        line = AgentConnection(given["address"], given["within"])
        sys.meta_path.insert(0, AgentModuleFinder(line, given["modules"]))
        seed = random.seed
        random.seed = lambda *arguments: (seed(*arguments), line.request("seed", *arguments))[0]
        suite = types.ModuleType("suite")
        with contextlib.redirect_stdout(sys.stderr):
            exec(compile(source, "test_suite.py", "exec"), suite.__dict__)
            result = getattr(suite, given["function"])()
        if isinstance(result, bool) or not isinstance(result, (int, float)):
            share = fractions.Fraction(bool(result))
        else:
            share = fractions.Fraction(max(0.0, min(1.0, float(result)))).limit_denominator(1000)
        report["passed"], report["failed"] = share.numerator, share.denominator - share.numerator
    except BaseException as error:  # noqa: BLE001 - whatever a suite raises is its report
        text = "".join(traceback.format_exception_only(type(error), error)).strip()
        report["errors"].append(text[:2000])
    return report
