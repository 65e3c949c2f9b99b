"""What a model's answer holds: fenced blocks, by their language or their file's name."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ambidex.tasks.spec import Call

__all__ = ["Block", "MissingBlockError", "blocks", "calls_of", "named"]

FENCE = re.compile(
    r"^```[ \t]*(?P<head>[^\n`]*)\n(?P<text>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL
)
CALLS = TypeAdapter(list[Call])


class MissingBlockError(Exception):
    """The answer lacks a block that was asked for; the text is told to the model."""


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    language: str
    name: str
    """The file's name after the language; empty where none is given."""
    text: str


def blocks(answer: str) -> list[Block]:
    """In the order of the answer."""
    found = []
    for match in FENCE.finditer(answer):
        language, _, name = match["head"].strip().partition(" ")
        found.append(Block(language.lower(), name.strip(), match["text"]))
    return found


def named(answer: str, name: str) -> str:
    """The text of the last block of that name."""
    found = [block.text for block in blocks(answer) if block.name == name]
    if not found:
        raise MissingBlockError(f"the answer has no block named {name}")
    return found[-1]


def calls_of(text: str) -> list[Call]:
    """Calls as a task writes them, from JSON."""
    try:
        said: Any = json.loads(text)
        return CALLS.validate_python(said)
    except (ValueError, ValidationError) as error:
        raise MissingBlockError(f"calls.json is not a list of calls: {error}") from None
