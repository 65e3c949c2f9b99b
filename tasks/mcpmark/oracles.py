"""Reference solutions of MCPMark's own tasks, from `oracles.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from ambidex.evaluators.strict import Strict
from ambidex.tasks.spec import Oracle, ScriptedCall

__all__ = ["oracles_of"]


class Solution(Strict):
    """The solution of one task: SQL statements, in order."""

    sql: tuple[str, ...]


@cache
def _solutions() -> dict[str, Solution]:
    text = (Path(__file__).parent / "oracles.toml").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, Solution]).validate_python(tomllib.loads(text))


def oracles_of(name: str) -> list[Oracle]:
    """The reference solution of upstream's task of that name; none if there is none."""
    solution = _solutions().get(name)
    if solution is None:
        return []
    calls = [
        ScriptedCall.model_validate(
            {"call": "database_execute_sql", "with": {"sql": statement.strip()}}
        )
        for statement in solution.sql
    ]
    return [Oracle(by="tools", calls=calls)]
