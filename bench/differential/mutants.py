"""Small random changes of texts and values, for evidence and rules."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from bench.differential import NO_FILE, NOTHING, Case
from tests.evaluators.osworld.asked import Case as Asked
from tests.evaluators.osworld.asked import made_in

__all__ = ["asked", "spoiled_text", "text_mutant", "value_mutant"]

ENDS = ["\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\n\n", " \n", "\t\n"]
SCALARS: list[Any] = [None, True, False, 0, 1, -1, 1.0, 2.5, "", "1", "None", "true", " ", "x", "é"]


def _inserted(random: Random, said: str, what: str) -> str:
    at = random.randrange(len(said) + 1)
    return said[:at] + what + said[at:]


def _cut(random: Random, said: str) -> str:
    at = random.randrange(len(said) + 1)
    return said[:at] + said[at + 1 :]


def _line(random: Random, said: str) -> str:
    lines = said.split("\n")
    at = random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            lines.insert(at, lines[at])
        case 1:
            lines.pop(at)
        case 2:
            lines.insert(at, random.choice(["", "x", "# x", "  "]))
        case _:
            random.shuffle(lines)
    return "\n".join(lines)


TEXTS: dict[str, Callable[[Random, str], str]] = {
    "equal": lambda _, said: said,
    "newline at the end": lambda _, said: said + "\n",
    "no newline at the end": lambda _, said: said.rstrip("\n"),
    "newlines at the end": lambda _, said: said + "\n\n",
    "other line ends": lambda random, said: said.replace("\n", random.choice(ENDS)),
    "another line end": lambda random, said: said.replace("\n", random.choice(ENDS), 1),
    "a separator": lambda random, said: _inserted(random, said, random.choice(ENDS)),
    "letter case": lambda random, said: random.choice([said.upper(), said.lower(), said.title()]),
    "blanks": lambda random, said: random.choice([f" {said}", f"{said} ", said.replace(" ", "  ")]),
    "tabs": lambda _, said: said.replace(" ", "\t"),
    "another letter": lambda random, said: _inserted(random, said, random.choice("x0+-'\"=é")),
    "a letter less": _cut,
    "another line": _line,
    "twice": lambda _, said: said + said,
    "empty": lambda *_: "",
    "with a mark of its encoding": lambda _, said: "\ufeff" + said,
}


def text_mutant(random: Random, said: str, right: float = 0.2) -> tuple[str, str]:
    """A changed text, after the name of the change."""
    name = "equal" if random.random() < right else random.choice(list(TEXTS))
    return name, TEXTS[name](random, said)


def value_mutant(random: Random, held: Any, right: float = 0.2) -> tuple[str, Any]:
    """A changed value, after the name of the change; in an object or list, one member changes."""
    if random.random() < right:
        return "equal", held
    if isinstance(held, dict) and held and random.random() < 0.8:
        other: Any = copy.deepcopy(held)
        key = random.choice(list(other))
        change = random.randrange(6)
        if change == 0:
            del other[key]
            return "a key less", other
        if change == 1:
            other[f"{key}x"] = random.choice(SCALARS)
            return "a key more", other
        note, other[key] = value_mutant(random, held[key], 0.0)
        return note, other
    if isinstance(held, list) and held and random.random() < 0.8:
        other = list(held)
        at = random.randrange(len(other))
        change = random.randrange(6)
        if change == 0:
            other.pop(at)
            return "a member less", other
        if change == 1:
            other.append(random.choice([other[at], *SCALARS]))
            return "a member more", other
        if change == 2:
            random.shuffle(other)
            return "another order", other
        note, other[at] = value_mutant(random, held[at], 0.0)
        return note, other
    if isinstance(held, str) and random.random() < 0.7:
        return text_mutant(random, held, 0.0)
    if isinstance(held, int | float) and random.random() < 0.6:
        return "another number", random.choice(
            [held + 1, -held, float(held), str(held), f"+{held}", bool(held)]
        )
    if random.random() < 0.3:
        return "in a list", [held]
    return "another kind", random.choice([*SCALARS, [], {}])


def spoiled_text(random: Random, path: Path) -> str:
    """Damage the file in a way that a metric may encounter; returns the name of the damage."""
    content = path.read_bytes()
    match random.randrange(4):
        case 0:
            path.unlink()
            return "is missing"
        case 1:
            path.write_bytes(b"")
            return "is empty"
        case 2:
            path.write_bytes(content + b"\xe9\n")
            return "is not UTF-8"
        case _:
            path.write_bytes(content[: len(content) // 2])
            return "is cut off"


def asked(metric: str, folder: Path, cases: list[Asked]) -> Iterator[Case]:
    """The test cases of one metric, with scores written by hand."""
    for case in cases:
        if case.metric == metric:
            for each in folder.iterdir():
                each.unlink()
            result, expected = made_in(case.result, folder), made_in(case.expected, folder)
            if expected is None:
                expected = NOTHING if case.kind != "broken" else NO_FILE
            yield Case(metric, result, expected, case.options, f"test: {case.about}")
