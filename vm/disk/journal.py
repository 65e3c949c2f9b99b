"""The journal of an ext4 file system: the blocks that were committed and not yet written in place.

The format: https://www.kernel.org/doc/html/latest/filesystems/ext4/journal.html
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ambidex.vm.disk import DiskError

__all__ = ["JournalBlock", "read_journal"]

MAGIC = 0xC03B3998
DESCRIPTOR, COMMIT, REVOKE = 1, 2, 5
SUPERBLOCKS = (3, 4)
WIDE, CHECKED_2, CHECKED_3 = 0x2, 0x8, 0x10
"""Features: block numbers of 64 bits; checksums of version 2 and 3."""
KNOWN = 0x1F
"""Every incompatible feature except fast commits."""
ESCAPED, SAME_ID, LAST = 0x1, 0x2, 0x8
"""Flags of a tag: the block began with the magic number; no UUID follows; it is the last one."""


@dataclass(frozen=True)
class JournalBlock:
    """The position in the journal of a block's latest content."""

    place: int
    """Physical block."""
    escaped: bool
    """Whether its first four bytes are replaced in the journal, and are `MAGIC`."""

    def restored(self, content: bytes) -> bytes:
        """The block's content, from that in the journal."""
        return struct.pack(">I", MAGIC) + content[4:] if self.escaped else content


def read_journal(places: Sequence[int], read: Callable[[int], bytes]) -> dict[int, JournalBlock]:
    """The blocks that the journal's complete transactions replace, by number.

    `places` are the physical blocks of the journal in order, `read` returns a physical block.
    `DiskError` if the journal is damaged.
    """
    if not places:
        return {}
    head = read(places[0])
    magic, kind, _, size, length, first, sequence, start = struct.unpack_from(">8I", head)
    if magic != MAGIC or kind not in SUPERBLOCKS or size != len(head):
        raise DiskError("the journal has no superblock")
    features = struct.unpack_from(">I", head, 0x28)[0] if kind == 4 else 0
    if features & ~KNOWN:
        raise DiskError(f"the journal has unknown features: {features:#x}")
    if not start:
        return {}
    if not (0 < first <= start < length <= len(places)):
        raise DiskError("the journal's superblock is damaged")

    def following(at: int, by: int) -> int:
        return int(first + (at - first + by) % (length - first))

    blocks: list[tuple[int, int, JournalBlock]] = []
    revoked: dict[int, int] = {}
    pending: list[tuple[int, JournalBlock]] = []
    pending_revokes: list[int] = []
    at, left = start, length - first
    while left > 0:
        content = read(places[at])
        magic, kind, number = struct.unpack_from(">3I", content)
        if magic != MAGIC or number != sequence:
            break
        used = 1
        if kind == DESCRIPTOR:
            for block, escaped in _tags(content, features):
                place = places[following(at, used)]
                pending.append((block, JournalBlock(place, escaped)))
                used += 1
        elif kind == REVOKE:
            pending_revokes += _revocations(content, features)
        elif kind == COMMIT:
            blocks += [(sequence, block, where) for block, where in pending]
            revoked |= dict.fromkeys(pending_revokes, sequence)
            pending, pending_revokes = [], []
            sequence = (sequence + 1) & 0xFFFFFFFF
        else:
            break
        at, left = following(at, used), left - used
    return {
        block: where
        for transaction, block, where in blocks
        if block not in revoked or transaction > revoked[block]
    }


def _tags(content: bytes, features: int) -> Iterator[tuple[int, bool]]:
    """The blocks that follow a descriptor: the number of each, and whether it is escaped."""
    at, checked = 12, features & (CHECKED_2 | CHECKED_3)
    end = len(content) - (4 if checked else 0)
    size = 16 if features & CHECKED_3 else (12 if features & WIDE else 8)
    size += 2 if features & CHECKED_2 and not features & CHECKED_3 else 0
    while at + size <= end:
        if features & CHECKED_3:
            block, flags, high = struct.unpack_from(">3I", content, at)
        else:
            block, flags = struct.unpack_from(">IxxH", content, at)
            high = struct.unpack_from(">I", content, at + 8)[0] if features & WIDE else 0
        yield block | ((high << 32) if features & WIDE else 0), bool(flags & ESCAPED)
        if flags & LAST:
            return
        at += size + (0 if flags & SAME_ID else 16)


def _revocations(content: bytes, features: int) -> Iterator[int]:
    """The blocks whose earlier contents in the journal must not be used."""
    width, form = (8, ">Q") if features & WIDE else (4, ">I")
    end = min(struct.unpack_from(">I", content, 12)[0], len(content))
    for at in range(16, end - width + 1, width):
        yield struct.unpack_from(form, content, at)[0]
