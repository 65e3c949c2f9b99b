"""Finds the partition with a guest's root file system."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from ambidex.vm.disk import Blocks, DiskError
from ambidex.vm.disk.ext4 import ROOT, FileSystem

__all__ = ["Partition", "find_root"]

SECTOR = 512
MOST = 128
"""Partitions that are looked at."""


@dataclass(frozen=True)
class Partition:
    """A part of a disk; see `Blocks`."""

    disk: Blocks
    start: int
    """Bytes."""

    def read(self, offset: int, length: int) -> bytes:
        """See `Blocks`."""
        return self.disk.read(self.start + offset, length)


def find_root(disk: Blocks) -> int:
    """The position in bytes of the ext4 file system with the folder `/etc`: the whole disk, or a
    partition (MBR or GPT). `DiskError` if there is none that can be read."""
    reasons = []
    for start in (0, *_partitions(disk)):
        try:
            system = FileSystem(Partition(disk, start))
            if system.find(system.inode(ROOT), b"etc"):
                return start
        except DiskError as error:
            reasons.append(str(error))
    raise DiskError(f"there is no root file system on the disk: {'; '.join(set(reasons))}")


def _partitions(disk: Blocks) -> Iterator[int]:
    table = disk.read(0, SECTOR)
    if table[510:512] == b"\x55\xaa":
        for at in range(446, 510, 16):
            if start := struct.unpack_from("<I", table, at + 8)[0]:
                yield start * SECTOR
    header = disk.read(SECTOR, SECTOR)
    if header.startswith(b"EFI PART"):
        entries, count, size = struct.unpack_from("<QII", header, 72)
        for index in range(min(count, MOST)):
            if start := struct.unpack_from(
                "<Q", disk.read(entries * SECTOR + index * size, 48), 32
            )[0]:
                yield start * SECTOR
