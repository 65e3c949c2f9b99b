"""Starting, stopping and resuming runs from the room. Each run is a process of its own, with the
command line of `ambidex run`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ambidex.host.errors import BusyError, UsageError
from ambidex.host.records.command import kept_command
from ambidex.host.records.config import MOST_RUNS, MOST_STEPS, Condition
from ambidex.host.room.runs.processes import ENDED, outcome, spawn, stop_runner
from ambidex.host.runs.inventory import runner_of

__all__ = ["AMBIDEX", "RunControl", "StartRequest"]

AMBIDEX = (sys.executable, "-m", "ambidex.host.cli.main")
OUTPUT = "run.log"
"""The output of a process that the room started, in the directory of its run."""
RESUMABLE = ("run", "experiment", "fork")
"""Commands that fill the gaps of their run when they are repeated."""
MOST_MACHINES = 256

Text = Annotated[str, Field(max_length=1000)]


class StartRequest(BaseModel):
    """The form of a new run. An empty field keeps the default of `ambidex run`."""

    model_config = ConfigDict(extra="forbid")

    suite: Annotated[str, Field(min_length=1, max_length=1000)]
    tasks: Text = ""
    """Names of tasks, separated by blanks; empty: all."""
    agent: Text = ""
    model: Text = ""
    condition: Condition = "hybrid"
    runs: Annotated[int, Field(ge=1, le=MOST_RUNS)] = 1
    steps: Annotated[int, Field(ge=1, le=MOST_STEPS)] = 15
    machines: Annotated[int, Field(ge=1, le=MOST_MACHINES)] = 1
    provider: Text = ""

    @field_validator("agent")
    @classmethod
    def _is_built_in(cls, agent: str) -> str:
        # module:Class is code: only whoever has a shell on this computer chooses what it runs.
        name, _, rest = agent.partition(":")
        if "." in agent or "/" in agent or (rest and name != "oracle"):
            raise ValueError("only built-in agents can be started here; others with `ambidex run`")
        return agent

    def words(self, out: Path) -> Iterator[str]:
        """The command line, without the program."""
        yield from ("run", self.suite.strip())
        for name in ("agent", "model", "condition", "runs", "steps", "machines", "provider"):
            if value := str(getattr(self, name)).strip():
                yield f"--{name}={value}"
        yield from (f"--tasks={task}" for task in self.tasks.split())
        yield f"--out={out}"


@dataclass
class RunControl:
    """Starts, stops and resumes runs; `command` is the program."""

    command: Sequence[str] = AMBIDEX
    _started: dict[Path, int | None] = field(default_factory=dict)
    """The directories of the runs this room started, with their exit codes."""

    def start(self, request: StartRequest, place: Path) -> Path:
        """Start a run in a new directory in `place`, and return that directory."""
        suite = Path(request.suite.strip()).expanduser()
        if not suite.is_dir():
            raise UsageError(
                f"not a directory: {suite}",
                hint=f"Name a suite as `ambidex run` takes it, relative to {Path.cwd()}.",
            )
        when = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
        stem = f"{when}-{suite.resolve().name}-{request.condition}"
        numbers = (f"-{number}" if number > 1 else "" for number in range(1, 1000))
        out = next(path for number in numbers if not (path := place / f"{stem}{number}").exists())
        out.mkdir(parents=True)
        request = request.model_copy(update={"suite": str(suite.resolve())})
        self._spawn(out, [*request.words(out.resolve())], Path.cwd())
        return out

    def stop(self, run: Path) -> None:
        """Interrupt the runner of a run, as Ctrl-C does."""
        stop_runner(run)

    def resume(self, run: Path) -> str:
        """Repeat the command that made the run, and return it."""
        if runner_of(run) is not None:
            raise BusyError(f"{run.name} is running already")
        if self._started.get(run.resolve(), 0) is None:
            raise BusyError(
                f"the process of {run.name} is still starting or ending",
                hint="Try again in a moment.",
            )
        words, directory = _kept(run)
        self._spawn(run, words, directory)
        return shlex.join(["ambidex", *words])

    def command_of(self, run: Path) -> dict[str, str]:
        """The command that `resume` would repeat and its directory, as JSON."""
        words, directory = _kept(run)
        return {"command": shlex.join(["ambidex", *words]), "directory": str(directory)}

    def summaries(self) -> list[dict[str, Any]]:
        """The processes that this room started and that are starting or failed, as JSON."""
        told = []
        for out, code in [*self._started.items()]:
            if out.is_dir():
                state, why = outcome(out, OUTPUT, code, ENDED)
                told.append({"run": out.name, "state": state, "why": why})
        return told

    def _spawn(self, out: Path, words: list[str], directory: Path) -> None:
        out = out.resolve()
        self._started[out] = None

        def on_end(code: int) -> None:
            self._started[out] = code

        spawn([*self.command, *words], out / OUTPUT, on_end, directory)


def _kept(run: Path) -> tuple[list[str], Path]:
    """The words after `ambidex` that made a run, and the directory they were given in."""
    kept = None
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = kept_command(run)
    program, *words = (shlex.split(kept[0]) if kept else []) or [""]
    if kept is None or program != "ambidex" or not words or words[0] not in RESUMABLE:
        raise UsageError(
            f"the command that made {run.name} was not kept",
            hint="Resume it in a terminal, with the command it was started with.",
        )
    return [word for word in words if word != "--watch"], Path(kept[1])
