"""Where a trial under way can be watched: a file beside it, as long as it runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ambidex.vm import Machine

__all__ = ["Seen", "announced", "now_running"]

NAME = "machine.json"


class Seen(BaseModel):
    """The screen of a machine, as a VNC viewer finds it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    vnc: str
    password: str
    runner: int
    """Process that runs the trial."""


@contextmanager
def announced(folder: Path, machine: Machine) -> Iterator[None]:
    """Keep the address of the machine's screen in the trial's directory, for its owner alone."""
    path = folder / NAME
    address, password = machine.vnc
    said = Seen(vnc=address, password=password, runner=os.getpid())
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(said.model_dump_json())
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def now_running(run: Path) -> Iterator[tuple[str, Seen]]:
    """The trials under way in a run, with their machines; what a killed runner left is passed
    over."""
    for path in sorted(run.glob(f"*/{NAME}")):
        try:
            seen = Seen.model_validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError):
            continue  # it ended, or begins, as we look
        if Path(f"/proc/{seen.runner}").exists():
            yield path.parent.name, seen
