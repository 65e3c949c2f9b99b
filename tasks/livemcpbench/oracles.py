"""Reference solutions of LiveMCPBench's tasks, from `oracles.toml`: what to search for, and which
tools of which servers to execute."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field, TypeAdapter

from ambidex.evaluators.strict import Strict
from ambidex.tasks.livemcpbench import EXECUTE, ROUTE
from ambidex.tasks.spec import Oracle, ScriptedCall

__all__ = ["oracles_of"]

QUERY = "<tool_assistant>\nserver: {server}\ntool: {tool}\n</tool_assistant>"


class Search(Strict):
    """A search for tools."""

    server: str
    tool: str


class Execution(Strict):
    """An execution of a tool: server, name on the server, and parameters."""

    execute: tuple[str, str]
    params: dict[str, Any] = Field(default_factory=dict)


class Solution(Strict):
    """The solution of one task."""

    calls: tuple[Search | Execution, ...]
    answer: str


@cache
def _solutions() -> dict[str, dict[str, Solution]]:
    """The solutions, by category and by the beginning of the task's id."""
    text = (Path(__file__).parent / "oracles.toml").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, dict[str, Solution]]).validate_python(tomllib.loads(text))


def oracles_of(name: str, question: str) -> list[Oracle]:
    """The reference solution of the task of that name with that text; none if there is none."""
    category, _, id = name.partition(".")
    solution = _solutions().get(category, {}).get(id)
    if solution is None:
        return []
    calls = [_call(call, question) for call in solution.calls]
    return [Oracle(by="tools", calls=calls, answer=solution.answer)]


def _call(call: Search | Execution, question: str) -> ScriptedCall:
    match call:
        case Search():
            query = QUERY.format(server=call.server, tool=call.tool)
            return ScriptedCall.model_validate({"call": ROUTE, "with": {"query": query}})
        case Execution(execute=(server, tool), params=params):
            filled = {key: _filled(value, question) for key, value in params.items()}
            asked = {"server_name": server, "tool_name": tool, "params": filled}
            return ScriptedCall.model_validate({"call": EXECUTE, "with": asked})


def _filled(value: object, question: str) -> object:
    """The value, or what its pattern finds in the question."""
    match value:
        case {"question": str(pattern), **other} if not other:
            found = re.search(pattern, question)
            return found.group() if found else ""
    return value
