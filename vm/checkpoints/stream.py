"""QEMU's migration stream: inserts pages of memory into a stream, and extracts them from one.

The stream of `migrate` begins with a header and a configuration: the machine type and the
capabilities that both sides agreed on. Sections follow, each with `type, number` and, if it is the
first of its kind, `name, instance, version`. Memory is the section `ram`, with records of
`offset | flags`, the name of a RAM block, and the page; devices come after it.
`xen-save-devices-state` writes only a header and the devices.
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

__all__ = ["add_configuration", "differing_pages", "write_stream"]


def _with_length(name: bytes) -> bytes:
    return bytes([len(name)]) + name


HEADER = struct.pack(">II", 0x5145564D, 3)
SECTION_PART, SECTION_END, SECTION_FULL, SUBSECTION, CONFIGURATION, COMMAND = 2, 3, 4, 5, 7, 8
FOOTER = 0x7E
CAPABILITIES = (
    bytes([SUBSECTION])
    + _with_length(b"configuration/capabilities")
    + struct.pack(">II", 1, 1)
    + _with_length(b"x-ignore-shared")
)
"""The list of capabilities in a configuration: the one that `vm.machines.snapshot.wake` sets."""
VERSION = 4
"""Version of the section `ram`, since QEMU 0.14."""
NUMBER = 0x7FFF
"""Number of the inserted section, which no device uses."""
AT_ONCE = 8192
"""Pages compared by one call."""


class Record(enum.IntEnum):
    """The kind of a memory record, in the low bits of its page-aligned offset."""

    ZEROS = 0x02
    SIZES = 0x04
    PAGE = 0x08
    END = 0x10


SAME_BLOCK = 0x20
"""Set if a record's RAM block is the previous record's, and therefore not named."""


def add_configuration(devices: bytes, machine: str) -> bytes:
    """Add the configuration of a machine of type `machine` to what `xen-save-devices-state` wrote.

    QEMU can be told to expect none, but then it cannot `migrate` any more: an assertion fails.
    """
    if not devices.startswith(HEADER):
        raise MachineError("the device state does not begin with QEMU's header")
    kind = struct.pack(">BI", CONFIGURATION, len(machine)) + machine.encode()
    return HEADER + kind + CAPABILITIES + devices[len(HEADER) :]


def write_stream(state: bytes, parts: Iterable[Pages], out: BinaryIO) -> None:
    """Write a stream that loads these pages, and then a state that `add_configuration` returned.

    All other memory stays as the new machine mapped it. QEMU places the pages itself, so this needs
    no permission to trace its process.
    """
    start = state.index(CAPABILITIES) + len(CAPABILITIES)
    out.write(state[:start] + struct.pack(">BI", SECTION_FULL, NUMBER))
    out.write(_with_length(b"ram") + struct.pack(">II", 0, VERSION))
    block = np.frombuffer(_with_length(RAM.encode()), dtype=np.uint8)
    for pages in parts:
        words = (pages.numbers * PAGE | Record.PAGE).astype(">u8").view(np.uint8).reshape(-1, 8)
        names = np.broadcast_to(block, (len(words), len(block)))
        out.write(np.concatenate((words, names, pages.content), axis=1).data)
    out.write(struct.pack(">QBI", Record.END, FOOTER, NUMBER))
    out.write(state[start:])


def differing_pages(stream: Path, root: Path) -> Pages:
    """The pages in a stream of `migrate` that differ from the memory file `root`, sorted by number.

    `root` must be as large as the machine's memory.
    """
    base = np.memmap(root, dtype=np.uint8, mode="r").reshape(-1, PAGE)
    numbers = [np.empty(0, dtype=np.int64)]
    contents = [np.empty((0, PAGE), dtype=np.uint8)]
    with stream.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        records = list(_records(data))
        for first in range(0, len(records), AT_ONCE):
            part = records[first : first + AT_ONCE]
            part_numbers = np.array([number for number, _ in part])
            content = np.zeros((len(part), PAGE), dtype=np.uint8)
            for row, (_, at) in enumerate(part):
                if at:
                    content[row] = np.frombuffer(data, dtype=np.uint8, count=PAGE, offset=at)
            differs = (content != base[part_numbers]).any(axis=1)
            numbers.append(part_numbers[differs])
            contents.append(content[differs])
    all_numbers, content = np.concatenate(numbers), np.concatenate(contents)
    order = np.argsort(all_numbers)
    return Pages(all_numbers[order], content[order])


def _records(data: mmap.mmap) -> Iterator[tuple[int, int]]:
    """The number of each page of memory, and the offset of its content; 0 for a page of zeros."""
    opening = _with_length(b"ram") + struct.pack(">II", 0, VERSION)
    at = data.find(opening, 0, 1 << 16)  # it follows the configuration
    if at < 0:
        raise MachineError("the stream that QEMU saved has no section `ram`")
    kind, section = struct.unpack_from(">BI", data, at - 5)
    at += len(opening)
    block, memory = b"", RAM.encode()
    while True:
        (word,) = struct.unpack_from(">Q", data, at)
        at += 8
        record, offset = word & (PAGE - 1) & ~SAME_BLOCK, word & -PAGE
        if record in (Record.ZEROS, Record.PAGE):
            if not word & SAME_BLOCK:
                block = data[at + 1 : at + 1 + data[at]]
                at += 1 + len(block)
            if block == memory:
                yield offset // PAGE, at if record == Record.PAGE else 0
            at += PAGE if record == Record.PAGE else 1
        elif record == Record.SIZES:  # the size of every RAM block; `offset` is their sum
            while offset:
                at += 1 + data[at] + 8
                offset -= struct.unpack_from(">Q", data, at - 8)[0]
        elif record != Record.END:
            raise MachineError(f"unknown kind of memory record in QEMU's stream: {record:#x}")
        elif kind in (SECTION_END, SECTION_FULL):
            return
        else:  # a footer, optional commands to the other side, and the next section of memory
            at += 5
            while data[at] == COMMAND:
                at += 5 + struct.unpack_from(">H", data, at + 3)[0]
            kind, number = struct.unpack_from(">BI", data, at)
            at += 5
            if number != section or kind not in (SECTION_PART, SECTION_END):
                raise MachineError(f"QEMU's stream has a section {kind} before the end of memory")
