"""The pages of guest memory that a process has of its own: which they are, and what is in them."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ambidex.vm import MachineError

__all__ = ["PAGE", "Mapping", "Pages", "lay_pages", "may_trace", "pages_of", "runs"]

PAGE = 4096
PRESENT, SWAPPED, FILE = np.uint64(63), np.uint64(62), np.uint64(61)
"""Bits of an entry of /proc/PID/pagemap."""
ONE = np.uint64(1)
AT_ONCE = 1024
"""Runs of pages that the kernel copies by one call: its IOV_MAX."""
PART = 512
"""Pages that are read together: 2 MiB, so that no machine's memory is here at once."""


@dataclass(frozen=True)
class Pages:
    """Pages of a machine's memory."""

    numbers: NDArray[np.int64]
    """Which they are: shape (n,), in pages from the start of memory."""
    content: NDArray[np.uint8]
    """What is in them: shape (n, 4096)."""


@dataclass(frozen=True)
class Mapping:
    """A process's private mapping of a file."""

    pid: int
    start: int
    """Its address."""
    length: int
    """Bytes."""

    @staticmethod
    def of(pid: int, file: Path) -> Mapping:
        """That of `file` in the process; `MachineError` if there is none."""
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            if line.endswith(str(file)):
                start, end = (int(part, 16) for part in line.split()[0].split("-"))
                return Mapping(pid, start, end - start)
        raise MachineError(f"process {pid} does not map {file}")

    def own(self) -> NDArray[np.int64]:
        """Numbers of the pages that are the process's own.

        A page is its own once it was written: present and no longer backed by the file, or swapped
        out.
        """
        with open(f"/proc/{self.pid}/pagemap", "rb") as pagemap:
            pagemap.seek(self.start // PAGE * 8)
            entries = np.frombuffer(pagemap.read(self.length // PAGE * 8), dtype=np.uint64)
        own = (((entries >> PRESENT) & ONE) == 1) & (((entries >> FILE) & ONE) == 0)
        own |= ((entries >> SWAPPED) & ONE) == 1
        return np.flatnonzero(own)

    def read(self, numbers: NDArray[np.int64]) -> Iterator[Pages]:
        """Those pages, as they are, in parts; the process must stand still.

        `MachineError` without the right to trace the process.
        """
        for first in range(0, len(numbers), PART):
            some = numbers[first : first + PART]
            content = np.empty((len(some), PAGE), dtype=np.uint8)
            self._copy("process_vm_readv", some, content)
            yield Pages(some, content)

    def write(self, pages: Pages) -> None:
        """Put pages there; nothing of the process may run that uses them.

        `MachineError` without the right to trace the process.
        """
        self._copy("process_vm_writev", pages.numbers, pages.content)

    def _copy(self, call: str, numbers: NDArray[np.int64], content: NDArray[np.uint8]) -> None:
        """Copy pages to or from an array here, by that call of the kernel's."""
        copy = getattr(ctypes.CDLL(None, use_errno=True), call)
        copy.restype = ctypes.c_ssize_t
        vector = (ctypes.c_void_p, ctypes.c_ulong)
        copy.argtypes = (ctypes.c_int, *vector, *vector, ctypes.c_ulong)
        spans = [(self.start + first * PAGE, (end - first) * PAGE) for first, end in runs(numbers)]
        done = 0
        for at in range(0, len(spans), AT_ONCE):
            there = np.array(spans[at : at + AT_ONCE], dtype=np.uint64)
            wanted = int(there[:, 1].sum())
            here = np.array([[content.ctypes.data + done, wanted]], dtype=np.uint64)
            got = copy(self.pid, here.ctypes.data, 1, there.ctypes.data, len(there), 0)
            if got != wanted:
                seen = os.strerror(ctypes.get_errno()) if got < 0 else f"{got} of {wanted} bytes"
                raise MachineError(
                    f"the memory of process {self.pid} cannot be reached: {seen}",
                    hint="That needs the right to trace one's own processes "
                    "(kernel.yama.ptrace_scope = 0), or root.",
                )
            done += wanted


def may_trace(pid: int) -> bool:
    """Whether this process may read and write the memory of that one: it is tried."""
    try:
        with open(f"/proc/{pid}/mem", "r+b"):
            return True
    except OSError:
        return False


def pages_of(source: Path, numbers: NDArray[np.int64]) -> Pages:
    """Those pages of a file."""
    whole = np.memmap(source, dtype=np.uint8, mode="r").reshape(-1, PAGE)
    return Pages(numbers, whole[numbers])


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
