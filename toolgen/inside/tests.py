"""In the guest: runs a draft's tests unchanged, without pytest and without a host.

The tests are written for tests/desktop: functions that take `guest` and use it through
`tests.desktop.tool_calls`. Here stand-ins under the same names act on this machine. Written for
Python 3.10.
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


class LocalGuest:
    """This machine, with the part of the interface of `host.client.guest.Guest` that tests use."""

    home = str(Path.home())

    def run(self, argv: list[str], **options: Any) -> Any:
        """Run a program on the desktop."""
        words = [str(Path.home()) + word[1:] if word.startswith("~/") else word for word in argv]
        if options.get("background"):
            subprocess.Popen(words, start_new_session=True)
            return SimpleNamespace(returncode=0, stdout="", stderr="")
        done = subprocess.run(
            words,
            input=options.get("input"),
            capture_output=True,
            text=True,
            timeout=options.get("timeout", 60),
            check=False,
        )
        return SimpleNamespace(returncode=done.returncode, stdout=done.stdout, stderr=done.stderr)

    def put(self, path: str, content: bytes) -> None:
        """Write a file."""
        file = Path(path).expanduser()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def get(self, path: str) -> bytes:
        """Read a file."""
        return Path(path).expanduser().read_bytes()


def run(path: str, tools: dict[str, Any], call: Call) -> list[dict[str, Any]]:
    """Run a file of tests and return the outcome of each, in order. A file that cannot be loaded
    has a single outcome."""
    _install_stand_ins(tools, call)
    spec = importlib.util.spec_from_file_location("foundry_tests_of_draft", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # noqa: BLE001  a file that cannot be loaded is an outcome
        return [{"name": "the file", "passed": False, "why": _why(error)}]
    tests = [value for name, value in vars(module).items() if name.startswith("test_")]
    return [_outcome(test, parameters) for test in tests for parameters in _parameters(test)]


def _parameters(test: Any) -> list[dict[str, Any]]:
    """The sets of parameters to run a test with: a single empty one without `parametrize`."""
    sets: list[list[dict[str, Any]]] = []
    for kind, arguments, _ in getattr(test, "marks", []):
        if kind == "parametrize":
            names = (
                [name.strip() for name in arguments[0].split(",")]
                if isinstance(arguments[0], str)
                else list(arguments[0])
            )
            rows = arguments[1] if len(names) > 1 else [(value,) for value in arguments[1]]
            sets.append([dict(zip(names, row)) for row in rows])  # noqa: B905  of Python 3.10
    return [
        {name: value for part in parts for name, value in part.items()}
        for parts in itertools.product(*sets)
    ]


def _outcome(test: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    values = ", ".join(map(repr, parameters.values()))
    name = test.__name__ + (f"[{values}]" if parameters else "")
    with tempfile.TemporaryDirectory() as scratch:
        fixtures = {
            "guest": LocalGuest(),
            "fresh_guest": LocalGuest(),
            "tmp_path": Path(scratch),
        }
        names = [name for name in inspect.signature(test).parameters if name not in parameters]
        unknown = [fixture for fixture in names if fixture not in fixtures]
        if unknown:
            why = f"unknown fixtures: {', '.join(unknown)} (available: {', '.join(fixtures)})"
            return {"name": name, "passed": False, "why": why}
        try:
            test(**parameters, **{fixture: fixtures[fixture] for fixture in names})
        except Exception as error:  # noqa: BLE001  a failure is an outcome
            return {"name": name, "passed": False, "why": _why(error)}
    return {"name": name, "passed": True, "why": ""}


def _why(error: BaseException) -> str:
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))[-1500:]


def _calls(tools: dict[str, Any], call: Call) -> dict[str, Any]:
    """Stand-ins for the functions of tests.desktop.tool_calls."""

    def result_of(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        assert name in tools, f"no tool {name}"
        return call(tools[name], arguments)

    def done(guest: Any, name: str, /, **arguments: Any) -> Any:
        result = result_of(name, arguments)
        error = result.get("error", {})
        assert "error" not in result, f"{name}: {error['code']}: {error['message']}"
        return result["value"]

    def refused(guest: Any, name: str, /, **arguments: Any) -> tuple[str, str]:
        result = result_of(name, arguments)
        assert "error" in result, f"{name} was not refused: {result['value']}"
        assert result["error"]["kind"] == "tool", result["error"]["message"]
        return result["error"]["code"], result["error"]["message"]

    def read(guest: Any, *command: str) -> str:
        done = LocalGuest().run(list(command))
        assert done.returncode == 0, done
        return str(done.stdout.strip())

    return {"done": done, "refused": refused, "read": read}


def _install_stand_ins(tools: dict[str, Any], call: Call) -> None:
    """Put stand-ins for the modules that tests import into `sys.modules`."""

    def decorator_for(kind: str) -> Callable[..., Any]:
        def mark(*arguments: Any, **keywords: Any) -> Any:
            def decorate(function: Any) -> Any:
                function.marks = [*getattr(function, "marks", []), (kind, arguments, keywords)]
                return function

            return decorate

        return mark

    @contextlib.contextmanager
    def raises(kind: Any, match: str = "") -> Iterator[None]:
        try:
            yield
        except kind as error:
            if match not in str(error):
                raise AssertionError(f"{match!r} is not in the message: {error}") from error
        else:
            raise AssertionError(f"{kind} was not raised")

    mark = SimpleNamespace(parametrize=decorator_for("parametrize"), proves=decorator_for("proves"))
    modules: dict[str, dict[str, Any]] = {
        "pytest": {"mark": mark, "raises": raises},
        "ambidex": {},
        "ambidex.host": {},
        "ambidex.host.client.guest": {"Guest": LocalGuest},
        "tests": {},
        "tests.desktop": {},
        "tests.desktop.proofs": {"proves": decorator_for("proves")},
        "tests.desktop.tool_calls": _calls(tools, call),
    }
    for name, content in modules.items():
        module = types.ModuleType(name)
        vars(module).update(content)
        sys.modules[name] = module
