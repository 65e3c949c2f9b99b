"""Find tools of toolsets by words: BM25 over the names and descriptions of tools and servers.

The index is stored next to the first toolset, is named by the toolsets' hashes and is mapped into
memory.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ambidex.host.models.search import words
from ambidex.host.toolsets.toolset import Toolset

if TYPE_CHECKING:
    import bm25s

__all__ = ["ToolIndex"]

VERSION = 1
"""Raised when the indexed text or the vocabulary changes."""
NAME_WEIGHT = 3
"""How often the words of a tool's name count."""


class ToolIndex:
    """One index of several toolsets, so that scores compare: BM25 weighs a word by how rare it is
    in all of them. Safe to use from any thread."""

    def __init__(self, index: bm25s.BM25, count: int) -> None:
        """`open` is the way to get one."""
        self._index = index
        self._count = count

    @classmethod
    def open(cls, toolsets: Sequence[Toolset]) -> ToolIndex:
        """Map the index that is stored next to the first toolset; built first if there is none."""
        import bm25s  # heavy, and most commands search nothing

        hashes = " ".join(toolset.hash for toolset in toolsets)
        name = f"{toolsets[0].path.name}.index-{VERSION}-{sha256(hashes.encode()).hexdigest()[:16]}"
        folder = toolsets[0].path.with_name(name)
        if not folder.is_dir():
            _build(toolsets, folder)
        return cls(bm25s.BM25.load(folder, mmap=True), sum(map(len, toolsets)))

    def scores(self, query: str) -> NDArray[np.float64]:
        """The score of each tool, numbered through all toolsets; 0 for those that share no word
        with the query."""
        known = [word for word in words(query) if word in self._index.vocab_dict]
        if not known:
            return np.zeros(self._count)
        return np.asarray(self._index.get_scores(known), np.float64)


def _build(toolsets: Sequence[Toolset], folder: Path) -> None:
    import bm25s

    index = bm25s.BM25()
    index.index([text for toolset in toolsets for text in _texts(toolset)], show_progress=False)
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
