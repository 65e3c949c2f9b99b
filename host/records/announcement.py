"""`machine.json`: that a trial is running, and how to view its screen. Exists only meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ambidex.vm import Machine

__all__ = ["ScreenAddress", "announced", "running_trials"]

NAME = "machine.json"


class ScreenAddress(BaseModel):
    """How a VNC viewer connects to a machine's screen."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    vnc: str
    """`host:port`; empty if the machine has no display that can be viewed."""
    password: str
    runner: int
    """Process id of the runner."""


@contextmanager
def announced(folder: Path, machine: Machine) -> Iterator[None]:
    """Publish the address of the machine's screen in the trial's directory while the block runs.
    The file is readable by its owner only."""
    path = folder / NAME
    address, password = machine.vnc or ("", "")
    screen = ScreenAddress(vnc=address, password=password, runner=os.getpid())
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(screen.model_dump_json())
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def running_trials(run: Path) -> Iterator[tuple[str, ScreenAddress]]:
    """The running trials of a run, with the addresses of their screens. Files left behind by a
    killed runner are skipped."""
    for path in sorted(run.glob(f"*/{NAME}")):
        try:
            screen = ScreenAddress.model_validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError):
            continue  # the trial just ended, or is just starting
        if Path(f"/proc/{screen.runner}").exists():
            yield path.parent.name, screen
