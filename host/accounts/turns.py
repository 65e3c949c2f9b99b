"""What trials have in an account one at a time."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from ambidex.vm.store import cache_folder

__all__ = ["alone"]

BUSY = 2.0
"""Seconds between two looks whether another trial still has it."""


@contextmanager
def alone(name: str, wait: Callable[[float], None]) -> Iterator[Path]:
    """Wait until no other trial of this computer has what is named, and have it for the block.
    Yields a file for notes to the next trial; write into it, do not replace it."""
    folder = cache_folder() / "accounts"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / sha256(name.encode()).hexdigest()[:16]
    with path.open("a") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                wait(BUSY)
        yield path
