"""Instances of a task: the same task with other names, figures and files.

A task's folder may hold `instances.toml` with a table of values for each instance:

    [[instance]]
    customer = "Brandt"
    total = 1240.5

In `task.toml`, `{{total}}` stands for the value. A text that is nothing but one placeholder becomes
the value itself: a number, a list or a table. `{{instance}}` is the number of the instance, from 1.
What holds for the whole task (its applications and useful tools, for example) has no placeholders.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ambidex.tasks import Problem, WrongTaskError

__all__ = ["NAME", "Variation", "common_problems", "read_toml", "variations"]

NAME = "instances.toml"
NUMBER = "instance"
"""The placeholder that every task with instances has: the number of the instance."""
PLACES = ("instruction", "setup", "collect", "check", "oracle", "near_miss")
"""The keys of a task whose values may contain placeholders."""
PLACEHOLDER = re.compile(r"\{\{\s*((?:(?!\}\}).)*?)\s*\}\}", re.DOTALL)
IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*")
MOST = 100
"""Instances of one task."""


@dataclass(frozen=True)
class Variation:
    """The document of one instance, with its values filled in."""

    number: int
    document: dict[str, Any]


def read_toml(path: Path) -> dict[str, Any]:
    """Parse a file; `WrongTaskError` says what is wrong with it."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WrongTaskError((Problem(path, "", f"not TOML: {error}"),)) from None


def variations(path: Path) -> tuple[Variation, ...]:
    """The documents of a `task.toml`, one for each of its instances: a single one, as it is, where
    the folder holds no `instances.toml`. `WrongTaskError` lists unknown placeholders, and values
    that are missing or unused."""
    document = read_toml(path)
    file = path.with_name(NAME)
    if not file.is_file():
        return (Variation(1, document),)
    tables = _tables(file)
    known = sorted({name for table in tables for name in table})
    filled = [_Filling(path, number, table, known) for number, table in enumerate(tables, 1)]
    found = tuple(Variation(each.number, each.fill(document)) for each in filled)
    problems = [*_combined(path, [each.problems for each in filled])]
    used = {name for each in filled for name in each.used}
    problems += [
        Problem(file, name, "no placeholder in task.toml uses this value")
        for name in known
        if name not in used
    ]
    if problems:
        raise WrongTaskError(tuple(problems))
    return found


def common_problems(problems: Sequence[Sequence[Problem]]) -> Iterator[Problem]:
    """Every problem once. One that not all instances have names those that do, by number; the first
    sequence is that of the first instance."""
    numbers: dict[Problem, list[int]] = {}
    for number, own in enumerate(problems, 1):
        for problem in dict.fromkeys(own):
            numbers.setdefault(problem, []).append(number)
    for problem, which in numbers.items():
        if len(which) == len(problems):
            yield problem
        else:
            some = f"instance{'s' * (len(which) > 1)} {', '.join(map(str, which))}"
            yield Problem(problem.file, problem.key, f"{problem.message} ({some})")


def _combined(path: Path, problems: Sequence[Mapping[str, str]]) -> Iterator[Problem]:
    return common_problems(
        [[Problem(path, key, text) for key, text in own.items()] for own in problems]
    )


def _tables(file: Path) -> list[dict[str, Any]]:
    document = read_toml(file)
    tables = document.get("instance")
    if (
        document.keys() != {"instance"}
        or not isinstance(tables, list)
        or not all(isinstance(table, dict) for table in tables)
    ):
        message = "must hold a table [[instance]] for each instance, and nothing else"
        raise WrongTaskError((Problem(file, "", message),))
    problems = []
    if len(tables) > MOST:
        problems.append(Problem(file, "", f"{len(tables)} instances; at most {MOST} are allowed"))
    for index, table in enumerate(tables):
        for name in table:
            if not IDENTIFIER.fullmatch(name) or name == NUMBER:
                message = (
                    "this name stands for the number of the instance"
                    if name == NUMBER
                    else "a name consists of small letters, digits and underscores"
                )
                problems.append(Problem(file, f"instance[{index}].{name}", message))
    if problems:
        raise WrongTaskError(tuple(problems))
    return tables


@dataclass
class _Filling:
    """One instance, and what was noticed while its values were filled in."""

    path: Path
    number: int
    values: Mapping[str, Any]
    known: Sequence[str]
    """The names of values that some instance has."""
    used: set[str] = field(default_factory=set)
    problems: dict[str, str] = field(default_factory=dict)
    """Messages by key."""

    def fill(self, document: Mapping[str, Any]) -> dict[str, Any]:
        return {key: self._filled(value, key, key in PLACES) for key, value in document.items()}

    def _filled(self, value: Any, key: str, allowed: bool) -> Any:
        match value:
            case str():
                return self._text(value, key, allowed)
            case list():
                return [
                    self._filled(item, f"{key}[{at}]", allowed) for at, item in enumerate(value)
                ]
            case dict():
                for name in value:
                    if PLACEHOLDER.search(name):
                        self.problems[f"{key}.{name}"] = (
                            "a key cannot be a placeholder: make the whole table one value"
                        )
                return {
                    name: self._filled(item, f"{key}.{name}", allowed)
                    for name, item in value.items()
                }
            case _:
                return value

    def _text(self, text: str, key: str, allowed: bool) -> Any:
        if not PLACEHOLDER.search(text):
            return text
        if not allowed:
            self.problems[key] = (
                "holds for all instances, so it cannot have placeholders; "
                f"they are allowed in {', '.join(PLACES)}"
            )
            return text
        if whole := PLACEHOLDER.fullmatch(text):
            return self._value(whole[1], key)
        return PLACEHOLDER.sub(lambda found: self._part(found[1], key), text)

    def _part(self, name: str, key: str) -> str:
        value = self._value(name, key)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            self.problems[key] = (
                f"{name!r} is neither text nor a number, so it must be the whole text"
            )
        return str(value)

    def _value(self, name: str, key: str) -> Any:
        if name == NUMBER:
            return self.number
        self.used.add(name)
        if name in self.values:
            return self.values[name]
        if name in self.known:
            self.problems[key] = f"no value for {name!r} in {NAME}"
        else:
            near = difflib.get_close_matches(name, [*self.known, NUMBER], n=3)
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            self.problems[key] = f"unknown placeholder {name!r}{hint}"
        return ""
