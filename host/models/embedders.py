"""Embedders: what turns texts into vectors. They are named as `module:name`, and may be a function
or a class without arguments whose instances are called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ambidex.host.errors import UsageError
from ambidex.host.named import load_reference

__all__ = ["Embedder", "embedder_of", "identity_of", "unit_vectors"]

Embedder = Callable[[Sequence[str]], Any]
"""From texts to an array of vectors, one row per text."""


@cache
def embedder_of(name: str) -> Embedder:
    """Load the embedder of that name, once; `UsageError` if it cannot be imported."""
    hint = "An embedder is module:function or module:Class, texts to vectors."
    found = cast(Any, load_reference("embedder", name, hint))
    return cast(Embedder, found() if isinstance(found, type) else found)


def identity_of(name: str) -> str:
    """The embedder's name, followed by its attribute `identity` if it has one: the name of the
    model and its version. Stored vectors are those of one identity."""
    identity = getattr(embedder_of(name), "identity", "")
    return f"{name} {identity}".rstrip()


def unit_vectors(embed: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Vectors of length 1, one row per text; zeros stay zeros. `UsageError` if the embedder returns
    another shape."""
    vectors = np.asarray(embed(texts), np.float32)
    if vectors.ndim != 2 or len(vectors) != len(texts):
        raise UsageError(f"the embedder returned shape {vectors.shape} for {len(texts)} texts")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return cast("NDArray[np.float32]", vectors / np.where(lengths == 0, 1, lengths))
