"""Reads an ext4 file system: inodes, folders and the content of files, as of the last commit.

The format: https://www.kernel.org/doc/html/latest/filesystems/ext4/
"""

from __future__ import annotations

import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from ambidex.vm.disk import Blocks, DiskError
from ambidex.vm.disk.journal import JournalBlock, read_journal

__all__ = ["PIECE", "ROOT", "FileSystem", "Inode"]

ROOT, JOURNAL = 2, 8
"""Numbers of inodes."""
PIECE = 1 << 20
"""Bytes that are read at once."""
SUPERBLOCK = 1024
"""Its position in bytes."""
SUPPORTED = 0x2 | 0x4 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x2000 | 0x4000
"""Incompatible features: types in folders, a journal to recover, extents, 64 bits, protection from
multiple mounts, flexible groups, attributes in inodes, the seed of checksums, large folders."""
WIDE = 0x80
ENCRYPTED, HUGE, EXTENTS, INLINE = 0x800, 0x40000, 0x80000, 0x10000000
"""Flags of an inode."""
SHORT_LINK = 60
"""Size in bytes from which a link's target is stored in a block."""
DEEPEST, MOST_NODES, MOST_EXTENTS = 5, 1 << 14, 1 << 18
"""Limits on a tree of extents."""
LARGEST_FOLDER = 256 << 20
"""Bytes of the list of a folder's entries."""
CACHED = 4096
"""Blocks of metadata that are kept in memory."""


@dataclass(frozen=True)
class Inode:
    """A file, folder or anything else that has a name."""

    number: int
    mode: int
    """Type and permissions, as `stat.S_IFMT` and others read them."""
    uid: int
    gid: int
    size: int
    """Bytes."""
    allocated: int
    """Bytes on the disk."""
    flags: int
    body: bytes
    """60 bytes: the root of its tree of extents, or a link's target."""


@dataclass(frozen=True)
class Extent:
    """Blocks of a file that are next to each other on the disk."""

    logical: int
    physical: int
    count: int


