"""Values nested in JSON data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["scalars"]


def scalars(data: Any) -> Iterator[Any]:
    """Every value in JSON data, at any depth, that is neither an object nor a list."""
    if isinstance(data, Mapping):
        for value in data.values():
            yield from scalars(value)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from scalars(value)
    else:
        yield data
