"""In the guest: run the tests of a draft as they stand, without pytest and without a host.

They are written for tests/desktop: functions that take `guest`, and ask it through
`tests.desktop.tool_calls`. Here the same names lead to this machine itself. Written for Python
3.10.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import itertools
import subprocess
import sys
import tempfile
import traceback
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

__all__ = ["run"]

Call = Callable[[Any, dict[str, Any]], dict[str, Any]]


class Here:
    """The guest, seen from within: the part of `host.client.guest.Guest` that tests use."""

    home = str(Path.home())

    def run(self, argv: list[str], **how: Any) -> Any:
        """A program of the desktop."""
        words = [str(Path.home()) + each[1:] if each.startswith("~/") else each for each in argv]
        if how.get("background"):
            subprocess.Popen(words, start_new_session=True)
            return SimpleNamespace(returncode=0, stdout="", stderr="")
        ran = subprocess.run(
            words,
            input=how.get("input"),
            capture_output=True,
            text=True,
            timeout=how.get("timeout", 60),
            check=False,
        )
        return SimpleNamespace(returncode=ran.returncode, stdout=ran.stdout, stderr=ran.stderr)

    def put(self, path: str, content: bytes) -> None:
        """Write a file."""
        file = Path(path).expanduser()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def get(self, path: str) -> bytes:
        """Read a file."""
        return Path(path).expanduser().read_bytes()


def run(path: str, tools: dict[str, Any], call: Call) -> list[dict[str, Any]]:
    """The outcome of each test of the file, in order; one that cannot be loaded has one."""
    _shims(tools, call)
    spec = importlib.util.spec_from_file_location("foundry_tests_of_draft", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # noqa: BLE001  a file that cannot be loaded is an outcome
        return [{"name": "the file", "passed": False, "why": _why(error)}]
    named = [each for name, each in vars(module).items() if name.startswith("test_")]
    return [_outcome(test, given) for test in named for given in _parameters(test)]


def _parameters(test: Any) -> list[dict[str, Any]]:
    """What it is called with: once, or once for each of its parameters."""
    sets: list[list[dict[str, Any]]] = []
    for kind, given, _ in getattr(test, "marks", []):
        if kind == "parametrize":
            names = (
                [each.strip() for each in given[0].split(",")]
                if isinstance(given[0], str)
                else list(given[0])
            )
            rows = given[1] if len(names) > 1 else [(each,) for each in given[1]]
            sets.append([dict(zip(names, row)) for row in rows])  # noqa: B905  of Python 3.10
    return [
        {name: value for part in parts for name, value in part.items()}
        for parts in itertools.product(*sets)
    ]


def _outcome(test: Any, given: dict[str, Any]) -> dict[str, Any]:
    name = test.__name__ + (f"[{', '.join(map(repr, given.values()))}]" if given else "")
    with tempfile.TemporaryDirectory() as scratch:
        fixtures = {"guest": Here(), "fresh_guest": Here(), "tmp_path": Path(scratch)}
        asked = [each for each in inspect.signature(test).parameters if each not in given]
        unknown = [each for each in asked if each not in fixtures]
        if unknown:
            why = f"asks for {', '.join(unknown)}; there is {', '.join(fixtures)}"
            return {"name": name, "passed": False, "why": why}
        try:
            test(**given, **{each: fixtures[each] for each in asked})
        except Exception as error:  # noqa: BLE001  a failure is an outcome
            return {"name": name, "passed": False, "why": _why(error)}
    return {"name": name, "passed": True, "why": ""}


def _why(error: BaseException) -> str:
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))[-1500:]


def _calls(tools: dict[str, Any], call: Call) -> dict[str, Any]:
    def made(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        assert name in tools, f"there is no tool {name}"
        return call(tools[name], arguments)

    def done(guest: Any, name: str, /, **arguments: Any) -> Any:
        said = made(name, arguments)
        assert "error" not in said, f"{name}: {said['error']['code']}: {said['error']['message']}"
        return said["value"]

    def refused(guest: Any, name: str, /, **arguments: Any) -> tuple[str, str]:
        said = made(name, arguments)
        assert "error" in said, f"{name} was not refused: {said['value']}"
        assert said["error"]["kind"] == "tool", said["error"]["message"]
        return said["error"]["code"], said["error"]["message"]

    def read(guest: Any, *command: str) -> str:
        ran = Here().run(list(command))
        assert ran.returncode == 0, ran
        return str(ran.stdout.strip())

    return {"done": done, "refused": refused, "read": read}


def _shims(tools: dict[str, Any], call: Call) -> None:
    """The names that tests import, leading here."""

    def keep(kind: str) -> Callable[..., Any]:
        def mark(*given: Any, **said: Any) -> Any:
            def on(function: Any) -> Any:
                function.marks = [*getattr(function, "marks", []), (kind, given, said)]
                return function

            return on

        return mark

    @contextlib.contextmanager
    def raises(kind: Any, match: str = "") -> Iterator[None]:
        try:
            yield
        except kind as error:
            if match not in str(error):
                raise AssertionError(f"{error} does not say {match!r}") from error
        else:
            raise AssertionError(f"{kind} was not raised")

    mark = SimpleNamespace(parametrize=keep("parametrize"), proves=keep("proves"))
    modules: dict[str, dict[str, Any]] = {
        "pytest": {"mark": mark, "raises": raises},
        "ambidex": {},
        "ambidex.host": {},
        "ambidex.host.client.guest": {"Guest": Here},
        "tests": {},
        "tests.desktop": {},
        "tests.desktop.proofs": {"proves": keep("proves")},
        "tests.desktop.tool_calls": _calls(tools, call),
    }
    for name, content in modules.items():
        module = types.ModuleType(name)
        vars(module).update(content)
        sys.modules[name] = module
