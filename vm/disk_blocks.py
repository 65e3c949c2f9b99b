"""The blocks of an image's disk, by name.

A page of memory that holds a piece of a program is mostly a block of the disk. What is on the disk
need not be kept again, and is read from there.

    <base>/blocks/index   a hash, then name and place of each block, sorted by name
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vm import MachineError
from vm.image import Base
from vm.pack import BLOCK, NAME, BlockError, Rows, named
from vm.process import run
from vm.store import once

__all__ = ["NO_DISK", "DiskBlocks", "disk_blocks"]

ENTRY = np.dtype([("head", "<u8"), ("tail", "<u8"), ("place", "<u4")])
"""Of a block: its name, in two halves, and where it is, in blocks from the start of the file."""
FOLDER, INDEX = "blocks", "index"


class DiskBlocks:
    """The blocks of a disk, which nobody writes to any more."""

    def __init__(self, disk: Path, index: NDArray[np.void]) -> None:
        self._disk = disk
        self._heads = np.ascontiguousarray(index["head"])
        self._index = index

    def find(self, names: Sequence[bytes]) -> NDArray[np.int64]:
        """Where each of these is, in blocks from the start of the file; -1 where it is not."""
        halves = np.frombuffer(b"".join(names), dtype="<u8").reshape(-1, 2)
        if not len(self._index):
            return np.full(len(names), -1)
        order = np.argsort(halves[:, 0])  # neighbours are looked for where it was just looked
        near = np.empty(len(names), dtype=np.int64)
        near[order] = np.searchsorted(self._heads, halves[order, 0])
        seen = self._index[np.minimum(near, len(self._index) - 1)]
        there = (seen["head"] == halves[:, 0]) & (seen["tail"] == halves[:, 1])
        return np.where(there, seen["place"].astype(np.int64), -1)

    def read(self, places: NDArray[np.int64], names: Sequence[bytes]) -> Rows:
        """The blocks at these places, which have these names; `BlockError` if they do not."""
        count = self._disk.stat().st_size // BLOCK
        if places.max(initial=-1) >= count:
            raise BlockError(f"{self._disk} was cut off")
        rows: Rows = np.memmap(self._disk, np.uint8, "r", shape=(count, BLOCK))[places]
        for name, row in zip(names, rows, strict=True):
            if named(row.data) != name:
                raise BlockError(f"{self._disk} is not what it was: it lacks {name.hex()}")
        return rows


NO_DISK = DiskBlocks(Path(os.devnull), np.empty(0, dtype=ENTRY))
"""One that has no blocks."""


def disk_blocks(base: Base, say: Callable[[str], None]) -> DiskBlocks:
    """The blocks of a base's disk; they are named once, which takes some seconds. `MachineError`
    if what was written of that is damaged."""

    def build(staging: Path) -> None:
        say(f"naming the blocks of {base.disk}")
        body = _index(base.disk).tobytes()
        (staging / INDEX).write_bytes(named(body) + body)

    return _opened(base.disk, once(base.folder / FOLDER, build, say) / INDEX)


@cache
def _opened(disk: Path, path: Path) -> DiskBlocks:
    content = path.read_bytes()
    if named(memoryview(content)[NAME:]) != content[:NAME]:
        hint = "Delete its folder; it is made again."
        raise MachineError(f"{path} is not what was written", hint=hint)
    return DiskBlocks(disk, np.frombuffer(content, dtype=ENTRY, offset=NAME))


def _index(disk: Path) -> NDArray[np.void]:
    entries = np.array(list(_blocks(disk)), dtype=ENTRY)
    _, first = np.unique(entries["head"], return_index=True)
    return entries[first]


def _blocks(disk: Path) -> Iterator[tuple[int, int, int]]:
    """Name and place of every block that a qcow2 holds as it is, and not of zeros or compressed."""
    said = run(["qemu-img", "map", "--force-share", "--output=json", disk], what=f"reading {disk}")
    with disk.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for extent in json.loads(said):
            if not extent["data"] or extent["zero"] or "offset" not in extent:
                continue
            first = extent["offset"]
            for at in range(first, first + extent["length"] - BLOCK + 1, BLOCK):
                name = named(content[at : at + BLOCK])
                head, tail = name[:8], name[8:]
                yield int.from_bytes(head, "little"), int.from_bytes(tail, "little"), at // BLOCK
