"""Which pages of guest memory a process has of its own, and copying just those."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vm import MachineError

__all__ = ["copy_own_pages"]

PAGE = 4096
PRESENT, SWAPPED, FILE = np.uint64(63), np.uint64(62), np.uint64(61)
"""Bits of an entry of /proc/PID/pagemap."""
ONE = np.uint64(1)


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
        runs = np.split(pages, np.flatnonzero(np.diff(pages) != 1) + 1)
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory, target.open("r+b") as out:
            for each in runs:
                if len(each):
                    memory.seek(start + int(each[0]) * PAGE)
                    out.seek(int(each[0]) * PAGE)
                    wanted = len(each) * PAGE
                    while wanted:
                        piece = memory.read(wanted)
                        out.write(piece)
                        wanted -= len(piece)
    except PermissionError:
        raise MachineError(
            f"the memory of process {pid} cannot be read",
            hint="A snapshot of a running machine needs the right to trace one's own processes "
            "(kernel.yama.ptrace_scope = 0), or root.",
        ) from None
    return len(pages)
