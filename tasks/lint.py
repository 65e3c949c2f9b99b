"""Checks tool names and arguments in tasks against the catalogue, before any machine exists."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping

from jsonschema import Draft202012Validator

from ambidex.tasks import ToolSpec, is_gui
from ambidex.tasks.spec import Call, Facts, TaskSpec

__all__ = ["called", "lint", "lint_calls", "lint_facts"]


def lint(
    spec: TaskSpec, catalogue: Mapping[str, ToolSpec], tools: Mapping[str, ToolSpec]
) -> Iterator[tuple[str, str]]:
    """Yield each invalid reference to a tool, as key and message. `tools` are those of toolsets,
    which agents may call, but not setup and collection."""
    yield from lint_facts(spec, {**catalogue, **tools})
    yield from lint_calls("setup", spec.setup, catalogue)
    yield from lint_calls("collect", spec.collect, catalogue)


def lint_facts(spec: Facts, catalogue: Mapping[str, ToolSpec]) -> Iterator[tuple[str, str]]:
    """Like `lint`, for the part that all kinds of tasks have in common."""
    for index, name in enumerate(spec.useful_tools):
        if message := _unknown(name, catalogue):
            yield f"useful_tools[{index}]", message
        elif is_gui(catalogue[name].app):
            yield f"useful_tools[{index}]", f"{name} is a GUI action, not a useful tool"
    for index, oracle in enumerate(spec.oracle):
        key = f"oracle[{index}].calls"
        yield from lint_calls(key, oracle.calls, catalogue)
        for at, call in enumerate(oracle.calls):
            tool = catalogue.get(call.call)
            if tool and oracle.by == "gui" and not is_gui(tool.app):
                yield f"{key}[{at}]", f"{tool.name} is not a GUI action, but this oracle is by gui"
    for index, miss in enumerate(spec.near_miss):
        yield from lint_calls(f"near_miss[{index}].calls", miss.calls, catalogue)


def lint_calls(
    key: str, steps: Iterable[object], catalogue: Mapping[str, ToolSpec]
) -> Iterator[tuple[str, str]]:
    """Yield each invalid call among task steps, as key and message; `key` names their list."""
    for index, step in enumerate(steps):
        if not isinstance(step, Call):
            continue
        if message := _unknown(step.call, catalogue):
            yield f"{key}[{index}].call", message
            continue
        schema = Draft202012Validator(catalogue[step.call].parameters)
        for error in schema.iter_errors(step.with_):
            where = "".join(f".{part}" for part in error.absolute_path)
            yield f"{key}[{index}].with{where}", f"{step.call}: {error.message}"


def called(spec: Facts) -> set[str]:
    """The names of the tools that a task lists as useful, and that its oracles and near misses
    call."""
    scripts = [oracle.calls for oracle in spec.oracle] + [miss.calls for miss in spec.near_miss]
    return {*spec.useful_tools, *(call.call for calls in scripts for call in calls)}


def _unknown(name: str, catalogue: Mapping[str, ToolSpec]) -> str:
    if name in catalogue:
        return ""
    near = difflib.get_close_matches(name, catalogue, n=3)
    return f"no tool {name!r}" + (f"; did you mean {', '.join(near)}?" if near else "")
