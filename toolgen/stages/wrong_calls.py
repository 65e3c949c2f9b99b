"""Wrong calls, derived from a tool's schema. The tool must refuse them, or fail with a tool
error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["WrongCall", "wrong_calls"]

NOBODY = "nobody's 名前.xyz"


@dataclass(frozen=True)
class WrongCall:
    """The arguments of a wrong call, and what is wrong with them."""

    what: str
    arguments: Mapping[str, Any]
    must_be_refused: bool


def wrong_calls(parameters: Mapping[str, Any], right: Mapping[str, Any]) -> Iterator[WrongCall]:
    """Wrong calls of a tool with the schema `parameters`; `right` are arguments that work."""
    properties: Mapping[str, Any] = parameters.get("properties", {})
    yield WrongCall("an unknown argument", {**right, "surely_not": 1}, True)
    for name in parameters.get("required", []):
        rest = {other: value for other, value in right.items() if other != name}
        yield WrongCall(f"without {name}", rest, True)
    for name, schema in properties.items():
        kinds = set(_kinds(schema))
        if not kinds:
            continue
        yield WrongCall(
            f"{name} is an object", {**right, name: {"no": ["such"]}}, "object" not in kinds
        )
        if "string" in kinds:
            yield WrongCall(f"{name} is empty", {**right, name: ""}, False)
            yield WrongCall(f"{name} is {NOBODY}", {**right, name: NOBODY}, False)
        if "array" in kinds:
            yield WrongCall(f"{name} is an empty list", {**right, name: []}, False)
        if kinds & {"integer", "number"}:
            yield WrongCall(f"{name} is far below zero", {**right, name: -(10**9)}, False)
            yield WrongCall(f"{name} is far too large", {**right, name: 10**9}, False)


def _kinds(schema: Mapping[str, Any]) -> Iterator[str]:
    match schema.get("type"):
        case str(kind):
            yield kind
        case list(kinds):
            yield from kinds
    for choice in schema.get("anyOf", []):
        yield from _kinds(choice)
