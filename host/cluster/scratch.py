"""A worker's own folder, which the next worker of the host removes if its process was killed."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["scratch_folder"]

PREFIX, LOCK = "worker-", "lock"


@contextmanager
def scratch_folder(parent: Path) -> Iterator[Path]:
    """A new folder in `parent` for the block. Those of processes that have ended are removed."""
    parent.mkdir(parents=True, exist_ok=True)
    for old in parent.glob(f"{PREFIX}*"):
        if _is_abandoned(old):
            shutil.rmtree(old, ignore_errors=True)
    new = Path(tempfile.mkdtemp(prefix=".new-", dir=parent))
    with (new / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = new.rename(parent / f"{PREFIX}{new.name.removeprefix('.new-')}")
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    try:
        with (folder / LOCK).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except (BlockingIOError, FileNotFoundError):
        return False
