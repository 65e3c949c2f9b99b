"""Blocks of 4 KiB, each kept once: named by what is in them, packed and compressed.

    <folder>/<name>.pack    a header, then frames of up to 64 blocks each, compressed by zstd

The header holds the name of each block, and the length and hash of each frame; the pack's own name
is the hash of its header. So every byte is under a hash, and a pack is whole or not found.
"""

from __future__ import annotations

import itertools
import os
import struct
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow
from blake3 import blake3
from numpy.typing import NDArray

__all__ = ["BLOCK", "NAME", "BlockError", "Blocks", "Rows"]

BLOCK = 4096
FRAME = 64
"""Blocks compressed as one: more of them are smaller together, and more is read for one of them."""
NAME = 16
"""Bytes of a block's name."""
MAGIC = b"AMBLOCK2"
LEVEL = 1
"""Of zstd: half a gigabyte a second; higher ones cost more time than they save space."""
PART = 64
"""Frames that are read together: 16 MiB."""
SLACK = 0.25
"""Share of a pack that may be unwanted before the rest of it is written again."""

Rows = NDArray[np.uint8]
"""Blocks: shape (n, 4096)."""


class BlockError(Exception):
    """A block is not there, or not what it was."""


def named(block: bytes | memoryview) -> bytes:
    """The name of what is in a block."""
    return blake3(block).digest(NAME)


@dataclass(frozen=True)
class Pack:
    """A file of blocks."""

    path: Path
    names: tuple[bytes, ...]
    frames: tuple[tuple[int, int, bytes], ...]
    """Where each begins, its length, and the hash of that many bytes."""

    def frame(self, number: int, count: int) -> Rows:
        """The blocks of a frame, which are so many; `BlockError` if it is damaged."""
        start, length, said = self.frames[number]
        try:
            with self.path.open("rb") as file:
                packed = os.pread(file.fileno(), length, start)
        except OSError as error:
            raise BlockError(f"{self.path.name}: {error.strerror}") from None
        if named(packed) != said:
            raise BlockError(f"{self.path.name}: frame {number} is not what was written")
        codec = pyarrow.Codec("zstd")
        plain = codec.decompress(packed, count * BLOCK, asbytes=True)
        return np.frombuffer(plain, dtype=np.uint8).reshape(count, BLOCK)


class Blocks:
    """The blocks in a folder. Whoever holds the folder's lock makes one, and lets it go with it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._packs: list[Pack] = []
        self._at: dict[bytes, tuple[int, int]] = {}
        for path in sorted(folder.glob("*.pack")):
            # One whose header is damaged has no blocks: who needs them is told that they are gone.
            if (pack := _opened(path)) is not None:
                self._known(pack)

    def add(self, *parts: Iterable[Rows]) -> tuple[list[list[bytes]], int]:
        """Keep the blocks of each part, those that are not there yet; their names, and how many
        bytes were written. A part comes bit by bit, and is not held.
        """
        said: list[list[bytes]] = []
        fresh: dict[bytes, bytes] = {}
        for part in parts:
            said.append([])
            for rows in part:
                names = [named(row.data) for row in rows]
                said[-1] += names
                for place, name in enumerate(names):
                    if name not in self._at and name not in fresh:
                        fresh[name] = rows[place].tobytes()
        return said, self._written(fresh) if fresh else 0

    def read(self, names: Sequence[bytes]) -> Rows:
        """The blocks of these names, in this order; `BlockError` says which pack lacks one."""
        found = np.empty((len(names), BLOCK), dtype=np.uint8)
        for places, rows in self.parts(names):
            found[places] = rows
        return found

    def parts(self, names: Sequence[bytes]) -> Iterator[tuple[NDArray[np.int64], Rows]]:
        """The same bit by bit, in the order in which they are stored: places among the names, and
        what is there.
        """
        try:
            there = np.array([self._at[name] for name in names], dtype=np.int64).reshape(-1, 2)
        except KeyError as missing:
            raise BlockError(f"the block {missing.args[0].hex()} is in no pack") from None
        frames = there[:, 1] // FRAME
        order = np.lexsort((frames, there[:, 0]))
        keys = list(zip(there[order, 0].tolist(), frames[order].tolist(), strict=True))
        groups = itertools.groupby(range(len(keys)), keys.__getitem__)
        while some := [(key, order[list(group)]) for key, group in itertools.islice(groups, PART)]:
            places = np.concatenate([each for _, each in some])
            rows, done = np.empty((len(places), BLOCK), dtype=np.uint8), 0
            for key, each in some:
                rows[done : done + len(each)] = self._frame(*key)[there[each, 1] % FRAME]
                done += len(each)
            yield places, rows

    def _frame(self, number: int, frame: int) -> Rows:
        pack = self._packs[number]
        return pack.frame(frame, min(FRAME, len(pack.names) - frame * FRAME))

    def keep_only(self, wanted: Set[bytes], slack: float = SLACK) -> None:
        """Give back the blocks that are not wanted. A pack of which no more than the share `slack`
        is not wanted stays as it is, and so does one that cannot be read.
        """
        for number, pack in enumerate(tuple(self._packs)):
            here = (name for name in pack.names if self._at[name][0] == number)
            alive = [name for name in here if name in wanted]
            if len(alive) >= (1 - slack) * len(pack.names):
                continue
            if alive:
                try:
                    rows = self.read(alive)
                except BlockError:
                    continue
                self._written(dict(zip(alive, map(bytes, rows), strict=True)))
            pack.path.unlink()

    def _known(self, pack: Pack) -> None:
        number = len(self._packs)
        self._packs.append(pack)
        for place, name in enumerate(pack.names):
            self._at[name] = (number, place)

    def _written(self, fresh: dict[bytes, bytes]) -> int:
        codec = pyarrow.Codec("zstd", compression_level=LEVEL)
        rows = list(fresh.values())
        frames = [
            codec.compress(b"".join(rows[first : first + FRAME]), asbytes=True)
            for first in range(0, len(rows), FRAME)
        ]
        header = MAGIC + struct.pack(">II", len(rows), len(frames)) + b"".join(fresh)
        header += b"".join(struct.pack(">I", len(frame)) + named(frame) for frame in frames)
        self._folder.mkdir(parents=True, exist_ok=True)
        final = self._folder / f"{named(header).hex()}.pack"
        partial = final.with_suffix(".partial")
        with partial.open("wb") as out:
            out.write(header)
            out.writelines(frames)
        partial.rename(final)
        pack = _opened(final)
        assert pack is not None
        self._known(pack)
        return final.stat().st_size


def _opened(path: Path) -> Pack | None:
    """The pack in that file; none where its header is not what was written."""
    with path.open("rb") as file:
        start = file.read(len(MAGIC) + 8)
        if len(start) < len(MAGIC) + 8:
            return None
        blocks, frames = struct.unpack_from(">II", start, len(MAGIC))
        if max(blocks, frames) * NAME > path.stat().st_size:
            return None
        rest = file.read(blocks * NAME + frames * (4 + NAME))
    if named(start + rest).hex() != path.stem:
        return None
    names = tuple(rest[at : at + NAME] for at in range(0, blocks * NAME, NAME))
    table, at = [], len(start) + len(rest)
    for place in range(blocks * NAME, len(rest), 4 + NAME):
        (length,) = struct.unpack_from(">I", rest, place)
        table.append((at, length, rest[place + 4 : place + 4 + NAME]))
        at += length
    return Pack(path, names, tuple(table))
