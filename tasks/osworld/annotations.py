"""What is known of OSWorld's tasks beside what their files say: whether tools help and how many,
which network a task needs, and reference solutions. One file, TOML or JSON, that people edit.

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
from ambidex.tasks.osworld.network import Net
from ambidex.tasks.spec import NearMiss, Oracle

__all__ = ["Note", "Notes", "imported", "read_notes", "written_notes"]


class Note(Strict):
    """What is known of one task; what is left out is not known."""

    tool_beneficial: bool | None = None
    tools: Annotated[int | None, Field(ge=0)] = None
    """How many tools help, as OSWorld-MCP counts them."""
    useful_tools: tuple[str, ...] = ()
    net: Net | None = None
    oracle: tuple[Oracle, ...] = ()
    near_miss: tuple[NearMiss, ...] = ()


class Notes(Strict):
    """A whole file, by the tasks' names."""

    tasks: dict[str, Note] = Field(default={})


NOTHING = Note()


def read_notes(path: Path) -> Notes:
    """The notes in a file; `TaskError` names every wrong key."""
    try:
        text = path.read_text(encoding="utf-8")
        said = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        return Notes.model_validate(said)
    except OSError as error:
        raise TaskError((Problem(path, "", str(error.strerror)),)) from None
    except ValidationError as error:
        problems = tuple(Problem(path, key_path(key), said) for key, said in problems_of(error))
        raise TaskError(problems) from None
    except ValueError as error:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise TaskError((Problem(path, "", f"not {kind}: {error}"),)) from None


def imported(folder: Path, names: Mapping[str, str], index: Path | None = None) -> Notes:
    """Notes from OSWorld-MCP's lists: `has_tool.json` and `task_with_<n>_tools.json`, each of ids
    by domain; and, from a list of tasks, the network that each needs. `names` gives a task's name
    by its id; `TaskError` where the lists contradict each other."""
    problems = []
    found: dict[str, dict[str, Any]] = {}
    counted = sorted(folder.glob("task_with_*_tools.json"))
    helped = folder / "has_tool.json"
    if not helped.is_file() or not counted:
        message = "no has_tool.json with task_with_<n>_tools.json beside it"
        raise TaskError((Problem(folder, "", message),))
    listed = {id for ids in _read(helped).values() for id in ids}
    for path in counted:
        number = int(path.name.split("_")[2])
        for id in (id for ids in _read(path).values() for id in ids):
            if (number > 0) is not (id in listed):
                problems.append(Problem(path, id, f"{helped.name} says otherwise"))
            if id in names:
                found[names[id]] = {"tools": number, "tool_beneficial": number > 0}
    for each in _read(index) if index else ():
        if each["id"] in names:
            found.setdefault(names[each["id"]], {})["net"] = each["net"]
    if problems:
        raise TaskError(tuple(problems))
    return Notes.model_validate({"tasks": found})


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TaskError((Problem(path, "", f"cannot be read: {error}"),)) from None


def written_notes(notes: Notes) -> str:
    """The notes as TOML, a task a table, in the order of their names."""
    lines = []
    for name, note in sorted(notes.tasks.items()):
        lines.append(f"[tasks.{name}]")
        said = note.model_dump(exclude_defaults=True, by_alias=True, mode="json")
        lines += [f"{key} = {_toml(value)}" for key, value in said.items()]
        lines.append("")
    return "\n".join(lines)


def _toml(value: object) -> str:
    match value:
        case dict():
            inner = ", ".join(f"{json.dumps(key)} = {_toml(each)}" for key, each in value.items())
            return f"{{ {inner} }}" if inner else "{}"
        case list():
            return f"[{', '.join(_toml(each) for each in value)}]"
        case _:
            return json.dumps(value, ensure_ascii=False)
