"""Blocks of 4 KiB in a folder of packs (`vm.checkpoints.pack`), each stored once and named by its
content; those that the disk below has are not stored.
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
from ambidex.vm.checkpoints.pack import FRAME, BlockError, Pack, Rows, opened, written

__all__ = ["Blocks"]

PART = 2048
"""Blocks that are read and handed on together: 8 MiB."""
SLACK = 0.25
"""Share of a pack that may be unwanted before the rest of it is written again."""

Places = NDArray[np.int64]


class Blocks:
    """The blocks in a folder. Whoever holds the folder's lock makes one, and lets it go with it; or
    asks for those there are `now`. `disk` lies below, and its names are those of blocks added here;
    to read blocks, their names are enough, whoever gave them.
    """

    def __init__(self, folder: Path, disk: DiskBlocks = NO_DISK) -> None:
        self._folder = folder
        self._disk = disk
        self._packs: list[Pack] = []
        self._frames: list[tuple[Pack, int]] = []
        """Every frame of every pack."""
        self._at: dict[bytes, int] = {}
        """Where the block of a name is: which frame, times `FRAME`, and which of its blocks."""
        for path in self._paths():
            # One whose header is damaged has no blocks: who needs them is told that they are gone.
            if (pack := opened(path)) is not None:
                self._known(pack)

    def _paths(self) -> list[Path]:
        return sorted(self._folder.glob("*.pack"))

    def now(self) -> Blocks:
        """The same, where nobody has changed the folder since."""
        same = [pack.path for pack in self._packs] == self._paths()
        return self if same else Blocks(self._folder, self._disk)

    def add(self, *parts: Iterable[Rows]) -> tuple[list[list[bytes]], int]:
        """Keep the blocks of each part, those that are not there yet; their names, and how many
        bytes were written. A part comes bit by bit, and is not held.
        """
        said: list[list[bytes]] = []
        fresh: dict[bytes, bytes] = {}
        for part in parts:
            said.append([])
            for rows in part:
                flat = np.ascontiguousarray(rows).reshape(-1).data
                names = self._disk.names.of(flat)
                said[-1] += names
                for place, name in enumerate(names):
                    if name not in self._at and name not in fresh:
                        fresh[name] = rows[place].tobytes()
        # All at once, and after the last part: until then a machine may stand still.
        below = self._disk.find(list(fresh)).tolist()
        fresh = {name: fresh[name] for name, at in zip(fresh, below, strict=True) if at < 0}
        return said, self._written(fresh) if fresh else 0

    def read(self, names: Sequence[bytes]) -> Rows:
        """The blocks of these names, in this order; `BlockError` says which pack lacks one."""
        found = np.empty((len(names), BLOCK), dtype=np.uint8)
        for places, rows in self.parts(names):
            found[places] = rows
        return found

    def parts(self, names: Sequence[bytes]) -> Iterator[tuple[Places, Rows]]:
        """The same bit by bit, in the order in which they are stored: places among the names, and
        what is there, until the next part is asked for.
        """
        there = np.array([self._at.get(name, -1) for name in names], dtype=np.int64)
        order = np.argsort(there, kind="stable")
        below = int(np.searchsorted(there[order], 0))
        yield from self._below(names, order[:below])
        yield from self._packed(there, order[below:])

    def _below(self, names: Sequence[bytes], places: Places) -> Iterator[tuple[Places, Rows]]:
        wanted = [names[place] for place in places]
        where = self._disk.find_kept(wanted)
        if len(lacking := np.flatnonzero(where < 0)):
            raise BlockError(f"the block {wanted[lacking[0]].hex()} is in no pack")
        order = np.argsort(where)
        for first in range(0, len(order), PART):
            some = order[first : first + PART]
            yield places[some], self._disk.read(where[some], [wanted[each] for each in some])

    def _packed(self, there: Places, order: Places) -> Iterator[tuple[Places, Rows]]:
        def read(places: Places, rows: Rows) -> tuple[Places, Rows]:
            frames, inside = np.divmod(there[places], FRAME)
            begins = np.flatnonzero(np.diff(frames, prepend=-1)).tolist()
            for begin, end in itertools.pairwise([*begins, len(places)]):
                pack, number = self._frames[frames[begin]]
                np.take(pack.frame(number), inside[begin:end], axis=0, out=rows[begin:end])
            return places, rows[: len(places)]

        ahead = os.cpu_count() or 1
        # Memory that a process touches for the first time costs more than to fill it.
        free = [np.empty((PART, BLOCK), dtype=np.uint8) for _ in range(ahead + 1)]
        with ThreadPoolExecutor(ahead) as pool:
            coming: deque[Future[tuple[Places, Rows]]] = deque()
            for number, first in enumerate(range(0, len(order), PART)):
                if len(coming) == len(free):
                    yield coming.popleft().result()
                rows = free[number % len(free)]
                coming.append(pool.submit(read, order[first : first + PART], rows))
            while coming:
                yield coming.popleft().result()

    def keep_only(self, wanted: Set[bytes], slack: float = SLACK) -> None:
        """Give back the blocks that are not wanted. A pack of which no more than the share `slack`
        is not wanted stays as it is, and so does one that cannot be read.
        """
        for pack in tuple(self._packs):
            here = (name for name in pack.names if self._frames[self._at[name] // FRAME][0] is pack)
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
        first = len(self._frames) * FRAME
        self._packs.append(pack)
        self._frames += [(pack, number) for number in range(len(pack.frames))]
        self._at.update(zip(pack.names, itertools.count(first), strict=False))

    def _written(self, fresh: dict[bytes, bytes]) -> int:
        pack = written(self._folder, fresh)
        self._known(pack)
        return pack.path.stat().st_size
