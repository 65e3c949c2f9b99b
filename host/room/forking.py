"""Branches begun from the room: `ambidex fork`, in a process of its own that outlives the room."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from host.config import Condition, Hand, Lasting, read_config
from host.errors import UsageError
from host.forks import trial_of
from host.origin import kept_at, kept_steps, start_of

__all__ = ["FORK", "Asked", "Forks", "forkable"]

FORK = (sys.executable, "-m", "host.cli", "fork")
OUTPUT = "fork.log"
"""What the process printed, in the directory of its run."""
MOST = 20
"""Branches that are begun at once."""
TAIL = 6
"""Lines of the output that say why it failed."""


class Asked(BaseModel):
    """The form. What is empty is as it was."""

    model_config = ConfigDict(extra="forbid")

    step: Annotated[int, Field(ge=1)]
    branches: Annotated[int, Field(ge=1, le=MOST)] = 1
    model: Annotated[str, Field(max_length=200)] = ""
    condition: Condition | Literal[""] = ""
    hint: Annotated[str, Field(max_length=4000)] = ""
    hand: Hand | Literal[""] = ""
    lasting: Lasting = "once"

    def words(self) -> Iterator[str]:
        """As the command line takes it."""
        yield from ("-n", str(self.branches))
        for name in ("model", "condition", "hint", "hand"):
            if said := getattr(self, name).strip():
                yield f"--{name}={said}"
        if self.hand:
            yield f"--lasting={self.lasting}"


@dataclass
class Begun:
    """A fork that this room has started."""

    run: str
    """Of the trial that it goes on from, as the room calls it."""
    trial: str
    asked: Asked
    out: Path
    process: subprocess.Popen[bytes]

    def said(self) -> dict[str, Any]:
        """As a page shows it."""
        code = self.process.poll()
        return {
            "run": self.run,
            "trial": self.trial,
            "step": self.asked.step,
            "branches": self.asked.branches,
            "out": self.out.name,
            "state": "running" if code is None else "failed" if code else "ended",
            "why": self._why() if code else "",
        }

    def _why(self) -> str:
        lines = (self.out / OUTPUT).read_text(encoding="utf-8", errors="replace").splitlines()
        told = [number for number, line in enumerate(lines) if line.startswith("ambidex: ")]
        said = "\n".join(lines[told[-1] :] if told else lines[-TAIL:]).removeprefix("ambidex: ")
        return said.strip() or f"it ended with {self.process.returncode} and said nothing"


@dataclass
class Forks:
    """Those that this room has started, the last one last."""

    command: Sequence[str] = FORK
    _begun: list[Begun] = field(default_factory=list)

    def start(self, run: str, trial: Path, asked: Asked) -> Path:
        """Go on from a step of that trial in a run of its own beside the trial's; returns its
        directory. `UsageError` where the machine is not kept before that step.
        """
        kept_at(trial, asked.step)
        words = [*_words(trial, asked.step)]
        out = _free(trial.parent.resolve(), asked.step)
        argv = [*self.command, *words, *asked.words(), f"--out={out}"]
        with (out / OUTPUT).open("wb") as output:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # an interrupt of the room is none of the fork
            )
        # Somebody waits for it to its end, whether or not anybody looks.
        threading.Thread(target=process.wait, daemon=True).start()
        self._begun.append(Begun(run, trial.name, asked, out, process))
        return out

    def said(self) -> list[dict[str, Any]]:
        """As a page shows them."""
        return [each.said() for each in self._begun]


def forkable(trial: Path) -> list[int]:
    """The steps that can be gone on from; none where it has not begun, or is a branch and its
    parent is gone."""
    try:
        return kept_steps(trial)
    except UsageError:
        return []


def _words(trial: Path, step: int) -> Iterator[str]:
    """What the command line is told of the step. Branches are kept as their parent was."""
    run, said = trial.parent.resolve(), start_of(trial)
    if (other := trial_of(run, said["task"], said["trial"])).name != trial.name:
        raise UsageError(f"`fork` takes {other.name}, not {trial.name}, for trial {said['trial']}")
    yield from (str(run), said["task"], str(step), f"--trial={said['trial']}")
    config = read_config(run)
    if image := config.image.partition(":")[0]:
        yield f"--image={image}"
    if keep := config.keep:
        yield f"--checkpoint={keep.every}"
        for name, value in (("last", keep.last), ("budget", keep.budget)):
            if value is not None:
                yield f"--checkpoint-{name}={value}"


def _free(run: Path, step: int) -> Path:
    """A new directory beside that of a run."""
    for number in range(1, sys.maxsize):
        again = f"-{number}" if number > 1 else ""
        out = run.with_name(f"{run.name}.from-{step}{again}")
        try:
            out.mkdir()
        except FileExistsError:
            continue
        return out
    raise UsageError(f"{run.parent} has no room for another run")
