"""The test suite of a task on code that an agent wrote. It runs in a worker of the collector's
account; the agent's modules that it imports are in another process (`guest.evidence.player`), and
what it holds of them are `Theirs`, which ask there. So no code of the agent's can reach the suite,
its functions or its report.
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

from ambidex.guest.evidence.exchange import LostError, decoded, encoded, receive, send

__all__ = ["AgentCodeError", "run"]

STARTS_WITHIN = 30.0
CLASSES = {"list": list, "dict": dict, "set": set, "class": type}


class AgentCodeError(Exception):
    """The agent's code raised what no builtin exception is."""


class Line:
    """Asks the agent's process."""

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
                    raise LostError("the agent's code was not started") from None
                time.sleep(0.02)  # between looks at a condition with a bound

    def ask(self, what: str, *given: Any, **named: Any) -> Any:
        """What it answers, or raises."""
        self._line.settimeout(max(0.01, self._end - time.monotonic()))
        own = {name: encoded(each, self._handed) for name, each in named.items()}
        asked = {"do": what, "given": [encoded(each, self._handed) for each in given], "named": own}
        try:
            send(self._line, asked)
            said = receive(self._line)
        except (OSError, LostError) as error:
            raise LostError(f"the agent's code does not answer: {error}") from None
        if not isinstance(said, dict):
            raise LostError("the agent's code answers nonsense")
        if "raised" in said:
            name, text = (str(each) for each in said["raised"])
            kind = getattr(builtins, name, None)
            known = isinstance(kind, type) and issubclass(kind, Exception)
            raise (kind(text) if known and kind else AgentCodeError(f"{name}: {text}"))
        return decoded(said.get("value"), self._theirs)

    def _theirs(self, said: dict[str, Any]) -> Any:
        number, kind, name = said["kept"]
        return Theirs(self, int(number), str(kind), str(name))

    def _handed(self, value: Any) -> Any:
        """What the agent's code is given: theirs as theirs, copies of the suite's own."""

        def inner(each: Any) -> Any:
            return encoded(each, self._handed)

        if type(value) is Theirs:
            return {"kept": object.__getattribute__(value, "_number")}
        if isinstance(value, list):
            return {"list": [inner(each) for each in value]}
        if isinstance(value, (set, frozenset)):
            return {"set": [inner(each) for each in value]}
        if isinstance(value, dict):
            return {"dict": [[inner(key), inner(each)] for key, each in value.items()]}
        return {"pickle": base64.b64encode(pickle.dumps(value)).decode()}


class Theirs:
    """Something of the agent's, where the suite holds it."""

    def __init__(self, line: Line, number: int, kind: str, name: str) -> None:
        for key, value in (("_line", line), ("_number", number), ("_kind", kind), ("_name", name)):
            object.__setattr__(self, key, value)

    @property  # type: ignore[misc]  # read alone: what isinstance asks
    def __class__(self) -> Any:
        kind = object.__getattribute__(self, "_kind")
        return CLASSES.get(kind, Theirs)

    def __getattr__(self, name: str) -> Any:
        return _ask(self, "get", name)

    def __setattr__(self, name: str, value: Any) -> None:
        _ask(self, "set", name, value)

    def __call__(self, *given: Any, **named: Any) -> Any:
        return object.__getattribute__(self, "_line").ask("call", self, *given, **named)

    def __iter__(self) -> Iterator[Any]:
        return iter(_ask(self, "items"))

    def __eq__(self, other: object) -> bool:
        return _same(self, other)

    def __hash__(self) -> int:
        return object.__getattribute__(self, "_number")  # type: ignore[no-any-return]

    def __instancecheck__(self, other: Any) -> bool:
        return type(other) is Theirs and bool(_ask(other, "isinstance", self))


def _ask(theirs: Theirs, what: str, *given: Any) -> Any:
    return object.__getattribute__(theirs, "_line").ask(what, theirs, *given)


def _operator(name: str, what: str, kind: Any = None) -> None:
    def asked(self: Theirs, *given: Any) -> Any:
        found = _ask(self, what, *given)
        return found if kind is None else kind(found)

    setattr(Theirs, name, asked)


