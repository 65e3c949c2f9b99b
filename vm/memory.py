"""The pages of guest memory that a process has of its own: which they are, and what is in them."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vm import MachineError

__all__ = ["PAGE", "Pages", "lay_pages", "may_read", "own_pages", "read_pages", "runs"]

PAGE = 4096
PRESENT, SWAPPED, FILE = np.uint64(63), np.uint64(62), np.uint64(61)
"""Bits of an entry of /proc/PID/pagemap."""
ONE = np.uint64(1)
AT_ONCE = 1024
"""Runs of pages that the kernel copies by one call: its IOV_MAX."""
PART = 4096
"""Pages that are read together: 16 MiB, so that no machine's memory is here at once."""


@dataclass(frozen=True)
class Pages:
    """Pages of a machine's memory."""

    numbers: NDArray[np.int64]
    """Which they are: shape (n,), in pages from the start of memory."""
    content: NDArray[np.uint8]
    """What is in them: shape (n, 4096)."""


def own_pages(pid: int, mapped: Path) -> NDArray[np.int64]:
    """Numbers of the pages of `pid`'s private mapping of `mapped` that are its own.

    A page is its own once it was written: present and no longer backed by the file, or swapped out.
    """
    start, length = _mapping(pid, mapped)
    with open(f"/proc/{pid}/pagemap", "rb") as pagemap:
        pagemap.seek(start // PAGE * 8)
        entries = np.frombuffer(pagemap.read(length // PAGE * 8), dtype=np.uint64)
    own = (((entries >> PRESENT) & ONE) == 1) & (((entries >> FILE) & ONE) == 0)
    own |= ((entries >> SWAPPED) & ONE) == 1
    return np.flatnonzero(own)


def read_pages(pid: int, mapped: Path, numbers: NDArray[np.int64]) -> Iterator[Pages]:
    """Those pages of `pid`'s mapping of `mapped`, as they are, in parts; the process must stand
    still.

    `MachineError` without the right to trace the process.
    """
    start, _ = _mapping(pid, mapped)
    for first in range(0, len(numbers), PART):
        some = numbers[first : first + PART]
        content = np.empty((len(some), PAGE), dtype=np.uint8)
        there = np.array([(start + at * PAGE, (end - at) * PAGE) for at, end in runs(some)])
        done = 0
        for at in range(0, len(there), AT_ONCE):
            vector = np.ascontiguousarray(there[at : at + AT_ONCE], dtype=np.uint64)
            done += _copied(pid, content.ctypes.data + done, vector)
        yield Pages(some, content)


def may_read(pid: int) -> bool:
    """Whether this process may read the memory of that one: it is tried."""
    try:
        with open(f"/proc/{pid}/mem", "rb"):
            return True
    except OSError:
        return False


def lay_pages(pages: Pages, target: Path) -> None:
    """Write pages over the file `target`, each at its place."""
    with target.open("r+b", buffering=0) as out:
        done = 0
        for first, end in runs(pages.numbers):
            left = pages.content[done : done + end - first].data.cast("B")
            at, done = first * PAGE, done + end - first
            while left:
                written = os.pwrite(out.fileno(), left, at)
                at, left = at + written, left[written:]


def runs(numbers: NDArray[np.int64]) -> list[tuple[int, int]]:
    """First page and end of each run of neighbours."""
    if not len(numbers):
        return []
    cuts = np.flatnonzero(np.diff(numbers) != 1)
    firsts = numbers[np.concatenate(([0], cuts + 1))]
    lasts = numbers[np.concatenate((cuts, [len(numbers) - 1]))]
    return list(zip(firsts.tolist(), (lasts + 1).tolist(), strict=True))


def _mapping(pid: int, file: Path) -> tuple[int, int]:
    """Address and length in bytes of the mapping of `file` in the process."""
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        if line.endswith(str(file)):
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            return start, end - start
    raise MachineError(f"process {pid} does not map {file}")


def _copied(pid: int, to: int, there: NDArray[np.uint64]) -> int:
    """Bytes copied from (address, length)s of a process to one address here: all of them."""
    wanted = int(there[:, 1].sum())
    here = np.array([[to, wanted]], dtype=np.uint64)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.process_vm_readv.restype = ctypes.c_ssize_t
    vector = (ctypes.c_void_p, ctypes.c_ulong)
    libc.process_vm_readv.argtypes = (ctypes.c_int, *vector, *vector, ctypes.c_ulong)
    got = libc.process_vm_readv(pid, here.ctypes.data, 1, there.ctypes.data, len(there), 0)
    if got == wanted:
        return wanted
    seen = os.strerror(ctypes.get_errno()) if got < 0 else f"{got} of {wanted} bytes"
    raise MachineError(
        f"the memory of process {pid} cannot be read: {seen}",
        hint="That needs the right to trace one's own processes (kernel.yama.ptrace_scope = 0), "
        "or root.",
    )
