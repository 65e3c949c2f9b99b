"""How arguments are written in addresses, headers and forms: the styles of OpenAPI 3."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from ambidex.mcp_tools import ToolError

__all__ = ["as_json", "encoded", "joined", "pairs", "text_of"]

SEPARATORS = {"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}


def text_of(value: Any) -> str:
    """A value as text: true, false, null, numbers and containers as in JSON, texts as they are."""
    return value if isinstance(value, str) else as_json(value)


def as_json(value: Any) -> str:
    """A value as compact JSON. `ToolError` if JSON does not have it."""
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except ValueError as error:
        raise ToolError(f"An argument is not JSON: {error}.", code="bad_arguments") from None


def encoded(value: Any, safe: str = "") -> str:
    """A value with its special characters written as %XX."""
    return quote(text_of(value), safe=safe)


def joined(name: str, value: Any, style: str, explode: bool, safe: str = "") -> str:
    """A value in a path, header or base address, where it is one text: simple, label or matrix as
    in RFC 6570, or json."""
    if style == "json":
        return quote(as_json(value), safe=safe)
    start, between = {"label": (".", "."), "matrix": (";", ";")}.get(style, ("", ","))
    if isinstance(value, Mapping):
        members = [(encoded(key, safe), encoded(item, safe)) for key, item in value.items()]
        if explode:
            return start + between.join(f"{key}={item}" for key, item in members)
        items = [text for pair in members for text in pair]
    elif isinstance(value, (list, tuple)):
        items = [encoded(item, safe) for item in value]
        if explode and style == "matrix":
            return "".join(f";{name}={item}" for item in items)
        if explode:
            return start + between.join(items)
    else:
        items = [encoded(value, safe)]
    text = ",".join(items)
    return f";{name}={text}" if style == "matrix" else start + text


def pairs(name: str, value: Any, style: str, explode: bool) -> Iterator[tuple[str, str]]:
    """A value as the fields of a query or a form, not yet encoded: form, spaceDelimited,
    pipeDelimited, tabDelimited, deepObject or json."""
    if style == "json":
        yield name, as_json(value)
    elif style == "deepObject" and isinstance(value, (Mapping, list, tuple)):
        yield from _deep(name, value)
    elif isinstance(value, Mapping):
        if explode:
            yield from ((key, text_of(item)) for key, item in value.items())
        else:
            parts = [text_of(part) for member in value.items() for part in member]
            yield name, SEPARATORS.get(style, ",").join(parts)
    elif isinstance(value, (list, tuple)):
        if explode:
            yield from ((name, text_of(item)) for item in value)
        else:
            yield name, SEPARATORS.get(style, ",").join(map(text_of, value))
    else:
        yield name, text_of(value)


def _deep(name: str, value: Mapping[str, Any] | Sequence[Any]) -> Iterator[tuple[str, str]]:
    """`name[key]=…` at every level. The members of an array are `name[]`, and `name[0]` where they
    have members themselves, as Rails, PHP and qs read it."""
    if isinstance(value, Mapping):
        members = [(f"{name}[{key}]", item) for key, item in value.items()]
    else:
        members = [
            (f"{name}[{index}]" if isinstance(item, (Mapping, list)) else f"{name}[]", item)
            for index, item in enumerate(value)
        ]
    for key, item in members:
        if isinstance(item, (Mapping, list, tuple)):
            yield from _deep(key, item)
        else:
            yield key, text_of(item)
