"""Packs: files of compressed 4 KiB blocks.

    <name>.pack    a header, then frames of up to 64 blocks each, compressed with zstd

The header holds the name of each block (`vm.checkpoints.block_names`), and the length and checksum
of each frame; the pack's own name is the checksum of its header. So every byte is covered by a
checksum, and a damaged header makes the pack invalid as a whole.
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

__all__ = [
    "CHECKSUM",
    "FRAME",
    "BlockError",
    "Pack",
    "Rows",
    "checksum",
    "open_pack",
    "write_pack",
]

FRAME = 64
"""Blocks compressed together. Larger frames compress better, but cost more per block read."""
CHECKSUM = 16
"""Length of a checksum in bytes."""
MAGIC = b"AMBLOCK3"
LEVEL = 1
"""Level of zstd: half a gigabyte a second. Higher ones cost more time than the space is worth."""

Rows = NDArray[np.uint8]
"""Blocks: shape (n, 4096)."""


class BlockError(Exception):
    """A block is missing or damaged."""


def checksum(content: bytes | memoryview) -> bytes:
    """The 128-bit XXH3 of what is written to this disk and read back.

    It detects accidental damage, not tampering: whoever can write the file can also write another
    checksum. It must not be used to name blocks, since guests choose their content; see
    `vm.checkpoints.block_names`.
    """
    return xxh3_128_digest(content)


@dataclass(frozen=True)
class Pack:
    """An open pack: the content of its header."""

    path: Path
    names: tuple[bytes, ...]
    frames: tuple[tuple[int, int, bytes], ...]
    """Offset, length and checksum of each compressed frame."""

    def read_frame(self, number: int) -> Rows:
        """The blocks of a frame; `BlockError` if it is damaged."""
        start, length, expected = self.frames[number]
        try:
            with self.path.open("rb", buffering=0) as file:
                packed = os.pread(file.fileno(), length, start)
        except OSError as error:
            raise BlockError(f"{self.path.name}: {error.strerror}") from None
        if checksum(packed) != expected:
            raise BlockError(f"{self.path.name}: frame {number} has changed since it was written")
        count = min(FRAME, len(self.names) - number * FRAME)
        plain = pyarrow.Codec("zstd").decompress(packed, count * BLOCK, asbytes=True)
        return np.frombuffer(plain, dtype=np.uint8).reshape(count, BLOCK)


def open_pack(path: Path) -> Pack | None:
    """The pack in that file; None if its header is damaged."""
    with path.open("rb") as file:
        start = file.read(len(MAGIC) + 8)
        if len(start) < len(MAGIC) + 8:
            return None
        blocks, frames = struct.unpack_from(">II", start, len(MAGIC))
        if max(blocks, frames) * NAME > path.stat().st_size:
            return None
        rest = file.read(blocks * NAME + frames * (4 + CHECKSUM))
    if checksum(start + rest).hex() != path.stem:
        return None
    names = tuple(np.frombuffer(rest, dtype=f"V{NAME}", count=blocks).tolist())
    table, at = [], len(start) + len(rest)
    for entry in range(blocks * NAME, len(rest), 4 + CHECKSUM):
        (length,) = struct.unpack_from(">I", rest, entry)
        table.append((at, length, rest[entry + 4 : entry + 4 + CHECKSUM]))
        at += length
    return Pack(path, names, tuple(table))


def write_pack(folder: Path, blocks: Mapping[bytes, bytes]) -> Pack:
    """Write blocks, given by name, to a new pack in `folder`."""
    rows = list(blocks.values())

    def compress(first: int) -> bytes:
        codec = pyarrow.Codec("zstd", compression_level=LEVEL)
        frame: bytes = codec.compress(b"".join(rows[first : first + FRAME]), asbytes=True)
        return frame

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        frames = list(pool.map(compress, range(0, len(rows), FRAME)))
    header = MAGIC + struct.pack(">II", len(rows), len(frames)) + b"".join(blocks)
    header += b"".join(struct.pack(">I", len(frame)) + checksum(frame) for frame in frames)
    folder.mkdir(parents=True, exist_ok=True)
    final = folder / f"{checksum(header).hex()}.pack"
    partial = final.with_suffix(".partial")
    with partial.open("wb") as out:
        out.write(header)
        out.writelines(frames)
    partial.rename(final)
    pack = open_pack(final)
    assert pack is not None
    return pack
