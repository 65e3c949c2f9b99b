"""`machine.json`: that a trial is running, and how to view its screen.

The runner holds a lock on the file meanwhile, which ends with its process, however that ends.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from pydantic import BaseModel, ConfigDict, ValidationError

__all__ = ["ScreenAddress", "announced", "running_trials", "withdraw_all"]

NAME = "machine.json"


class ScreenAddress(BaseModel):
    """How a VNC viewer connects to a machine's screen."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    vnc: str
    """`host:port`; empty if the machine has no display that can be viewed."""
    password: str


@contextmanager
def announced(folder: Path, vnc: tuple[str, str] | None) -> Iterator[None]:
    """Publish a screen's address and password in the trial's directory while the block runs. The
    file is readable by its owner only."""
    path = folder / NAME
    address, password = vnc or ("", "")
    screen = ScreenAddress(vnc=address, password=password)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(screen.model_dump_json())
        file.flush()
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def withdraw_all(run: Path) -> None:
    """Remove the announcements of a run whose trials have ended, or whose runner was killed: they
    contain passwords."""
    for path in run.glob(f"*/{NAME}"):
        path.unlink(missing_ok=True)


def running_trials(
    run: Path, among: Iterable[str] | None = None
) -> Iterator[tuple[str, ScreenAddress]]:
    """The running trials of a run, with the addresses of their screens; only those with one of
    these directories, if any are named. Files left behind by a killed runner are skipped."""
    paths = sorted(run.glob(f"*/{NAME}")) if among is None else [run / n / NAME for n in among]
    for path in paths:
        try:
            with path.open("rb") as file:
                if _is_locked(file):
                    yield path.parent.name, ScreenAddress.model_validate_json(file.read())
        except (FileNotFoundError, ValidationError):
            continue  # the trial just ended, or is just starting


def _is_locked(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False
