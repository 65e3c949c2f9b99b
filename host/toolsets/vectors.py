"""The vectors of a toolset's tools and servers, computed once and stored next to it.

The file is named by the hash of the toolset and by the embedder. It has a row of float32 for each
tool, then one for each server's description, then one for each server's summary. It is written
row by row under another name, and an interrupted computation is continued.
"""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ambidex.host.models.embedders import Embedder, embedder_of, identity_of, unit_vectors
from ambidex.host.toolsets.toolset import Toolset

__all__ = ["Say", "ToolVectors", "open_vectors", "silent"]

VERSION = 1
"""Raised when the embedded texts change."""
LONGEST = 300
"""Characters of a tool's text: more cost time and did not find more."""
CHUNK = 64
"""Texts that are embedded at a time, and lost by an interruption."""
REPORTED = 16
"""Chunks from one message about progress to the next."""

Vectors = NDArray[np.float32]
Say = Callable[[str], None]


def silent(message: str) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class ToolVectors:
    """Vectors of length 1, mapped into memory."""

    tools: Vectors
    """A row per tool."""
    servers: tuple[Vectors, Vectors]
    """A row per server: of its description, and of its summary."""
    owners: NDArray[np.int64]
    """The row of each tool's server."""


def open_vectors(toolset: Toolset, embedder: str, say: Say = silent) -> ToolVectors:
    """Map the vectors of a toolset; computed first if there are none, and `say` is told how far."""
    named = sha256(f"{toolset.hash} {identity_of(embedder)}".encode()).hexdigest()[:16]
    path = toolset.path.with_name(f"{toolset.path.name}.vectors-{VERSION}-{named}")
    if not path.exists():
        _compute(path, toolset, embedder_of(embedder), say)
    tools, servers = len(toolset), len(toolset.servers)
    flat = np.memmap(path, np.float32, "r")
    rows = flat.reshape(tools + 2 * servers, -1)
    counts = [toolset.count_of(server) for server in toolset.servers]
    return ToolVectors(
        rows[:tools],
        (rows[tools : tools + servers], rows[tools + servers :]),
        np.repeat(np.arange(servers), counts),
    )


def _compute(path: Path, toolset: Toolset, embed: Embedder, say: Say) -> None:
    part = path.with_name(f"{path.name}.part")
    with part.open("a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # one process or thread at a time
        if path.exists():
            part.unlink(missing_ok=True)
            return
        texts = list(_texts(toolset))
        width = unit_vectors(embed, texts[:1]).nbytes
        done = min(file.seek(0, 2) // width, len(texts))
        file.truncate(done * width)
        for chunk, start in enumerate(range(done, len(texts), CHUNK)):
            if chunk % REPORTED == 0:
                say(f"{toolset.path}: {start} of {len(texts)} vectors computed")
            file.write(unit_vectors(embed, texts[start : start + CHUNK]).tobytes())
            file.flush()
        part.replace(path)


def _texts(toolset: Toolset) -> Iterator[str]:
    for owner, name, description in toolset.texts():
        spaced = name.replace("_", " ").replace("-", " ")
        yield f"{owner} {spaced}. {description}"[:LONGEST]
    about = [f"{server.name}. {server.description}" for server in toolset.servers.values()]
    yield from about
    for server, text in zip(toolset.servers.values(), about, strict=True):
        yield server.summary or text
