"""The blocks of an image's disk, by name.

A page of memory that holds a piece of a program is mostly a block of the disk. What is on the disk
need not be kept again, and is read from there.

    <base>/block-secret        the key of the names (`vm.checkpoints.block_names`)
           block-names/index   a checksum, then name and place of each block, sorted by name

An index from before there was a secret is in `<base>/blocks`. It is only read, for the steps that
were kept then.
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

from ambidex.vm import MachineError
from ambidex.vm.building.image import Base
from ambidex.vm.checkpoints.block_names import BLOCK, Names, kept_names
from ambidex.vm.checkpoints.pack import SUM, BlockError, Rows, checksum
from ambidex.vm.process import run
from ambidex.vm.store import once

__all__ = ["NO_DISK", "DiskBlocks", "disk_blocks"]

ENTRY = np.dtype([("head", "<u8"), ("tail", "<u8"), ("place", "<u4")])
"""Of a block: its name, in two halves, and where it is, in blocks from the start of the file."""
SECRET, FOLDER, INDEX = "block-secret", "block-names", "index"
EARLIER = "blocks"
PART = 1024 * BLOCK
"""Bytes that are named together."""
HINT = "Delete its folder; it is made again."


class DiskBlocks:
    """The blocks of a disk, which nobody writes to any more. `names` are what its blocks are named
    by; `earlier` is an index of the same disk by checksums.
    """

    def __init__(
        self,
        disk: Path,
        index: NDArray[np.void],
        names: Names,
        earlier: NDArray[np.void] | None = None,
    ) -> None:
        self.names = names
        self._disk = disk
        self._index = _Index(index)
        self._earlier = None if earlier is None else _Index(earlier)

    def find(self, names: Sequence[bytes]) -> NDArray[np.int64]:
        """Where each of these is, in blocks from the start of the file; -1 where it is not."""
        return self._index.find(names)

    def find_kept(self, names: Sequence[bytes]) -> NDArray[np.int64]:
        """The same of names that a step was kept with, however they were made then."""
        found = self._index.find(names)
        if self._earlier is not None and (lacking := np.flatnonzero(found < 0).tolist()):
            found[lacking] = self._earlier.find([names[place] for place in lacking])
        return found

    def read(self, places: NDArray[np.int64], names: Sequence[bytes]) -> Rows:
        """The blocks at these places, which have these names; `BlockError` if they do not."""
        count = self._disk.stat().st_size // BLOCK
        if places.max(initial=-1) >= count:
            raise BlockError(f"{self._disk} was cut off")
        rows: Rows = np.memmap(self._disk, np.uint8, "r", shape=(count, BLOCK))[places]
        there = self.names.of(rows.reshape(-1).data)
        for name, now, row in zip(names, there, rows, strict=True):
            if name != now and not (self._earlier is not None and name == checksum(row.data)):
                raise BlockError(f"{self._disk} is not what it was: it lacks {name.hex()}")
        return rows


class _Index:
    """Places by name, sorted."""

    def __init__(self, entries: NDArray[np.void]) -> None:
        self._heads = np.ascontiguousarray(entries["head"])
        self._entries = entries

    def find(self, names: Sequence[bytes]) -> NDArray[np.int64]:
        """See `DiskBlocks.find`."""
        halves = np.frombuffer(b"".join(names), dtype="<u8").reshape(-1, 2)
        if not len(self._entries):
            return np.full(len(names), -1)
        order = np.argsort(halves[:, 0])  # neighbours are looked for where it was just looked
        near = np.empty(len(names), dtype=np.int64)
        near[order] = np.searchsorted(self._heads, halves[order, 0])
        seen = self._entries[np.minimum(near, len(self._entries) - 1)]
        there = (seen["head"] == halves[:, 0]) & (seen["tail"] == halves[:, 1])
        return np.where(there, seen["place"].astype(np.int64), -1)


NO_DISK = DiskBlocks(Path(os.devnull), np.empty(0, dtype=ENTRY), Names.fresh())
"""One that has no blocks."""


def disk_blocks(base: Base, say: Callable[[str], None]) -> DiskBlocks:
    """The blocks of a base's disk; they are named once, which takes some seconds. `MachineError`
    if what was written of that is damaged."""

    def build(staging: Path) -> None:
        say(f"naming the blocks of {base.disk}")
        body = _made(base.disk, kept_names(base.folder / SECRET)).tobytes()
        (staging / INDEX).write_bytes(checksum(body) + body)

    return _opened(base.disk, once(base.folder / FOLDER, build, say))


@cache
def _opened(disk: Path, folder: Path) -> DiskBlocks:
    secret = folder.with_name(SECRET)
    try:
        names = Names(secret.read_bytes())
    except (OSError, ValueError) as error:
        hint = f"Delete {folder} and that file: steps that were kept on this image go with them."
        raise MachineError(f"the secret {secret} cannot be read: {error}", hint=hint) from None
    earlier = folder.with_name(EARLIER) / INDEX
    kept_then = _read(earlier) if earlier.is_file() else None
    return DiskBlocks(disk, _read(folder / INDEX), names, kept_then)


def _read(path: Path) -> NDArray[np.void]:
    content = path.read_bytes()
    if checksum(memoryview(content)[SUM:]) != content[:SUM]:
        raise MachineError(f"{path} is not what was written", hint=HINT)
    return np.frombuffer(content, dtype=ENTRY, offset=SUM)


def _made(disk: Path, names: Names) -> NDArray[np.void]:
    entries = np.array(list(_blocks(disk, names)), dtype=ENTRY)
    _, first = np.unique(entries["head"], return_index=True)
    return entries[first]


def _blocks(disk: Path, names: Names) -> Iterator[tuple[int, int, int]]:
    """Name and place of every block that a qcow2 holds as it is, and not of zeros or compressed."""
    said = run(["qemu-img", "map", "--force-share", "--output=json", disk], what=f"reading {disk}")
    with disk.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for extent in json.loads(said):
            if not extent["data"] or extent["zero"] or "offset" not in extent:
                continue
            first = extent["offset"]
            whole = extent["length"] // BLOCK * BLOCK
            for at in range(first, first + whole, PART):
                part = content[at : min(at + PART, first + whole)]
                for place, name in enumerate(names.of(part), at // BLOCK):
                    head, tail = name[:8], name[8:]
                    yield int.from_bytes(head, "little"), int.from_bytes(tail, "little"), place
