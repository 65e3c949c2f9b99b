"""How two checkouts of OSWorld differ, task by task: a score says nothing without the revision that
it was made with."""

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
    """A task that is not what it was; `said` names what differs."""

    name: str
    said: tuple[str, ...]


def changes(before: Path, after: Path) -> list[Change]:
    """All that differ, in the order of their names. Blanks and the order of keys do not count."""
    old, new = _read(before), _read(after)
    found = []
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            found.append(Change(name, ("it is gone",)))
        elif name not in old:
            found.append(Change(name, ("it is new",)))
        elif said := tuple(_differences(old[name], new[name])):
            found.append(Change(name, said))
    return found


def _read(folder: Path) -> dict[str, dict[str, Any]]:
    examples = examples_of(folder)
    if examples is None:
        raise TaskError((Problem(folder, "", "no examples/<domain>/<id>.json here"),))
    found = {}
    for path in sorted(examples.glob("*/*.json")):
        try:
            said = json.loads(path.read_bytes())
        except ValueError as error:
            raise TaskError((Problem(path, "", f"not JSON: {error}"),)) from None
        if not isinstance(said, dict):
            raise TaskError((Problem(path, "", "no task"),))
        found[name_of(path.parent.name, path.stem)] = said
    return found


def _differences(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for key in sorted((old.keys() | new.keys()) - {"evaluator"}):
        if old.get(key) != new.get(key):
            yield key
    was, now = old.get("evaluator", {}), new.get("evaluator", {})
    if (was.get("func") == "infeasible") is not (now.get("func") == "infeasible"):
        said = "infeasible" if now.get("func") == "infeasible" else "feasible"
        yield f"it is {said} now"
    for key in sorted(was.keys() | now.keys()):
        if was.get(key) != now.get(key):
            yield f"evaluator.{key}"
