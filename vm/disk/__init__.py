"""Reads files from the disk of a paused machine, on the host and without the guest.

Everything on that disk may have been written by an agent that is root in the guest. It is parsed
here, in Python and within bounds, instead of by the kernel or by the C code of e2fsprogs, whose
faults such a disk could use. Nothing is mounted, copied or written.

A disk is a chain of qcow2 files (`qcow2`) with one ext4 file system (`ext4`), directly or in a
partition (`partitions`); its journal (`journal`) is applied while reading.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from ambidex.vm.disk.guest_disk import GuestDisk

__all__ = ["Blocks", "DiskError", "DiskOwner"]


class DiskError(Exception):
    """The content of a guest's disk is damaged, or in a form that is not supported. The agent may
    have caused it: that is evidence, and does not make the attempt void."""


class Blocks(Protocol):
    """The content of a disk or a partition."""

    def read(self, offset: int, length: int) -> bytes:
        """Exactly `length` bytes from `offset` on; zeros where nothing was written, and after the
        end."""


@runtime_checkable
class DiskOwner(Protocol):
    """A machine whose disk can be read on the host."""

    def disk(self) -> AbstractContextManager[GuestDisk]:
        """Pause the machine for the block, in which its disk can be read. `MachineError` if the
        machine's files cannot be read."""
