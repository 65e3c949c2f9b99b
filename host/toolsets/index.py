"""Find tools of a toolset by words: BM25 over the names and descriptions of tools and servers.

The index lies beside the toolset, is named by the toolset's hash and is mapped into memory.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import bm25s
import numpy as np

from ambidex.host.models.search import words
from ambidex.host.toolsets.toolset import Toolset

__all__ = ["ToolIndex"]

VERSION = 1
"""Raised when the indexed text or the vocabulary changes."""
NAME_WEIGHT = 3
"""How often the words of a tool's name count."""


class ToolIndex:
    """The index of one toolset. Safe to use from any thread."""

    def __init__(self, index: bm25s.BM25, size: int) -> None:
        """`open` is the way to get one."""
        self._index = index
        self._size = size

    @classmethod
    def open(cls, toolset: Toolset) -> ToolIndex:
        """Map the index that lies beside the toolset; built first if there is none."""
        folder = toolset.path.with_name(f"{toolset.path.name}.index-{VERSION}-{toolset.hash[:16]}")
        if not folder.is_dir():
            _build(toolset, folder)
        return cls(bm25s.BM25.load(folder, mmap=True), len(toolset))

    def best(self, query: str, top: int) -> list[tuple[float, int]]:
        """Score and number of the `top` tools that match the query best; equal scores are in the
        order of the toolset. Tools that share no word with the query are left out."""
        known = [word for word in words(query) if word in self._index.vocab_dict]
        if not known:
            return []
        scores = self._index.get_scores(known)
        matching = np.flatnonzero(scores > 0)
        order = matching[np.argsort(-scores[matching], kind="stable")[:top]]
        return [(float(scores[number]), int(number)) for number in order]


def _build(toolset: Toolset, folder: Path) -> None:
    index = bm25s.BM25()
    index.index(list(_texts(toolset)), show_progress=False)
    part = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
    index.save(part)
    try:
        part.rename(folder)
    except OSError:  # another process was faster
        shutil.rmtree(part)
        if not folder.is_dir():
            raise


def _texts(toolset: Toolset) -> Iterator[list[str]]:
    for server, name, description in toolset.texts():
        spaced = name.replace("_", " ").replace("-", " ")
        about = f"{description} {server} {toolset.servers[server].description}"
        yield words(about) + NAME_WEIGHT * words(spaced)
