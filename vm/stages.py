"""The saved stages of tasks: entries in the cache, within a budget of bytes.

    <folder>/<base>/<key>/    one entry; `base` names the snapshot that its machine is based on

What an entry holds is its user's business. It is locked by a lock on its own folder, so there are
no lock files, and a killed process holds nothing. Nobody waits for a lock: an entry that somebody
else uses is not available.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from ambidex.vm import MachineError
from ambidex.vm.store import cache_folder

__all__ = [
    "BUDGET",
    "StageStore",
    "budget_in_bytes",
    "delete_entry",
    "entries",
    "entry_size",
    "stages_folder",
]

GIGABYTE = 1_000_000_000
BUDGET = "AMBIDEX_STAGES_GB"
"""The environment variable with the gigabytes that all stages together may take."""
DEFAULT_GIGABYTES = 20.0


def stages_folder() -> Path:
    """The folder of all stages in the cache."""
    return cache_folder() / "stages"


def budget_in_bytes() -> int:
    """Bytes that all stages may take: from the environment, else 20 GB; `MachineError` if the
    variable is not a number of gigabytes."""
    text = os.environ.get(BUDGET, "")
    try:
        gigabytes = float(text or DEFAULT_GIGABYTES)
        if not 0 <= gigabytes < float("inf"):
            raise ValueError
    except ValueError:
        raise MachineError(
            f"{BUDGET} is not a number of gigabytes: {text!r}", hint=f"Example: {BUDGET}=20"
        ) from None
    return round(gigabytes * GIGABYTE)


class StageStore:
    """The entries of one base, in a folder with those of others."""

    def __init__(self, folder: Path, base: str, budget: int) -> None:
        self.folder = folder
        self.base = base
        """Names the saved machine that the stages are based on."""
        self._budget = budget
        """Bytes that all entries together may take, those of other bases included."""

    def entry(self, key: str) -> Path:
        """The folder of an entry, which may not exist."""
        return self.folder / self.base / key

    @contextmanager
    def reading(self, key: str) -> Iterator[Path | None]:
        """The folder of an entry, which is not changed or deleted in the block; None if it does not
        exist or is being changed. It counts as used now."""
        folder = self.entry(key)
        with _lock(folder, fcntl.LOCK_SH) as held:
            if held:
                os.utime(folder)
            yield folder if held else None

    @contextmanager
    def writing(self, key: str) -> Iterator[Path | None]:
        """The folder of an entry, made if it does not exist, for this block alone; None if somebody
        else uses it."""
        folder = self.entry(key)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _lock(folder, fcntl.LOCK_EX) as held:
            yield folder if held else None

    def evict(self) -> list[Path]:
        """Delete the least recently used entries until the rest fits into the budget, except those
        in use, and what killed processes left; returns the deleted ones."""
        for leftover in self.folder.glob("*/.*.doomed"):
            shutil.rmtree(leftover, ignore_errors=True)
        sizes = {entry: entry_size(entry) for entry in entries(self.folder)}
        total, deleted = sum(sizes.values()), []
        for entry, size in sizes.items():
            if total <= self._budget:
                break
            if delete_entry(entry):
                total -= size
                deleted.append(entry)
        return deleted


def entries(folder: Path) -> list[Path]:
    """The entries of all bases in a folder, the least recently used first."""
    used: dict[Path, float] = {}
    for entry in folder.glob("*/[!.]*"):
        with suppress(FileNotFoundError):  # it has just been deleted
            used[entry] = entry.stat().st_mtime
    return sorted(used, key=lambda entry: used[entry])


def delete_entry(entry: Path) -> bool:
    """Delete an entry unless it is in use; returns whether it was deleted."""
    with _lock(entry, fcntl.LOCK_EX) as held:
        if held:
            doomed = entry.with_name(f".{uuid4().hex}.doomed")
            entry.rename(doomed)
            shutil.rmtree(doomed, ignore_errors=True)
        return held


def entry_size(folder: Path) -> int:
    """Bytes of the files of an entry."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # it is being deleted
            status = path.lstat()
            total += 0 if path.is_dir() else status.st_size
    return total


@contextmanager
def _lock(folder: Path, kind: int) -> Iterator[bool]:
    """Hold a lock on a folder; False if another lock forbids it or the folder does not exist."""
    try:
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    try:
        yield _is_held(number, folder, kind)
    finally:
        os.close(number)


def _is_held(number: int, folder: Path, kind: int) -> bool:
    try:
        fcntl.flock(number, kind | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(number), folder.stat())
    except (BlockingIOError, FileNotFoundError):  # in use; or deleted before it was locked
        return False
