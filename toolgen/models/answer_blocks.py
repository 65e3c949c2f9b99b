"""Fenced code blocks in a model's answer, by language or file name."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ambidex.tasks.spec import Call

__all__ = ["Block", "MissingBlockError", "block_named", "blocks", "parse_calls"]

FENCE = re.compile(
    r"^```[ \t]*(?P<head>[^\n`]*)\n(?P<text>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL
)
CALLS = TypeAdapter(list[Call])


class MissingBlockError(Exception):
    """The answer lacks a requested block, or the block is malformed. The message is passed on to
    the model."""


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    language: str
    name: str
    """The file's name after the language; empty if there is none."""
    text: str


def blocks(answer: str) -> list[Block]:
    """All fenced blocks, in the order of the answer."""
    result = []
    for match in FENCE.finditer(answer):
        language, _, name = match["head"].strip().partition(" ")
        result.append(Block(language.lower(), name.strip(), match["text"]))
    return result


def block_named(answer: str, name: str) -> str:
    """The text of the last block with this file name."""
    texts = [block.text for block in blocks(answer) if block.name == name]
    if not texts:
        raise MissingBlockError(f"the answer has no block named {name}")
    return texts[-1]


def parse_calls(text: str) -> list[Call]:
    """Parse JSON as a list of calls in the form that tasks use."""
    try:
        data: Any = json.loads(text)
        return CALLS.validate_python(data)
    except (ValueError, ValidationError) as error:
        raise MissingBlockError(f"calls.json is not a list of calls: {error}") from None