class FileSystem:
    """An ext4 file system that is not changed while it is read.

    All methods raise `DiskError` if it is damaged or in a form that is not supported.
    """

    def __init__(self, blocks: Blocks) -> None:
        self._device = blocks
        self._journal: dict[int, JournalBlock] = {}
        self._cache: dict[int, bytes] = {}
        head = blocks.read(SUPERBLOCK, 1024)

        def number(at: int, form: str = "<I") -> int:
            value: int = struct.unpack_from(form, head, at)[0]
            return value

        if number(0x38, "<H") != 0xEF53:
            raise DiskError("there is no ext4 file system")
        features = number(0x60)
        if features & ~SUPPORTED:
            raise DiskError(f"the file system has unsupported features: {features:#x}")
        scale = number(0x18)
        self._inodes, self._per_group = number(0x0), number(0x28)
        self._inode_size = number(0x58, "<H")
        self._descriptor = number(0xFE, "<H") if features & WIDE else 32
        self._count = number(0x4) | (number(0x150) << 32 if features & WIDE else 0)
        sizes = self._inode_size in (128, 256, 512, 1024) and self._descriptor in (32, 64)
        if scale > 6 or not self._per_group or not sizes:
            raise DiskError("the superblock is damaged")
        self.block = 1024 << scale
        """Bytes of a block."""
        self._groups_at = (number(0x14) + 1) * self.block
        if number(0xE0) == JOURNAL:
            extents = self._extents(self.inode(JOURNAL))
            places = [extent.physical + i for extent in extents for i in range(extent.count)]
            journal = read_journal(places, self._block)
            self._cache.clear()
            self._journal = journal

    def inode(self, number: int) -> Inode:
        """The inode of that number."""
        if not 0 < number <= self._inodes:
            raise DiskError(f"there is no inode {number}")
        group, index = divmod(number - 1, self._per_group)
        descriptor = self._bytes(self._groups_at + group * self._descriptor, self._descriptor)
        table = struct.unpack_from("<I", descriptor, 8)[0]
        if self._descriptor >= 64:
            table |= struct.unpack_from("<I", descriptor, 0x28)[0] << 32
        raw = self._bytes(table * self.block + index * self._inode_size, 128)
        mode, uid, size, gid = struct.unpack_from("<HHI16xH", raw)
        blocks, flags = struct.unpack_from("<II", raw, 0x1C)
        size |= struct.unpack_from("<I", raw, 0x6C)[0] << 32
        blocks |= struct.unpack_from("<H", raw, 0x74)[0] << 32
        uid |= struct.unpack_from("<H", raw, 0x78)[0] << 16
        gid |= struct.unpack_from("<H", raw, 0x7A)[0] << 16
        allocated = blocks * (self.block if flags & HUGE else 512)
        return Inode(number, mode, uid, gid, size, allocated, flags, raw[0x28:0x64])

    def entries(self, folder: Inode) -> Iterator[tuple[bytes, int]]:
        """Name and inode number of everything in a folder, in no order."""
        if not stat.S_ISDIR(folder.mode) or folder.flags & ENCRYPTED:
            raise DiskError(f"inode {folder.number} is not a folder that can be read")
        if folder.size > LARGEST_FOLDER:
            raise DiskError(f"the folder of inode {folder.number} is too large")
        for extent in self._extents(folder):
            for index in range(extent.count):
                if (extent.logical + index) * self.block < folder.size:
                    yield from self._names(self._block(extent.physical + index))

    def find(self, folder: Inode, name: bytes) -> Inode | None:
        """What has that name in a folder; None if there is nothing."""
        for entry, number in self.entries(folder):
            if entry == name:
                return self.inode(number)
        return None

    def target(self, link: Inode) -> bytes:
        """The target of a symbolic link."""
        if link.size < SHORT_LINK and not link.flags & EXTENTS:
            return link.body[: link.size]
        if link.size > self.block:
            raise DiskError(f"the link of inode {link.number} is too long")
        return b"".join(piece for _, piece in self.data(link))

    def regions(self, file: Inode) -> list[tuple[int, int]]:
        """Begin and end, in bytes, of each part of a file that is not a hole."""
        regions: list[tuple[int, int]] = []
        for extent in self._extents(file):
            begin = extent.logical * self.block
            end = min(begin + extent.count * self.block, file.size)
            if regions and regions[-1][1] == begin < end:
                regions[-1] = (regions[-1][0], end)
            elif begin < end:
                regions.append((begin, end))
        return regions

    def data(self, file: Inode) -> Iterator[tuple[int, bytes]]:
        """The content of a file in pieces of at most `PIECE` bytes, each with its position;
        without holes."""
        for extent in self._extents(file):
            begin = extent.logical * self.block
            length = min(extent.count * self.block, file.size - begin)
            for at in range(0, length, PIECE):
                position = extent.physical * self.block + at
                yield begin + at, self._read(position, min(PIECE, length - at))

    def _names(self, block: bytes) -> Iterator[tuple[bytes, int]]:
        at = 0
        while at + 8 <= len(block):
            number, length, size = struct.unpack_from("<IHB", block, at)
            length = len(block) if length in (0, 0xFFFF) else length
            if length < 8 or at + length > len(block) or size + 8 > length:
                raise DiskError("a folder is damaged")
            name = block[at + 8 : at + 8 + size]
            if number and name not in (b".", b".."):
                if not name or b"/" in name or b"\0" in name:
                    raise DiskError(f"a folder contains an impossible name: {name!r}")
                yield name, number
            at += length

    def _extents(self, inode: Inode) -> list[Extent]:
        """The extents of an inode that were written, by position in the file."""
        if not inode.flags & EXTENTS or inode.flags & INLINE:
            if not inode.size:
                return []
            raise DiskError(f"inode {inode.number} has no extents")
        extents: list[Extent] = []
        for logical, count, physical in self._leaves(inode.body):
            if len(extents) >= MOST_EXTENTS or physical + (count & 0x7FFF) > self._count:
                raise DiskError(f"the extents of inode {inode.number} are damaged")
            if count <= 0x8000:  # larger numbers mark blocks that are reserved and not written
                extents.append(Extent(logical, physical, count))
        if any(one.logical + one.count > other.logical for one, other in pairwise(extents)):
            raise DiskError(f"the extents of inode {inode.number} overlap")
        return extents

    def _leaves(self, root: bytes) -> Iterator[tuple[int, int, int]]:
        """The entries of a tree of extents in order: logical block, length, physical block."""
        nodes, seen = [(root, DEEPEST)], 0
        while nodes:
            node, deepest = nodes.pop()
            magic, count, _, depth = struct.unpack_from("<4H", node)
            seen += 1
            if magic != 0xF30A or depth > deepest or 12 + 12 * count > len(node):
                raise DiskError("a tree of extents is damaged")
            if seen > MOST_NODES:
                raise DiskError("a tree of extents is too large")
            below = []
            for at in range(12, 12 + 12 * count, 12):
                if depth == 0:
                    logical, length, high, low = struct.unpack_from("<IHHI", node, at)
                    yield logical, length, low | high << 32
                else:
                    low, high = struct.unpack_from("<IH", node, at + 4)
                    below.append((self._block(low | high << 32), depth - 1))
            nodes += reversed(below)

    def _bytes(self, offset: int, length: int) -> bytes:
        """Bytes of metadata that are in one block."""
        number, inside = divmod(offset, self.block)
        return self._block(number)[inside : inside + length]

    def _block(self, number: int) -> bytes:
        """A block of metadata."""
        content = self._cache.get(number)
        if content is None:
            if not 0 <= number < self._count:
                raise DiskError(f"there is no block {number}")
            content = self._read(number * self.block, self.block)
            if len(self._cache) >= CACHED:
                self._cache.clear()
            self._cache[number] = content
        return content

    def _read(self, offset: int, length: int) -> bytes:
        """Bytes from the start of a block on, with the journal applied."""
        content = self._device.read(offset, length)
        if not self._journal:
            return content
        first = offset // self.block
        numbers = range(first, first + -(-length // self.block))
        changed = [number for number in numbers if number in self._journal]
        if not changed:
            return content
        whole = bytearray(content)
        for number in changed:
            where = self._journal[number]
            block = where.restored(self._device.read(where.place * self.block, self.block))
            at = (number - first) * self.block
            whole[at : at + self.block] = block[: length - at]
        return bytes(whole)
