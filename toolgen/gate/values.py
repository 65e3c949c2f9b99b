"""What stands in arguments, however they are nested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["scalars"]


def scalars(said: Any) -> Iterator[Any]:
    """Every value that is neither an object nor a list, wherever it stands."""
    if isinstance(said, Mapping):
        for value in said.values():
            yield from scalars(value)
    elif isinstance(said, list | tuple):
        for value in said:
            yield from scalars(value)
    else:
        yield said
