"""Reads qcow2 files while QEMU has them open: those of a machine that is paused.

The format: https://www.qemu.org/docs/master/interop/qcow2.html
"""

from __future__ import annotations

import os
import struct
from array import array
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ambidex.vm import MachineError

__all__ = ["Qcow2", "open_chain"]

HEADER = struct.Struct(">4sIQIIQIIQ")
"""Magic number, version, position and size of the backing file's name, cluster bits, size,
encryption, size and position of the L1 table."""
FEATURES = 72
"""Position of the incompatible features, in version 3."""
UNSUPPORTED = 0b10100
"""Of these: an external data file, extended L2 entries."""
POSITION = 0x00FF_FFFF_FFFF_FE00
"""The bits of a table's entry that are a position in the file."""
COMPRESSED, ZERO = 1 << 62, 1
DEEPEST = 8
"""Files in a chain."""


class Qcow2:
    """The content of a qcow2 file over its backing file; see `Blocks`."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._file = descriptor
        head = os.pread(descriptor, FEATURES + 8, 0).ljust(FEATURES + 8, b"\0")
        magic, version, name_at, name_size, bits, self.size, encryption, count, l1_at = (
            HEADER.unpack_from(head)
        )
        features = struct.unpack_from(">Q", head, FEATURES)[0] if version >= 3 else 0
        if magic != b"QFI\xfb" or version not in (2, 3) or not 9 <= bits <= 21:
            raise MachineError(f"not a qcow2 file: {path}")
        if encryption or features & UNSUPPORTED:
            raise MachineError(f"{path} uses a feature of qcow2 that cannot be read here")
        self._bits = bits
        self._l1 = self._table(l1_at, count)
        self._l2: dict[int, array[int]] = {}
        name = os.fsdecode(os.pread(descriptor, min(name_size, 1023), name_at)) if name_at else ""
        self.backing_path = path.parent / name if name else None
        """The path of its backing file."""
        self.backing: Qcow2 | None = None

    def read(self, offset: int, length: int) -> bytes:
        """See `Blocks`. `MachineError` if the file is damaged."""
        parts, end = [], offset + length
        while offset < end:
            inside = offset & ((1 << self._bits) - 1)
            part = min((1 << self._bits) - inside, end - offset)
            parts.append(self._part(offset, inside, part))
            offset += part
        return b"".join(parts)

    def _part(self, offset: int, inside: int, length: int) -> bytes:
        """Bytes that are in one cluster."""
        cluster = offset >> self._bits
        entry = self._entry(cluster) if offset < self.size else ZERO
        if entry & COMPRESSED:
            raise MachineError(f"{self.path} is compressed", hint="Import the image again.")
        if entry & ZERO:
            return bytes(length)
        if entry & POSITION:
            content = os.pread(self._file, length, (entry & POSITION) + inside)
            return content.ljust(length, b"\0")
        return self.backing.read(offset, length) if self.backing else bytes(length)

    def _entry(self, cluster: int) -> int:
        """The entry of a cluster in the L2 tables; 0 if it was never written."""
        first, second = divmod(cluster, 1 << (self._bits - 3))
        if first >= len(self._l1):
            return 0
        if first not in self._l2:
            at = self._l1[first] & POSITION
            self._l2[first] = self._table(at, 1 << (self._bits - 3)) if at else array("Q")
        table = self._l2[first]
        return table[second] if table else 0

    def _table(self, at: int, count: int) -> array[int]:
        content = os.pread(self._file, 8 * count, at)
        if len(content) != 8 * count:
            raise MachineError(f"{self.path} is truncated")
        table = array("Q", content)
        table.byteswap()
        return table


@contextmanager
def open_chain(disk: Path, within: Path) -> Iterator[Qcow2]:
    """Open a qcow2 with its backing files, for the block.

    QEMU can write to `disk`, so the backing files that it names must be in the folder `within`.
    `MachineError` if a file is elsewhere or cannot be read.
    """
    with ExitStack() as stack:
        top = last = _open(disk, stack)
        for _ in range(DEEPEST):
            if last.backing_path is None:
                break
            path = last.backing_path.resolve()
            if not path.is_relative_to(within.resolve()):
                raise MachineError(f"{disk} has an unexpected backing file: {path}")
            last.backing = last = _open(path, stack)
        else:
            raise MachineError(f"{disk} has more than {DEEPEST} backing files")
        yield top


def _open(path: Path, stack: ExitStack) -> Qcow2:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        raise MachineError(
            f"the disk of a machine cannot be read: {error}",
            hint="The machine must be on this host, and its disk readable for this user.",
        ) from None
    stack.callback(os.close, descriptor)
    return Qcow2(path, descriptor)
