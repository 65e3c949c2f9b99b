"""QEMU's stream of a saved machine: pages of memory put into one, and taken out of one.

What `migrate` writes begins with a header and a configuration, the machine's type and what both
sides agreed on; then come sections, each `type, number` and, where its type opens it, `name,
instance, version`. Memory is the section `ram`: records `offset | flags`, a block's name, the page;
the devices follow it. `xen-save-devices-state` writes the devices alone, after a header.
"""

from __future__ import annotations

import enum
import mmap
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ambidex.vm import MachineError
from ambidex.vm.checkpoints.memory import PAGE, Pages
from ambidex.vm.machines.domain import RAM

__all__ = ["configured", "differing_pages", "with_pages"]


def _named(name: bytes) -> bytes:
    return bytes([len(name)]) + name


HEADER = struct.pack(">II", 0x5145564D, 3)
SECTION_PART, SECTION_END, SECTION_FULL, SUBSECTION, CONFIGURATION, COMMAND = 2, 3, 4, 5, 7, 8
FOOTER = 0x7E
AGREED = (
    bytes([SUBSECTION])
    + _named(b"configuration/capabilities")
    + struct.pack(">II", 1, 1)
    + _named(b"x-ignore-shared")
)
"""The part of a configuration that names the capabilities: this one of them, as every fork is told
(`vm.machines.snapshot.woken`).
"""
VERSION = 4
"""Of the section `ram`, since QEMU 0.14."""
NUMBER = 0x7FFF
"""Of the section that is put in: no device's."""
AT_ONCE = 8192
"""Pages looked at by one call."""


class Record(enum.IntEnum):
    """What a record of memory is, in the bits of its offset that a page has no use for."""

    ZEROS = 0x02
    SIZES = 0x04
    PAGE = 0x08
    END = 0x10


SAME_BLOCK = 0x20
"""Set where a record's block is the last one's, and so not named."""


def configured(devices: bytes, machine: str) -> bytes:
    """What `xen-save-devices-state` wrote, with the configuration of a machine of that type.

    QEMU can be told to do without one, but such a QEMU cannot `migrate` any more: it asserts.
    """
    if not devices.startswith(HEADER):
        raise MachineError("the state of the devices does not begin as QEMU writes it")
    kind = struct.pack(">BI", CONFIGURATION, len(machine)) + machine.encode()
    return HEADER + kind + AGREED + devices[len(HEADER) :]


def with_pages(state: bytes, parts: Iterable[Pages], out: BinaryIO) -> None:
    """Write a stream that loads these pages, and then that configured state.

    Memory that is not among the pages stays what the new machine mapped. QEMU itself puts them in
    place, so it takes no right over its process.
    """
    start = state.index(AGREED) + len(AGREED)
    out.write(state[:start] + struct.pack(">BI", SECTION_FULL, NUMBER))
    out.write(_named(b"ram") + struct.pack(">II", 0, VERSION))
    named = np.frombuffer(_named(RAM.encode()), dtype=np.uint8)
    for pages in parts:
        words = (pages.numbers * PAGE | Record.PAGE).astype(">u8").view(np.uint8).reshape(-1, 8)
        names = np.broadcast_to(named, (len(words), len(named)))
        out.write(np.concatenate((words, names, pages.content), axis=1).data)
    out.write(struct.pack(">QBI", Record.END, FOOTER, NUMBER))
    out.write(state[start:])


def differing_pages(stream: Path, root: Path) -> Pages:
    """The pages of a machine's memory, in a stream that `migrate` wrote, that are not as in `root`.

    `root` is a memory file of the same size.
    """
    base = np.memmap(root, dtype=np.uint8, mode="r").reshape(-1, PAGE)
    numbers = [np.empty(0, dtype=np.int64)]
    contents = [np.empty((0, PAGE), dtype=np.uint8)]
    with stream.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as said:
        records = list(_records(said))
        for first in range(0, len(records), AT_ONCE):
            some = records[first : first + AT_ONCE]
            there = np.array([number for number, _ in some])
            content = np.zeros((len(some), PAGE), dtype=np.uint8)
            for row, (_, at) in enumerate(some):
                if at:
                    content[row] = np.frombuffer(said, dtype=np.uint8, count=PAGE, offset=at)
            other = (content != base[there]).any(axis=1)
            numbers.append(there[other])
            contents.append(content[other])
    found, content = np.concatenate(numbers), np.concatenate(contents)
    order = np.argsort(found)
    return Pages(found[order], content[order])


def _records(said: mmap.mmap) -> Iterator[tuple[int, int]]:
    """Number of each page of memory, and where its content is; 0 for a page of zeros."""
    opening = _named(b"ram") + struct.pack(">II", 0, VERSION)
    at = said.find(opening, 0, 1 << 16)  # after a section about the machine's configuration
    if at < 0:
        raise MachineError("the stream that QEMU saved has no memory in it")
    kind, section = struct.unpack_from(">BI", said, at - 5)
    at += len(opening)
    block, memory = b"", RAM.encode()
    while True:
        (word,) = struct.unpack_from(">Q", said, at)
        at += 8
        record, offset = word & (PAGE - 1) & ~SAME_BLOCK, word & -PAGE
        if record in (Record.ZEROS, Record.PAGE):
            if not word & SAME_BLOCK:
                block = said[at + 1 : at + 1 + said[at]]
                at += 1 + len(block)
            if block == memory:
                yield offset // PAGE, at if record == Record.PAGE else 0
            at += PAGE if record == Record.PAGE else 1
        elif record == Record.SIZES:  # of every block: offset is their sum
            while offset:
                at += 1 + said[at] + 8
                offset -= struct.unpack_from(">Q", said, at - 8)[0]
        elif record != Record.END:
            raise MachineError(f"QEMU's stream of memory has a record of kind {record:#x}")
        elif kind in (SECTION_END, SECTION_FULL):
            return
        else:  # its footer, perhaps commands to the other side, and the next section of memory
            at += 5
            while said[at] == COMMAND:
                at += 5 + struct.unpack_from(">H", said, at + 3)[0]
            kind, number = struct.unpack_from(">BI", said, at)
            at += 5
            if number != section or kind not in (SECTION_PART, SECTION_END):
                raise MachineError(f"QEMU's stream has a section {kind} before memory's end")
