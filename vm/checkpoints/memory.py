"""Reads and writes the memory pages that a process has changed in a private mapping of a file."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ambidex.vm import MachineError

__all__ = ["PAGE", "Mapping", "Pages", "find_runs", "may_trace", "read_pages", "write_pages"]

PAGE = 4096
PRESENT, SWAPPED, FILE = np.uint64(63), np.uint64(62), np.uint64(61)
"""Bits of an entry of /proc/PID/pagemap."""
ONE = np.uint64(1)
AT_ONCE = 1024
"""Runs of pages that the kernel copies in one call: its IOV_MAX."""
PART = 512
"""Pages that are read together: 2 MiB, so that a machine's memory is never held as a whole."""


@dataclass(frozen=True)
class Pages:
    """Pages of a machine's memory."""

    numbers: NDArray[np.int64]
    """Their positions, in pages from the start of memory: shape (n,)."""
    content: NDArray[np.uint8]
    """Their content: shape (n, 4096)."""


@dataclass(frozen=True)
class Mapping:
    """A process's private mapping of a file."""

    pid: int
    start: int
    """Its address."""
    length: int
    """Its length in bytes."""

    @staticmethod
    def of(pid: int, file: Path) -> Mapping:
        """The mapping of `file` in the process; `MachineError` if there is none."""
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            if line.endswith(str(file)):
                start, end = (int(part, 16) for part in line.split()[0].split("-"))
                return Mapping(pid, start, end - start)
        raise MachineError(f"process {pid} does not map {file}")

    def own_pages(self) -> NDArray[np.int64]:
        """Numbers of the pages that the process has written.

        Such a page is present and no longer backed by the file, or swapped out.
        """
        with open(f"/proc/{self.pid}/pagemap", "rb") as pagemap:
            pagemap.seek(self.start // PAGE * 8)
            entries = np.frombuffer(pagemap.read(self.length // PAGE * 8), dtype=np.uint64)
        own = (((entries >> PRESENT) & ONE) == 1) & (((entries >> FILE) & ONE) == 0)
        own |= ((entries >> SWAPPED) & ONE) == 1
        return np.flatnonzero(own)

    def read(self, numbers: NDArray[np.int64]) -> Iterator[Pages]:
        """Read these pages, in parts; the machine must be paused meanwhile.

        `MachineError` without the right to trace the process.
        """
        for first in range(0, len(numbers), PART):
            part = numbers[first : first + PART]
            content = np.empty((len(part), PAGE), dtype=np.uint8)
            self._copy("process_vm_readv", part, content)
            yield Pages(part, content)

    def write(self, pages: Pages) -> None:
        """Write pages; no thread of the process may use them meanwhile.

        `MachineError` without the right to trace the process.
        """
        self._copy("process_vm_writev", pages.numbers, pages.content)

    def _copy(self, syscall: str, numbers: NDArray[np.int64], content: NDArray[np.uint8]) -> None:
        """Copy pages to or from `content` with `syscall`."""
        copy = getattr(ctypes.CDLL(None, use_errno=True), syscall)
        copy.restype = ctypes.c_ssize_t
        vector = (ctypes.c_void_p, ctypes.c_ulong)
        copy.argtypes = (ctypes.c_int, *vector, *vector, ctypes.c_ulong)
        runs = find_runs(numbers)
        spans = [(self.start + first * PAGE, (end - first) * PAGE) for first, end in runs]
        done = 0
        for first_span in range(0, len(spans), AT_ONCE):
            remote = np.array(spans[first_span : first_span + AT_ONCE], dtype=np.uint64)
            size = int(remote[:, 1].sum())
            local = np.array([[content.ctypes.data + done, size]], dtype=np.uint64)
            copied = copy(self.pid, local.ctypes.data, 1, remote.ctypes.data, len(remote), 0)
            if copied != size:
                reason = f"{copied} of {size} bytes were copied"
                if copied < 0:
                    reason = os.strerror(ctypes.get_errno())
                raise MachineError(
                    f"cannot access the memory of process {self.pid}: {reason}",
                    hint="This needs root, or the right to trace one's own processes "
                    "(kernel.yama.ptrace_scope = 0).",
                )
            done += size


def may_trace(pid: int) -> bool:
    """Whether this process may read and write the memory of process `pid`; found out by trying."""
    try:
        with open(f"/proc/{pid}/mem", "r+b"):
            return True
    except OSError:
        return False


def read_pages(source: Path, numbers: NDArray[np.int64]) -> Pages:
    """Read these pages of a file."""
    all_pages = np.memmap(source, dtype=np.uint8, mode="r").reshape(-1, PAGE)
    return Pages(numbers, all_pages[numbers])


def write_pages(pages: Pages, target: Path) -> None:
    """Write pages to their positions in the existing file `target`."""
    with target.open("r+b", buffering=0) as out:
        done = 0
        for first, end in find_runs(pages.numbers):
            rest = pages.content[done : done + end - first].data.cast("B")
            at, done = first * PAGE, done + end - first
            while rest:
                written = os.pwrite(out.fileno(), rest, at)
                at, rest = at + written, rest[written:]


def find_runs(numbers: NDArray[np.int64]) -> list[tuple[int, int]]:
    """First page and end (exclusive) of each run of consecutive pages."""
    if not len(numbers):
        return []
    cuts = np.flatnonzero(np.diff(numbers) != 1)
    firsts = numbers[np.concatenate(([0], cuts + 1))]
    lasts = numbers[np.concatenate((cuts, [len(numbers) - 1]))]
    return list(zip(firsts.tolist(), (lasts + 1).tolist(), strict=True))
