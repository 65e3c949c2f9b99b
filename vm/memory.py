"""Which pages of guest memory a process has of its own, and copying just those."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vm import MachineError

__all__ = ["copy_own_pages"]

PAGE = 4096
PRESENT, SWAPPED, FILE = np.uint64(63), np.uint64(62), np.uint64(61)
"""Bits of an entry of /proc/PID/pagemap."""
ONE = np.uint64(1)
GAP = 4
"""Pages that two runs may be apart and be copied as one: what lies between is as in the file, and
copying it costs less than one more call.
"""
AT_ONCE = 4 << 20
"""Bytes copied by one call."""


def _mapping(pid: int, file: Path) -> tuple[int, int]:
    """Address and length in bytes of the mapping of `file` in the process."""
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        if line.endswith(str(file)):
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            return start, end - start
    raise MachineError(f"process {pid} does not map {file}")


def copy_own_pages(pid: int, mapped: Path, target: Path) -> int:
    """Write the private pages of `pid`'s mapping of `mapped` over `target` at the same offsets; how
    many.

    The process must stand still. A page counts as its own once it was written: present and no
    longer backed by the file, or swapped out.
    """
    start, length = _mapping(pid, mapped)
    try:
        with open(f"/proc/{pid}/pagemap", "rb") as pagemap:
            pagemap.seek(start // PAGE * 8)
            entries = np.frombuffer(pagemap.read(length // PAGE * 8), dtype=np.uint64)
        own = (((entries >> PRESENT) & ONE) == 1) & (((entries >> FILE) & ONE) == 0)
        own |= ((entries >> SWAPPED) & ONE) == 1
        pages = np.flatnonzero(own)
        with (
            open(f"/proc/{pid}/mem", "rb", buffering=0) as memory,
            target.open("r+b", buffering=0) as out,
        ):
            buffer = memoryview(bytearray(AT_ONCE))
            for first, end in _runs(pages):
                at = first * PAGE
                while at < end * PAGE:
                    read = os.preadv(memory.fileno(), [buffer[: end * PAGE - at]], start + at)
                    at += os.pwrite(out.fileno(), buffer[:read], at)
    except PermissionError:
        raise MachineError(
            f"the memory of process {pid} cannot be read",
            hint="A snapshot of a running machine needs the right to trace one's own processes "
            "(kernel.yama.ptrace_scope = 0), or root.",
        ) from None
    return len(pages)


def _runs(pages: NDArray[np.int64]) -> list[tuple[int, int]]:
    """First page and end of each run of pages; a few that are not among them may lie within."""
    if not len(pages):
        return []
    cuts = np.flatnonzero(np.diff(pages) > GAP)
    firsts = pages[np.concatenate(([0], cuts + 1))]
    lasts = pages[np.concatenate((cuts, [len(pages) - 1]))]
    return list(zip(firsts.tolist(), (lasts + 1).tolist(), strict=True))
