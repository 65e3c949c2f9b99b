"""A store of 4 KiB blocks in a folder of packs (`vm.checkpoints.pack`).

Blocks are named by their content and stored once; those that are on the image's disk are not
stored.
"""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ambidex.vm.checkpoints.block_names import BLOCK
from ambidex.vm.checkpoints.disk_blocks import NO_DISK, DiskBlocks
from ambidex.vm.checkpoints.pack import FRAME, BlockError, Pack, Rows, open_pack, write_pack

__all__ = ["BlockStore"]

PART = 2048
"""Blocks that are read and yielded together: 8 MiB."""
SLACK = 0.25
"""Share of a pack that may be unused before the rest of it is rewritten."""

Indices = NDArray[np.int64]


class BlockStore:
    """The blocks in a folder, plus those on the image's disk.

    Valid while the caller holds the folder's lock; under a later lock, use `refreshed`. Blocks that
    are added are named by the names of `disk`; reading takes names of any origin.
    """

    def __init__(self, folder: Path, disk: DiskBlocks = NO_DISK) -> None:
        self._folder = folder
        self._disk = disk
        self._packs: list[Pack] = []
        self._frames: list[tuple[Pack, int]] = []
        """Every frame of every pack."""
        self._positions: dict[bytes, int] = {}
        """Position of each block by name: the number of its frame times `FRAME`, plus its index."""
        for path in self._paths():
            # A pack with a damaged header has no blocks: whoever needs them gets a BlockError.
            if (pack := open_pack(path)) is not None:
                self._register(pack)

    def _paths(self) -> list[Path]:
        return sorted(self._folder.glob("*.pack"))

    def refreshed(self) -> BlockStore:
        """This store, or a new one if the folder has changed."""
        unchanged = [pack.path for pack in self._packs] == self._paths()
        return self if unchanged else BlockStore(self._folder, self._disk)

    def add(self, *parts: Iterable[Rows]) -> tuple[list[list[bytes]], int]:
        """Store the new blocks of each part; the names of each part's blocks, and the number of
        bytes written. Parts are consumed piece by piece and not held in memory.
        """
        part_names: list[list[bytes]] = []
        new: dict[bytes, bytes] = {}
        for part in parts:
            part_names.append([])
            for rows in part:
                flat = np.ascontiguousarray(rows).reshape(-1).data
                names = self._disk.names.of(flat)
                part_names[-1] += names
                for index, name in enumerate(names):
                    if name not in self._positions and name not in new:
                        new[name] = rows[index].tobytes()
        # The disk is searched once, after the last part: until then a machine may be paused.
        on_disk = self._disk.find(list(new)).tolist()
        new = {name: new[name] for name, place in zip(new, on_disk, strict=True) if place < 0}
        return part_names, self._write(new) if new else 0

    def read(self, names: Sequence[bytes]) -> Rows:
        """The blocks of these names, in this order; `BlockError` names the pack that lacks one."""
        blocks = np.empty((len(names), BLOCK), dtype=np.uint8)
        for indices, rows in self.read_in_parts(names):
            blocks[indices] = rows
        return blocks

    def read_in_parts(self, names: Sequence[bytes]) -> Iterator[tuple[Indices, Rows]]:
        """The blocks of these names in the order in which they are stored: indices into `names`,
        and their blocks, which are valid until the next part is requested.
        """
        positions = np.array([self._positions.get(name, -1) for name in names], dtype=np.int64)
        order = np.argsort(positions, kind="stable")
        not_packed = int(np.searchsorted(positions[order], 0))
        yield from self._read_from_disk(names, order[:not_packed])
        yield from self._read_from_packs(positions, order[not_packed:])

    def _read_from_disk(
        self, names: Sequence[bytes], indices: Indices
    ) -> Iterator[tuple[Indices, Rows]]:
        requested = [names[index] for index in indices]
        places = self._disk.find_any(requested)
        if len(missing := np.flatnonzero(places < 0)):
            raise BlockError(f"the block {requested[missing[0]].hex()} is in no pack")
        order = np.argsort(places)
        for first in range(0, len(order), PART):
            some = order[first : first + PART]
            part_names = [requested[index] for index in some]
            yield indices[some], self._disk.read(places[some], part_names)

    def _read_from_packs(
        self, positions: Indices, order: Indices
    ) -> Iterator[tuple[Indices, Rows]]:
        def read(indices: Indices, rows: Rows) -> tuple[Indices, Rows]:
            frames, offsets = np.divmod(positions[indices], FRAME)
            begins = np.flatnonzero(np.diff(frames, prepend=-1)).tolist()
            for begin, end in itertools.pairwise([*begins, len(indices)]):
                pack, number = self._frames[frames[begin]]
                np.take(pack.read_frame(number), offsets[begin:end], axis=0, out=rows[begin:end])
            return indices, rows[: len(indices)]

        workers = os.cpu_count() or 1
        # Buffers are reused: the first touch of new memory costs more than filling it.
        buffers = [np.empty((PART, BLOCK), dtype=np.uint8) for _ in range(workers + 1)]
        with ThreadPoolExecutor(workers) as pool:
            pending: deque[Future[tuple[Indices, Rows]]] = deque()
            for number, first in enumerate(range(0, len(order), PART)):
                if len(pending) == len(buffers):
                    yield pending.popleft().result()
                rows = buffers[number % len(buffers)]
                pending.append(pool.submit(read, order[first : first + PART], rows))
            while pending:
                yield pending.popleft().result()

    def keep_only(self, used: Set[bytes], slack: float = SLACK) -> None:
        """Delete the blocks that are not in `used`. A pack stays as it is if at most the share
        `slack` of it is unused, or if it cannot be read.
        """
        for pack in tuple(self._packs):
            own = (
                name
                for name in pack.names
                if self._frames[self._positions[name] // FRAME][0] is pack
            )
            alive = [name for name in own if name in used]
            if len(alive) >= (1 - slack) * len(pack.names):
                continue
            if alive:
                try:
                    rows = self.read(alive)
                except BlockError:
                    continue
                self._write(dict(zip(alive, map(bytes, rows), strict=True)))
            pack.path.unlink()

    def _register(self, pack: Pack) -> None:
        first = len(self._frames) * FRAME
        self._packs.append(pack)
        self._frames += [(pack, number) for number in range(len(pack.frames))]
        self._positions.update(zip(pack.names, itertools.count(first), strict=False))

    def _write(self, blocks: dict[bytes, bytes]) -> int:
        pack = write_pack(self._folder, blocks)
        self._register(pack)
        return pack.path.stat().st_size
