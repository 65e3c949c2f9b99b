"""Annotations to OSWorld's tasks: whether and how many tools help, which network a task needs, and
reference solutions. They are one file, TOML or JSON, that people edit.

    [tasks.os-f9be0997]
    tool_beneficial = true
    tools = 2
    useful_tools = ["os_set_do_not_disturb"]
    net = "offline"

    [[tasks.os-f9be0997.oracle]]
    by = "tools"
    calls = [{ call = "os_set_do_not_disturb", with = { enable = true } }]
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from ambidex.evaluators.strict import Strict, key_path, problems_of
from ambidex.tasks import Problem, TaskError
from ambidex.tasks.spec import NearMiss, Oracle
from ambidex.tasks.survey import Net

__all__ = ["Note", "Notes", "format_notes", "import_notes", "read_notes"]


class Note(Strict):
    """The annotations of one task; omitted ones are unknown."""

    tool_beneficial: bool | None = None
    tools: Annotated[int | None, Field(ge=0)] = None
    """Number of tools that help, as counted by OSWorld-MCP."""
    useful_tools: tuple[str, ...] = ()
    net: Net | None = None
    oracle: tuple[Oracle, ...] = ()
    near_miss: tuple[NearMiss, ...] = ()


class Notes(Strict):
    """A file of annotations, by names of tasks."""

    tasks: dict[str, Note] = Field(default={})


NOTHING = Note()


def read_notes(path: Path) -> Notes:
    """Read a file of annotations; `TaskError` names every invalid key."""
    try:
        text = path.read_text(encoding="utf-8")
        document = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        return Notes.model_validate(document)
    except OSError as error:
        raise TaskError((Problem(path, "", str(error.strerror)),)) from None
    except ValidationError as error:
        problems = tuple(Problem(path, key_path(key), text) for key, text in problems_of(error))
        raise TaskError(problems) from None
    except ValueError as error:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise TaskError((Problem(path, "", f"not {kind}: {error}"),)) from None


def import_notes(folder: Path, names: Mapping[str, str], index: Path | None = None) -> Notes:
    """Import annotations from OSWorld-MCP's lists `has_tool.json` and `task_with_<n>_tools.json`
    (ids by domain) and, from `index`, the network that each task needs.

    `names` maps ids to the names of tasks. Raises `TaskError` if the lists contradict each other.
    """
    problems = []
    notes: dict[str, dict[str, Any]] = {}
    counted = sorted(folder.glob("task_with_*_tools.json"))
    helped = folder / "has_tool.json"
    if not helped.is_file() or not counted:
        message = "needs has_tool.json and task_with_<n>_tools.json"
        raise TaskError((Problem(folder, "", message),))
    listed = {id for ids in _read(helped).values() for id in ids}
    for path in counted:
        number = int(path.name.split("_")[2])
        for id in (id for ids in _read(path).values() for id in ids):
            if (number > 0) is not (id in listed):
                problems.append(Problem(path, id, f"contradicts {helped.name}"))
            if id in names:
                notes[names[id]] = {"tools": number, "tool_beneficial": number > 0}
    for entry in _read(index) if index else ():
        if entry["id"] in names:
            notes.setdefault(names[entry["id"]], {})["net"] = entry["net"]
    if problems:
        raise TaskError(tuple(problems))
    return Notes.model_validate({"tasks": notes})


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TaskError((Problem(path, "", f"cannot be read: {error}"),)) from None


def format_notes(notes: Notes) -> str:
    """Format annotations as TOML, one table per task, sorted by name."""
    lines = []
    for name, note in sorted(notes.tasks.items()):
        lines.append(f"[tasks.{name}]")
        values = note.model_dump(exclude_defaults=True, by_alias=True, mode="json")
        lines += [f"{key} = {_toml(value)}" for key, value in values.items()]
        lines.append("")
    return "\n".join(lines)


def _toml(value: object) -> str:
    match value:
        case dict():
            inner = ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items())
            return f"{{ {inner} }}" if inner else "{}"
        case list():
            return f"[{', '.join(_toml(item) for item in value)}]"
        case _:
            return json.dumps(value, ensure_ascii=False)