for _name, _plain in (("len", int), ("bool", bool), ("repr", str), ("str", str), ("dir", list)):
    _operator(f"__{_name}__", _name, _plain)
for _name in ("getitem", "setitem", "delitem", "lt", "le", "gt", "ge", "add", "sub", "mul",
              "truediv", "floordiv", "mod", "pow", "neg", "abs"):  # fmt: skip
    _operator(f"__{_name}__", _name)
_operator("__contains__", "contains", bool)
_operator("__and__", "and_")
_operator("__or__", "or_")


def _kind(value: Any) -> str:
    if type(value) is Theirs:
        return str(object.__getattribute__(value, "_kind"))
    kinds = (("list", list), ("dict", dict), ("set", (set, frozenset)))
    return next((name for name, types_ in kinds if isinstance(value, types_)), "")


def _same(one: Any, other: Any, depth: int = 0) -> bool:
    """Whether two values are equal, compared here. What the agent says of its own objects counts
    between them alone: one that calls itself equal to everything is equal to no value.
    """
    kinds = _kind(one), _kind(other)
    if depth > 50 or (kinds[0] != kinds[1] and "" not in kinds):
        return False
    if kinds[0] in ("list", "dict", "set") and kinds[0] == kinds[1]:
        items = [list(each) for each in (one, other)]
        if len(items[0]) != len(items[1]):
            return False
        if kinds[0] == "list":
            return all(_same(a, b, depth + 1) for a, b in zip(*items, strict=True))
        if kinds[0] == "set":
            return all(any(_same(a, b, depth + 1) for b in items[1]) for a in items[0])
        return all(
            any(_same(a, b, depth + 1) and _same(one[a], other[b], depth + 1) for b in items[1])
            for a in items[0]
        )
    if type(one) is Theirs and type(other) is Theirs:
        return bool(_ask(one, "eq", other))
    if type(one) is Theirs or type(other) is Theirs:
        return False
    return bool(one == other)


class Module(types.ModuleType):
    """A module of the agent's, as the suite imports it."""

    def __init__(self, name: str, theirs: Theirs) -> None:
        super().__init__(name)
        public = [str(each) for each in _ask(theirs, "dir") if not str(each).startswith("_")]
        self.__dict__.update({"_theirs": theirs, "__all__": public})

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_theirs"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__"):
            super().__setattr__(name, value)
        else:
            setattr(self.__dict__["_theirs"], name, value)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the agent's modules, where they are."""

    def __init__(self, line: Line, modules: list[str]) -> None:
        self._line, self._modules = line, frozenset(modules)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Of those alone."""
        if name.partition(".")[0] not in self._modules:
            return None
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec: Any) -> Optional[types.ModuleType]:
        """It, imported over there."""
        return Module(spec.name, self._line.ask("import", spec.name))

    def exec_module(self, module: types.ModuleType) -> None:
        """That was done there."""


def run(given: dict[str, Any], source: bytes) -> dict[str, Any]:
    """The report of a suite, whose text is `source`: `passed`, `failed` and `errors`. `given` has
    the `address` of the agent's process, the names of its `modules`, the `function` to call, and
    the seconds `within` which it has to be done.
    """
    said: dict[str, Any] = {"passed": 0, "failed": 0, "errors": []}
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    try:
        line = Line(given["address"], given["within"])
        sys.meta_path.insert(0, Finder(line, given["modules"]))
        seed = random.seed
        random.seed = lambda *given: (seed(*given), line.ask("seed", *given))[0]
        suite = types.ModuleType("suite")
        with contextlib.redirect_stdout(sys.stderr):
            exec(compile(source, "test_suite.py", "exec"), suite.__dict__)
            found = getattr(suite, given["function"])()
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            share = fractions.Fraction(bool(found))
        else:
            share = fractions.Fraction(max(0.0, min(1.0, float(found)))).limit_denominator(1000)
        said["passed"], said["failed"] = share.numerator, share.denominator - share.numerator
    except BaseException as error:  # noqa: BLE001 - whatever a suite raises is its report
        text = "".join(traceback.format_exception_only(type(error), error)).strip()
        said["errors"].append(text[:2000])
    return said
