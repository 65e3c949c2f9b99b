"""Packs: files of blocks of 4 KiB, compressed.

    <name>.pack    a header, then frames of up to 64 blocks each, compressed by zstd

The header holds the name of each block (`vm.checkpoints.block_names`), and the length and checksum
of each frame; the pack's own name is the checksum of its header. So every byte is under a
checksum, and a pack is whole or not found.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow
from numpy.typing import NDArray
from xxhash import xxh3_128_digest

from ambidex.vm.checkpoints.block_names import BLOCK, NAME

__all__ = ["FRAME", "SUM", "BlockError", "Pack", "Rows", "checksum", "opened", "written"]

FRAME = 64
"""Blocks compressed as one: more of them are smaller together, and more is read for one of them."""
SUM = 16
"""Bytes of a checksum."""
MAGIC = b"AMBLOCK3"
LEVEL = 1
"""Of zstd: half a gigabyte a second; higher ones cost more time than they save space."""

Rows = NDArray[np.uint8]
"""Blocks: shape (n, 4096)."""


class BlockError(Exception):
    """A block is not there, or not what it was."""


def checksum(content: bytes | memoryview) -> bytes:
    """XXH3 of 128 bits, over what is written to this disk and read back.

    It finds what chance did to a file, not what malice did: whoever can write there can also write
    another checksum. It names no block: a guest chooses what is in a block, see
    `vm.checkpoints.block_names`.
    """
    return xxh3_128_digest(content)


@dataclass(frozen=True)
class Pack:
    """A file of blocks."""

    path: Path
    names: tuple[bytes, ...]
    frames: tuple[tuple[int, int, bytes], ...]
    """Where each begins, its length, and the checksum of that many bytes."""

    def frame(self, number: int) -> Rows:
        """The blocks of a frame; `BlockError` if it is damaged."""
        start, length, said = self.frames[number]
        try:
            with self.path.open("rb", buffering=0) as file:
                packed = os.pread(file.fileno(), length, start)
        except OSError as error:
            raise BlockError(f"{self.path.name}: {error.strerror}") from None
        if checksum(packed) != said:
            raise BlockError(f"{self.path.name}: frame {number} is not what was written")
        count = min(FRAME, len(self.names) - number * FRAME)
        plain = pyarrow.Codec("zstd").decompress(packed, count * BLOCK, asbytes=True)
        return np.frombuffer(plain, dtype=np.uint8).reshape(count, BLOCK)


def opened(path: Path) -> Pack | None:
    """The pack in that file; none where its header is not what was written."""
    with path.open("rb") as file:
        start = file.read(len(MAGIC) + 8)
        if len(start) < len(MAGIC) + 8:
            return None
        blocks, frames = struct.unpack_from(">II", start, len(MAGIC))
        if max(blocks, frames) * NAME > path.stat().st_size:
            return None
        rest = file.read(blocks * NAME + frames * (4 + SUM))
    if checksum(start + rest).hex() != path.stem:
        return None
    names = tuple(np.frombuffer(rest, dtype=f"V{NAME}", count=blocks).tolist())
    table, at = [], len(start) + len(rest)
    for place in range(blocks * NAME, len(rest), 4 + SUM):
        (length,) = struct.unpack_from(">I", rest, place)
        table.append((at, length, rest[place + 4 : place + 4 + SUM]))
        at += length
    return Pack(path, names, tuple(table))


def written(folder: Path, blocks: Mapping[bytes, bytes]) -> Pack:
    """A new pack in that folder, of blocks by name."""
    rows = list(blocks.values())

    def packed(first: int) -> bytes:
        codec = pyarrow.Codec("zstd", compression_level=LEVEL)
        frame: bytes = codec.compress(b"".join(rows[first : first + FRAME]), asbytes=True)
        return frame

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        frames = list(pool.map(packed, range(0, len(rows), FRAME)))
    header = MAGIC + struct.pack(">II", len(rows), len(frames)) + b"".join(blocks)
    header += b"".join(struct.pack(">I", len(frame)) + checksum(frame) for frame in frames)
    folder.mkdir(parents=True, exist_ok=True)
    final = folder / f"{checksum(header).hex()}.pack"
    partial = final.with_suffix(".partial")
    with partial.open("wb") as out:
        out.write(header)
        out.writelines(frames)
    partial.rename(final)
    pack = opened(final)
    assert pack is not None
    return pack
