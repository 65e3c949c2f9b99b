"""Forks started from the room: `ambidex fork` in a separate process that outlives the room."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ambidex.host.errors import UsageError
from ambidex.host.loop.branch_point import checkpoint_of, checkpointed_steps
from ambidex.host.records.config import Condition, Modality, ModalityScope, read_config
from ambidex.host.room.runs.processes import outcome, spawn
from ambidex.vm.whole_files import write_whole

__all__ = ["FORK", "ForkRequest", "Forks", "forkable"]

FORK = (sys.executable, "-m", "ambidex.host.cli.main", "fork")
OUTPUT = "fork.log"
"""The output of the process, in the directory of its run."""
RECORD = "fork.json"
"""The request and its exit code; see `Record`."""
MOST = 20
"""Largest number of branches started at once."""


class ForkRequest(BaseModel):
    """The form's contents. An empty field keeps the parent's value."""

    model_config = ConfigDict(extra="forbid")

    step: Annotated[int, Field(ge=1)]
    branches: Annotated[int, Field(ge=1, le=MOST)] = 1
    model: Annotated[str, Field(max_length=200)] = ""
    condition: Condition | Literal[""] = ""
    hint: Annotated[str, Field(max_length=4000)] = ""
    hand: Modality | Literal[""] = ""
    lasting: ModalityScope = "once"

    def words(self) -> Iterator[str]:
        """The request as command-line arguments."""
        yield from ("-n", str(self.branches))
        for name in ("model", "condition", "hint", "hand"):
            if value := getattr(self, name).strip():
                yield f"--{name}={value}"
        if self.hand:
            yield f"--lasting={self.lasting}"


class Record(BaseModel):
    """The record of a fork in the directory of its run, for this room and later ones."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    run: str
    """The directory of the parent run."""
    trial: str
    asked: ForkRequest
    begun: datetime
    code: int | None = None
    """Exit code; None while it runs, and if no room was running when it ended."""


@dataclass
class Forks:
    """The forks that this room has started, and those of other rooms that are running or failed.

    The room that started a fork keeps its output file locked until the record has its exit code.
    """

    command: Sequence[str] = FORK
    _own: set[Path] = field(default_factory=set)

    def start(self, trial: Path, request: ForkRequest) -> Path:
        """Start branches from a step of a trial, in a new run next to the trial's run; returns its
        directory. Raises `UsageError` if there is no checkpoint before that step.
        """
        checkpoint_of(trial, request.step)
        words = [*_words(trial, request.step)]
        run = trial.parent.resolve()
        out = _free(run, request.step)
        record = Record(run=str(run), trial=trial.name, asked=request, begun=datetime.now(UTC))
        argv = [*self.command, *words, *request.words(), f"--out={out}"]
        _write(out, record)
        self._own.add(out)
        spawn(argv, out / OUTPUT, lambda code: _record_end(out, record, code))
        return out

    def summaries(self, runs: Mapping[str, Path]) -> list[dict[str, Any]]:
        """The forks as JSON for a page, the latest last. `runs` are those of the room, by name."""
        names = {str(run.resolve()): name for name, run in runs.items()}
        dated = []
        for place in {Path(run).parent for run in names}:
            for path in place.glob(f"*.from-*/{RECORD}"):
                record = _read(path)
                if record and record.run in names:
                    dated.append((record.begun, _summary(path.parent, record, names[record.run])))
        dated.sort(key=lambda pair: pair[0])
        own = {out.name for out in self._own}
        return [fork for _, fork in dated if fork["state"] != "ended" or fork["out"] in own]


def _record_end(out: Path, record: Record, code: int) -> None:
    if out.is_dir():
        _write(out, record.model_copy(update={"code": code}))


def _write(out: Path, record: Record) -> None:
    write_whole(out / RECORD, record.model_dump_json() + "\n")


def _read(path: Path) -> Record | None:
    """Read a record; None if it is gone or written by another version of the testbed."""
    try:
        return Record.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def _summary(out: Path, record: Record, run: str) -> dict[str, Any]:
    state, why = outcome(out, OUTPUT, record.code)
    return {
        "run": run,
        "trial": record.trial,
        "step": record.asked.step,
        "branches": record.asked.branches,
        "out": out.name,
        "state": state,
        "why": why,
    }


def forkable(trial: Path) -> list[int]:
    """The steps of a trial that can be forked; none if it has not started, or is a branch whose
    parent is gone."""
    try:
        return checkpointed_steps(trial)
    except UsageError:
        return []


def _words(trial: Path, step: int) -> Iterator[str]:
    """Command-line arguments for forking at this step, with the parent's checkpoint options."""
    run = trial.parent.resolve()
    if ".earlier-" in trial.name:
        raise UsageError(f"{trial.name} is an earlier attempt", hint="Fork the last attempt.")
    yield from (str(run), trial.name, str(step))
    config = read_config(run)
    if image := config.image.partition(":")[0]:
        yield f"--image={image}"
    if keep := config.keep:
        yield f"--checkpoint={keep.every}"
        for name, value in (("last", keep.last), ("budget", keep.budget)):
            if value is not None:
                yield f"--checkpoint-{name}={value}"


def _free(run: Path, step: int) -> Path:
    """Create a new directory next to that of a run."""
    for number in range(1, sys.maxsize):
        suffix = f"-{number}" if number > 1 else ""
        out = run.with_name(f"{run.name}.from-{step}{suffix}")
        try:
            out.mkdir()
        except FileExistsError:
            continue
        return out
    raise UsageError(f"no free directory name for another run in {run.parent}")
