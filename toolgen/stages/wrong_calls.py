"""Calls that are wrong, derived from a tool's schema: it must refuse them, or fail well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Wrong", "wrong_calls"]

NOBODY = "nobody's 名前.xyz"


@dataclass(frozen=True)
class Wrong:
    """One such call."""

    what: str
    arguments: Mapping[str, Any]
    must_be_refused: bool


def wrong_calls(parameters: Mapping[str, Any], right: Mapping[str, Any]) -> Iterator[Wrong]:
    """Of a tool with that schema, `right` being arguments that work."""
    properties: Mapping[str, Any] = parameters.get("properties", {})
    yield Wrong("an argument it does not know", {**right, "surely_not": 1}, True)
    for name in parameters.get("required", []):
        rest = {each: value for each, value in right.items() if each != name}
        yield Wrong(f"without {name}", rest, True)
    for name, schema in properties.items():
        kinds = set(_kinds(schema))
        if not kinds:
            continue
        yield Wrong(
            f"{name} is an object", {**right, name: {"no": ["such"]}}, "object" not in kinds
        )
        if "string" in kinds:
            yield Wrong(f"{name} is empty", {**right, name: ""}, False)
            yield Wrong(f"{name} is {NOBODY}", {**right, name: NOBODY}, False)
        if "array" in kinds:
            yield Wrong(f"{name} is an empty list", {**right, name: []}, False)
        if kinds & {"integer", "number"}:
            yield Wrong(f"{name} is far below zero", {**right, name: -(10**9)}, False)
            yield Wrong(f"{name} is far too large", {**right, name: 10**9}, False)


def _kinds(schema: Mapping[str, Any]) -> Iterator[str]:
    match schema.get("type"):
        case str(kind):
            yield kind
        case list(kinds):
            yield from kinds
    for each in schema.get("anyOf", []):
        yield from _kinds(each)
