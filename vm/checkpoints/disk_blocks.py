"""An index of the blocks of an image's disk, by name.

A page of memory that holds program code is usually also a block of the disk. Such blocks are not
stored again, but read from the disk.

    <base>/block-secret        the key of the names (`vm.checkpoints.block_names`)
           block-names/index   a checksum, then name and position of each block, sorted by name

`<base>/blocks` may hold an index from before names depended on a secret. It is only read, for the
checkpoints of that time.
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
from ambidex.vm.checkpoints.block_names import BLOCK, Names, stored_names
from ambidex.vm.checkpoints.pack import CHECKSUM, BlockError, Rows, checksum
from ambidex.vm.process import run
from ambidex.vm.store import once

__all__ = ["NO_DISK", "DiskBlocks", "disk_blocks"]

ENTRY = np.dtype([("head", "<u8"), ("tail", "<u8"), ("place", "<u4")])
"""Index entry of a block: its name, in two halves, and its position in blocks of the file."""
SECRET, FOLDER, INDEX = "block-secret", "block-names", "index"
LEGACY = "blocks"
PART = 1024 * BLOCK
"""Bytes that are named together."""
HINT = "Delete its folder; the index is built again."


class DiskBlocks:
    """The blocks of a disk that is never written again.

    `names` names its blocks; `legacy` is an index of the same disk by checksum.
    """

    def __init__(
        self,
        disk: Path,
        index: NDArray[np.void],
        names: Names,
        legacy: NDArray[np.void] | None = None,
    ) -> None:
        self.names = names
        self._disk = disk
        self._index = _Index(index)
        self._legacy = None if legacy is None else _Index(legacy)

    def find(self, names: Sequence[bytes]) -> NDArray[np.int64]:
        """The position of each block, in blocks from the start of the file; -1 if it is missing."""
        return self._index.find(names)

    def find_any(self, names: Sequence[bytes]) -> NDArray[np.int64]:
        """Like `find`, but accepts the names of legacy checkpoints too."""
        places = self._index.find(names)
        if self._legacy is not None and (missing := np.flatnonzero(places < 0).tolist()):
            places[missing] = self._legacy.find([names[index] for index in missing])
        return places

    def read(self, places: NDArray[np.int64], names: Sequence[bytes]) -> Rows:
        """The blocks at these positions; `BlockError` if they do not have these names."""
        count = self._disk.stat().st_size // BLOCK
        if places.max(initial=-1) >= count:
            raise BlockError(f"{self._disk} is truncated")
        rows: Rows = np.memmap(self._disk, np.uint8, "r", shape=(count, BLOCK))[places]
        actual_names = self.names.of(rows.reshape(-1).data)
        for name, actual, row in zip(names, actual_names, rows, strict=True):
            if name != actual and not (self._legacy is not None and name == checksum(row.data)):
                raise BlockError(f"{self._disk} has changed: the block {name.hex()} is gone")
        return rows


class _Index:
    """Positions by name, sorted by name."""

    def __init__(self, entries: NDArray[np.void]) -> None:
        self._heads = np.ascontiguousarray(entries["head"])
        self._entries = entries

    def find(self, names: Sequence[bytes]) -> NDArray[np.int64]:
        """See `DiskBlocks.find`."""
        halves = np.frombuffer(b"".join(names), dtype="<u8").reshape(-1, 2)
        if not len(self._entries):
            return np.full(len(names), -1)
        order = np.argsort(halves[:, 0])  # sorted queries keep the binary search in the cache
        nearest = np.empty(len(names), dtype=np.int64)
        nearest[order] = np.searchsorted(self._heads, halves[order, 0])
        entries = self._entries[np.minimum(nearest, len(self._entries) - 1)]
        matches = (entries["head"] == halves[:, 0]) & (entries["tail"] == halves[:, 1])
        return np.where(matches, entries["place"].astype(np.int64), -1)


NO_DISK = DiskBlocks(Path(os.devnull), np.empty(0, dtype=ENTRY), Names.fresh())
"""A disk without blocks."""


def disk_blocks(base: Base, say: Callable[[str], None]) -> DiskBlocks:
    """The blocks of a base's disk. The index is built once, which takes some seconds.

    `MachineError` if the stored index or its secret is damaged.
    """

    def build(staging: Path) -> None:
        say(f"indexing the blocks of {base.disk}")
        body = _build_index(base.disk, stored_names(base.folder / SECRET)).tobytes()
        (staging / INDEX).write_bytes(checksum(body) + body)

    return _load(base.disk, once(base.folder / FOLDER, build, say))


@cache
def _load(disk: Path, folder: Path) -> DiskBlocks:
    secret = folder.with_name(SECRET)
    try:
        names = Names(secret.read_bytes())
    except (OSError, ValueError) as error:
        hint = f"Delete {folder} and that file; checkpoints based on this image are lost with them."
        raise MachineError(f"the secret {secret} cannot be read: {error}", hint=hint) from None
    legacy_path = folder.with_name(LEGACY) / INDEX
    legacy = _read_index(legacy_path) if legacy_path.is_file() else None
    return DiskBlocks(disk, _read_index(folder / INDEX), names, legacy)


def _read_index(path: Path) -> NDArray[np.void]:
    content = path.read_bytes()
    if checksum(memoryview(content)[CHECKSUM:]) != content[:CHECKSUM]:
        raise MachineError(f"{path} has changed since it was written", hint=HINT)
    return np.frombuffer(content, dtype=ENTRY, offset=CHECKSUM)


def _build_index(disk: Path, names: Names) -> NDArray[np.void]:
    entries = np.array(list(_blocks(disk, names)), dtype=ENTRY)
    _, first = np.unique(entries["head"], return_index=True)
    return entries[first]


def _blocks(disk: Path, names: Names) -> Iterator[tuple[int, int, int]]:
    """Name (two halves) and position of each block of a qcow2 that is not zero or compressed."""
    answer = run(
        ["qemu-img", "map", "--force-share", "--output=json", disk], what=f"reading {disk}"
    )
    with disk.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for extent in json.loads(answer):
            if not extent["data"] or extent["zero"] or "offset" not in extent:
                continue
            first = extent["offset"]
            whole = extent["length"] // BLOCK * BLOCK
            for at in range(first, first + whole, PART):
                part = content[at : min(at + PART, first + whole)]
                for place, name in enumerate(names.of(part), at // BLOCK):
                    head, tail = name[:8], name[8:]
                    yield int.from_bytes(head, "little"), int.from_bytes(tail, "little"), place
