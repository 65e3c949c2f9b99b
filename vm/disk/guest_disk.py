"""The disk of a guest: its files now, and as they were when the machine started."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from ambidex.vm.disk import Blocks
from ambidex.vm.disk.ext4 import FileSystem
from ambidex.vm.disk.partitions import Partition, find_root
from ambidex.vm.disk.qcow2 import open_chain

__all__ = ["GuestDisk", "open_disk"]


class GuestDisk:
    """A disk while its machine is paused. Reading it raises `DiskError` if it is damaged."""

    def __init__(self, present: Blocks, original: Blocks, user: str) -> None:
        self._present = present
        self._original = original
        self.user = user
        """Name of the desktop user."""

    @cached_property
    def original(self) -> FileSystem:
        """The root file system of the snapshot (or image) that the machine was started from, which
        no agent can have changed."""
        return FileSystem(Partition(self._original, self._start))

    @cached_property
    def present(self) -> FileSystem:
        """The root file system as it is now."""
        return FileSystem(Partition(self._present, self._start))

    @cached_property
    def _start(self) -> int:
        return find_root(self._original)


@contextmanager
def open_disk(disk: Path, within: Path, user: str) -> Iterator[GuestDisk]:
    """Open the qcow2 of a paused machine for the block; see `qcow2.open_chain` for `within`."""
    with open_chain(disk, within) as present:
        yield GuestDisk(present, present.backing or present, user)
