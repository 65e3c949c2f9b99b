"""The agent that calls tools at random: tests robustness, and shows what luck alone scores."""

from __future__ import annotations

import random
import re
import uuid
from collections.abc import Mapping
from typing import Any

from ambidex.host import Briefing, Decision, Observation, Stop, ToolCall, is_gui
from ambidex.host.agents.kind import AgentKind
from ambidex.host.records.config import Modality

__all__ = ["AGENT", "Random", "invent"]

WORDS = ("ambidex", "42", "B", "A1", "A1:B2", "~/Documents", "#ff0000", "Ünï", "", "a b")
KEYS = ("Return", "Escape", "Tab", "a", "ctrl", "Down")


class Random:
    """Calls one random tool per step, with random arguments that fit its schema. Stops by itself
    only if it is offered none."""

    def __init__(self, briefing: Briefing, modality: Modality | None = None) -> None:
        """`modality`: the only one whose tools it calls; None: both."""
        self._rng = random.Random(briefing.seed)
        self._modality = modality

    def step(self, observation: Observation) -> Decision:
        """A call of a random tool."""
        tools = [
            tool
            for tool in observation.tools
            if self._modality is None or is_gui(tool.app) is (self._modality == "gui")
        ]
        if not tools:
            return Decision(thought="There is no tool to call.", stop=Stop.DONE)
        tool = self._rng.choice(tools)
        arguments = invent(tool.parameters, self._rng, observation.screen)
        id = f"{self._rng.getrandbits(64):016x}-{uuid.uuid4().hex[:8]}"
        return Decision(calls=(ToolCall(id, tool.name, arguments),))


def invent(
    schema: Mapping[str, Any], rng: random.Random, screen: tuple[int, int]
) -> dict[str, Any]:
    """Random arguments that fit an object schema: all required ones and some of the others."""
    required = schema.get("required", ())
    return {
        name: _value(name, property, schema.get("$defs", {}), rng, screen)
        for name, property in schema.get("properties", {}).items()
        if name in required or rng.random() < 0.3
    }


def _value(
    name: str,
    schema: Mapping[str, Any],
    defs: Mapping[str, Any],
    rng: random.Random,
    screen: tuple[int, int],
) -> Any:
    def inner(schema: Mapping[str, Any]) -> Any:
        return _value(name, schema, defs, rng, screen)

    if "$ref" in schema:
        return inner(defs[schema["$ref"].rpartition("/")[2]])
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "const" in schema:
        return schema["const"]
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return inner(rng.choice(schema[union]))
    match schema.get("type"):
        case "integer":
            return round(_number(name, schema, rng, screen))
        case "number":
            return round(_number(name, schema, rng, screen), 2)
        case "boolean":
            return rng.random() < 0.5
        case "null":
            return None
        case "array":
            low = schema.get("minItems", 1)
            count = rng.randint(low, max(low, min(schema.get("maxItems", 3), 3)))
            return [inner(schema.get("items", {"type": "string"})) for _ in range(count)]
        case "object":
            return {
                key: _value(key, property, defs, rng, screen)
                for key, property in schema.get("properties", {}).items()
            }
    words = KEYS if name.startswith("key") else WORDS
    fitting = [word for word in words if _fits(word, schema)]
    return rng.choice(fitting or words)


def _fits(word: str, schema: Mapping[str, Any]) -> bool:
    long_enough = schema.get("minLength", 0) <= len(word) <= schema.get("maxLength", 100)
    return long_enough and re.search(schema.get("pattern", ""), word) is not None


def _number(
    name: str, schema: Mapping[str, Any], rng: random.Random, screen: tuple[int, int]
) -> float:
    end = screen[0] - 1 if name.endswith("x") else screen[1] - 1 if name.endswith("y") else 5
    low = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
    high = schema.get("maximum", schema.get("exclusiveMaximum", end + 1) - 1)
    return rng.uniform(min(low, high), max(low, high))


AGENT = AgentKind(lambda request: Random(request.briefing))
