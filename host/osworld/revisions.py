"""Differences between two OSWorld checkouts, task by task. Scores are comparable only between equal
revisions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ambidex.tasks import Problem, TaskError
from ambidex.tasks.osworld.suite import examples_of, name_of

__all__ = ["Change", "changes"]


@dataclass(frozen=True)
class Change:
    """A task that differs; `said` names the differences."""

    name: str
    said: tuple[str, ...]


def changes(before: Path, after: Path) -> list[Change]:
    """The tasks that differ, sorted by name. Whitespace and the order of keys are ignored."""
    old, new = _read(before), _read(after)
    differing = []
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            differing.append(Change(name, ("removed",)))
        elif name not in old:
            differing.append(Change(name, ("added",)))
        elif differences := tuple(_differences(old[name], new[name])):
            differing.append(Change(name, differences))
    return differing


def _read(folder: Path) -> dict[str, dict[str, Any]]:
    examples = examples_of(folder)
    if examples is None:
        raise TaskError((Problem(folder, "", "no examples/<domain>/<id>.json here"),))
    tasks = {}
    for path in sorted(examples.glob("*/*.json")):
        try:
            task = json.loads(path.read_bytes())
        except ValueError as error:
            raise TaskError((Problem(path, "", f"not JSON: {error}"),)) from None
        if not isinstance(task, dict):
            raise TaskError((Problem(path, "", "not a task"),))
        tasks[name_of(path.parent.name, path.stem)] = task
    return tasks


def _differences(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for key in sorted((old.keys() | new.keys()) - {"evaluator"}):
        if old.get(key) != new.get(key):
            yield key
    was, now = old.get("evaluator", {}), new.get("evaluator", {})
    if (was.get("func") == "infeasible") is not (now.get("func") == "infeasible"):
        feasibility = "infeasible" if now.get("func") == "infeasible" else "feasible"
        yield f"now {feasibility}"
    for key in sorted(was.keys() | now.keys()):
        if was.get(key) != now.get(key):
            yield f"evaluator.{key}"
