"""Branches begun from the room: `ambidex fork`, in a process of its own that outlives the room."""

from __future__ import annotations

import fcntl
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal, TextIO

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ambidex.host.errors import UsageError
from ambidex.host.loop.branch_point import checkpoint_of, checkpointed_steps
from ambidex.host.records.config import NAME as CONFIG
from ambidex.host.records.config import Condition, Modality, ModalityScope, read_config

__all__ = ["FORK", "Asked", "Forks", "forkable"]

FORK = (sys.executable, "-m", "ambidex.host.cli.main", "fork")
OUTPUT = "fork.log"
"""What the process printed, in the directory of its run."""
RECORD = "fork.json"
"""What was asked for, and how it ended; see `Record`."""
MOST = 20
"""Branches that are begun at once."""
TAIL = 6
"""Lines of the output that say why it failed."""
SAYS = "ambidex: "
"""Before what the command line says of an error."""


class Asked(BaseModel):
    """The form. What is empty is as it was."""

    model_config = ConfigDict(extra="forbid")

    step: Annotated[int, Field(ge=1)]
    branches: Annotated[int, Field(ge=1, le=MOST)] = 1
    model: Annotated[str, Field(max_length=200)] = ""
    condition: Condition | Literal[""] = ""
    hint: Annotated[str, Field(max_length=4000)] = ""
    hand: Modality | Literal[""] = ""
    lasting: ModalityScope = "once"

    def words(self) -> Iterator[str]:
        """As the command line takes it."""
        yield from ("-n", str(self.branches))
        for name in ("model", "condition", "hint", "hand"):
            if said := getattr(self, name).strip():
                yield f"--{name}={said}"
        if self.hand:
            yield f"--lasting={self.lasting}"


class Record(BaseModel):
    """What lies in the directory of its run, for this room and for those after it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    run: str
    """The directory of the run that it goes on from."""
    trial: str
    asked: Asked
    begun: datetime
    code: int | None = None
    """What it ended with; None until then, and where no room lived to see it."""


@dataclass
class Forks:
    """Those that this room has started, and of others those that are under way or have failed.

    The output of one is locked by whoever writes it, until its record says how it ended.
    """

    command: Sequence[str] = FORK
    _own: set[Path] = field(default_factory=set)

    def start(self, trial: Path, asked: Asked) -> Path:
        """Go on from a step of that trial in a run of its own beside the trial's; returns its
        directory. `UsageError` where the machine is not kept before that step.
        """
        checkpoint_of(trial, asked.step)
        words = [*_words(trial, asked.step)]
        run = trial.parent.resolve()
        out = _free(run, asked.step)
        record = Record(run=str(run), trial=trial.name, asked=asked, begun=datetime.now(UTC))
        argv = [*self.command, *words, *asked.words(), f"--out={out}"]
        output = (out / OUTPUT).open("wb")
        fcntl.flock(output, fcntl.LOCK_EX)
        _write(out, record)
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # an interrupt of the room is none of the fork
        )
        self._own.add(out)
        # Somebody waits for it to its end, whether or not anybody looks.
        threading.Thread(target=_end, args=(process, output, out, record), daemon=True).start()
        return out

    def said(self, runs: Mapping[str, Path]) -> list[dict[str, Any]]:
        """As a page shows them, the last one last. `runs` are those of the room, by name."""
        names = {str(run.resolve()): name for name, run in runs.items()}
        found = []
        for place in {Path(run).parent for run in names}:
            for path in place.glob(f"*.from-*/{RECORD}"):
                record = _read(path)
                if record and record.run in names:
                    found.append((record.begun, _told(path.parent, record, names[record.run])))
        found.sort(key=lambda each: each[0])
        own = {out.name for out in self._own}
        return [told for _, told in found if told["state"] != "ended" or told["out"] in own]


def _end(process: subprocess.Popen[bytes], output: BinaryIO, out: Path, record: Record) -> None:
    with output:
        code = process.wait()
        if out.is_dir():
            _write(out, record.model_copy(update={"code": code}))


def _write(out: Path, record: Record) -> None:
    new = out / f"{RECORD}.new"
    new.write_text(record.model_dump_json() + "\n", encoding="utf-8")
    new.replace(out / RECORD)


def _read(path: Path) -> Record | None:
    """None for one that is gone or of another version of the testbed."""
    try:
        return Record.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def _told(out: Path, record: Record, run: str) -> dict[str, Any]:
    state, why = _state(out, record.code)
    return {
        "run": run,
        "trial": record.trial,
        "step": record.asked.step,
        "branches": record.asked.branches,
        "out": out.name,
        "state": state,
        "why": why,
    }


def _state(out: Path, code: int | None) -> tuple[str, str]:
    """Whether it runs, has ended or failed, and why. Where nobody saw its end: it failed if it said
    so, or left no run."""
    if code == 0:
        return "ended", ""
    with (out / OUTPUT).open(encoding="utf-8", errors="replace") as output:
        if code is None and _locked(output):
            return "running", ""
        lines = output.read().splitlines()
    told = [number for number, line in enumerate(lines) if line.startswith(SAYS)]
    if code is None and not told and (out / CONFIG).exists():
        return "ended", ""
    said = "\n".join(lines[told[-1] :] if told else lines[-TAIL:]).removeprefix(SAYS)
    ended = "it ended" if code is None else f"it ended with {code}"
    return "failed", said.strip() or f"{ended} and said nothing"


def _locked(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def forkable(trial: Path) -> list[int]:
    """The steps that can be gone on from; none where it has not begun, or is a branch and its
    parent is gone."""
    try:
        return checkpointed_steps(trial)
    except UsageError:
        return []


def _words(trial: Path, step: int) -> Iterator[str]:
    """What the command line is told of the step. Branches are kept as their parent was."""
    run = trial.parent.resolve()
    if ".earlier-" in trial.name:
        raise UsageError(f"{trial.name} was tried again", hint="Go on from the last attempt.")
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
