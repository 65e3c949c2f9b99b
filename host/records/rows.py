"""`results.jsonl`: one row per attempt at a trial, appended and synced, never changed."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationError

from ambidex.evaluators.strict import Strict, explain
from ambidex.host import Stop
from ambidex.host.errors import EndedBy, UsageError
from ambidex.host.records.config import NAME as CONFIG
from ambidex.host.records.config import RunConfig, SchemaNumber, read_config

__all__ = [
    "CallCount",
    "Failure",
    "Key",
    "Parent",
    "Phase",
    "Reached",
    "Row",
    "Rows",
    "finished",
    "read_rows",
]

NAME = "results.jsonl"

Key = tuple[str, str, int]
"""What is tried once and only once: task, agent, number of the trial."""


Count = Annotated[int, Field(ge=0)]
Number = Annotated[int, Field(ge=1)]
Points = Annotated[float, Field(ge=0, le=1)]
"""A score."""
Dollars = Annotated[float, Field(ge=0)]
Phase = Literal["", "revert", "setup", "rehearsal", "episode", "collect", "judge"]


def _plain(name: str) -> str:
    if name in ("", ".", "..") or "/" in name or "\\" in name or not name.isprintable():
        raise ValueError("the name of a task or of its directory, and no path")
    return name


Plain = Annotated[str, AfterValidator(_plain)]


class CallCount(Strict):
    """How often one tool was called in an episode, and how often that ended in an error."""

    tool: str
    app: str
    """Empty where the agent named a tool that it had not been offered."""
    calls: Count
    errors: Count
    repeats: Count = 0
    """Calls without an error that said again what an earlier one had said, with nothing changed in
    between: same arguments, same result."""


class Reached(Strict):
    """What a trial had come to when it was judged: at its end, or at a checkpoint."""

    score: Points
    reason: str
    strict: Points | None = None
    strict_reason: str = ""
    stop: Stop
    steps: Count
    malformed: Count
    unsettled: Count
    calls: tuple[CallCount, ...]
    input_tokens: Count
    output_tokens: Count
    cached_tokens: Count
    cost: Dollars | None
    requests: Count
    retries: Count


class Parent(Strict):
    """The step of another run's trial that a trial went on from."""

    run: str
    trial: Plain
    """Its directory in that run."""
    step: Number
    hand: str = ""
    """The only tools on offer then, or for all the rest: `gui` or `tools`; empty where the
    condition's were."""


class Failure(Strict):
    """What ended a trial without a score."""

    type: str
    message: str
    hint: str = ""
    traceback: str = ""
    console: str = ""
    """The last lines of the machine's serial console, where a machine failed."""
    final: bool = False
    """Whether another try on another machine would end alike, see `host.errors.FINAL`."""
    proved: bool = False
    """Whether nothing that the agent did could have caused it, see `host.errors.proved`."""


class Row(Strict):
    """One attempt at one trial, with all that a report needs and all that identifies what was
    measured."""

    schema_number: SchemaNumber = 1
    # What was tried
    suite: str
    task: Plain
    task_hash: str
    agent: str
    trial: Count
    attempt: Count
    condition: str
    tool_beneficial: bool
    feasible: bool
    useful_tools: tuple[str, ...] = ()
    """What the task calls useful."""
    domain: str = ""
    """The task's application; `multi` where it has several."""
    model: str = ""
    # What came of it
    fate: Literal["scored", "void", "bug"]
    score: Points | None = None
    """For a task of another benchmark: the score that it would give."""
    reason: str = ""
    strict: Points | None = None
    """The score with that benchmark's defects mended; None where there is only one verdict."""
    strict_reason: str = ""
    threshold: float = 1.0
    """The score from which a task counts as solved."""
    stop: Stop | None = None
    """How the agent ended; None where something else ended the trial."""
    ended_by: EndedBy | Literal["", "agent"] = ""
    """Who ended it; empty in rows of older runs."""
    phase: Phase = ""
    """Where the trial was when something other than the agent ended it."""
    acted: Count = 0
    """Calls that the agent had made until then."""
    forfeit: str = ""
    """What failed after the agent had acted, where it failed twice and the trial is scored 0 for
    it."""
    agent_is_root: bool | None = None
    """Whether the agent could become root in its guest; None where that is not known."""
    steps: Count = 0
    malformed: Count = 0
    unsettled: Count = 0
    calls: tuple[CallCount, ...] = ()
    input_tokens: Count = 0
    output_tokens: Count = 0
    cached_tokens: Count = 0
    cost: Dollars | None = 0.0
    """US dollars; None where it is not known."""
    requests: Count = 0
    retries: Count = 0
    offered: tuple[str, ...] = ()
    """Tools (not of the GUI) that were on offer at some step."""
    assisted: bool = False
    """Whether a person who watched helped: took over, told the agent something, or ended it."""
    checkpoints: tuple[Reached, ...] = ()
    """What a copy of the machine was worth after so many steps, where the run asked for that and
    the episode went on."""
    parent: Parent | None = None
    """Where it began, if not with the stage of its task. Steps, calls, tokens, cost and the seconds
    of the agent are then those of the whole episode, what was done in the parent included."""
    failure: Failure | None = None
    # Where and how
    folder: Plain
    started: str
    """UTC, ISO 8601."""
    seconds: dict[str, Annotated[float, Field(ge=0)]] = Field(default_factory=dict)
    """revert, setup, model, guest, settle, harness, collect, judge, total"""
    config: str
    """Hash of the run's configuration, which names image, limits, model and prompts."""
    code: str
    """Hash of the code that ran and judged the trial: host, tasks, evaluators."""
    catalogue: str = ""
    """Hash of the tools as the guest served them."""
    screen: tuple[int, int] | None = None
    provider: str = ""
    """Where the machine came from: libvirt, sandbox, attached."""
    environment: str = ""
    """Digest of what the run depended on beside our code, see `host.records.environment`."""
    assets: str = ""
    """Digest of the benchmark's files that the task needs, where it needs any."""

    @property
    def key(self) -> Key:
        """Which trial this is an attempt at."""
        return (self.task, self.agent, self.trial)

    @property
    def beginning(self) -> str:
        """What several trials have in common that are repeats of each other: the task, and of
        branches the step that they went on from."""
        came = self.parent
        return f"{self.task} {came.run} {came.trial} {came.step}" if came else self.task

    @property
    def unproved(self) -> bool:
        """Whether it is a void that the agent may have caused: it had acted, and nothing proves
        otherwise. The second one of a trial is scored 0."""
        return self.fate == "void" and self.acted > 0 and not (self.failure and self.failure.proved)

    @property
    def success(self) -> bool:
        """Whether the task was solved: by a full score, unless the run said otherwise."""
        return self.score is not None and self.score >= self.threshold

    @property
    def chosen_well(self) -> bool:
        """What TIR counts: solved, with a tool call where tools help, without one elsewhere."""
        return self.success and (self.tool_calls > 0) is self.tool_beneficial

    def at(self, cap: int) -> Row:
        """The row as it would be with that limit of steps; `UsageError` where that is not known."""
        if self.fate != "scored" or self.steps <= cap:
            return self
        for reached in self.checkpoints:
            if reached.steps == cap:
                return self.model_copy(update={**dict(reached), "checkpoints": ()})
        raise UsageError(f"trial {self.key} was not judged after {cap} steps")

    @property
    def tool_calls(self) -> int:
        """Calls of tools, as opposed to GUI actions; whether they succeeded is not asked."""
        return sum(each.calls for each in self.calls if each.app not in ("", "computer"))

    @property
    def gui_calls(self) -> int:
        """Mouse and keyboard actions."""
        return sum(each.calls for each in self.calls if each.app == "computer")


class Rows:
    """Appends to a run's results. What returns from `add` is on the disk."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME

    def add(self, row: Row) -> None:
        """Append one row. OSError where the disk has no room for all of it: then there is none of
        it."""
        line = row.model_dump_json().encode() + b"\n"
        with self._path.open("ab", buffering=0) as file:
            before = file.seek(0, os.SEEK_END)
            try:
                if (wrote := file.write(line)) != len(line):
                    raise OSError(errno.ENOSPC, f"{wrote} of {len(line)} bytes", str(self._path))
                os.fsync(file.fileno())
            except BaseException:
                file.truncate(before)
                raise

    def repair(self) -> str:
        """Set every line aside that is no row of this run, so that its trial is run again; say so,
        or return nothing."""
        if not self._path.exists():
            return ""
        lines = self._path.read_bytes().splitlines(keepends=True)
        config = _config_of(self._path.parent)
        damaged = [number for number, line in enumerate(lines, 1) if not _reads(line, config)]
        if not damaged:
            return ""
        aside = self._path.with_suffix(".damaged")
        with aside.open("ab") as file:
            file.writelines(lines[number - 1].rstrip(b"\n") + b"\n" for number in damaged)
            os.fsync(file.fileno())
        staging = self._path.with_suffix(".new")
        with staging.open("wb") as file:
            file.writelines(line for number, line in enumerate(lines, 1) if number not in damaged)
            os.fsync(file.fileno())
        staging.rename(self._path)
        what = f"line {damaged[0]}" if len(damaged) == 1 else f"{len(damaged)} lines"
        return (
            f"{what} of {self._path} was damaged and is now in {aside.name}; its trial runs again"
        )


def read_rows(folder: Path) -> list[Row]:
    """All rows of a run; a last line that was cut off is no row. `UsageError` names another damaged
    line, or one that the run's configuration could not have given, and says how to set it aside."""
    path = folder / NAME
    if not path.is_file():
        raise UsageError(
            f"not a run directory ({NAME} is missing): {folder}", hint="`--out` of `run` names it."
        )
    rows = []
    config = _config_of(folder)
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines[:-1], 1):
        try:
            rows.append(_row(line, config))
        except (ValidationError, ForeignRowError) as error:
            if number == len(lines) - 1 and isinstance(error, ValidationError):
                break
            raise UsageError(
                f"{path}, line {number} is not a valid row: {_worded(error)}",
                hint="Resuming the run (the same command with the same --out) sets it aside.",
            ) from None
    finished(rows)
    return rows


def finished(rows: Iterable[Row]) -> dict[Key, Row]:
    """The scored row of each trial that has one; `UsageError` where one was scored twice."""
    scored: dict[Key, Row] = {}
    for row in rows:
        if row.fate == "scored":
            if row.key in scored:
                raise UsageError(f"trial {row.key} was scored twice; this run cannot be trusted")
            scored[row.key] = row
    return scored


class ForeignRowError(Exception):
    """A row that is whole, and belongs to another run than the one whose directory holds it."""


def _config_of(folder: Path) -> RunConfig | None:
    return read_config(folder) if (folder / CONFIG).is_file() else None


def _row(line: bytes, config: RunConfig | None) -> Row:
    """The row of a line. `ForeignRowError` where that configuration could not have given it."""
    row = Row.model_validate_json(line)
    if config is None:
        return row
    branches = config.fork.branches if config.fork else ()
    expected = {
        "task": (row.task, tuple(config.tasks)),
        "task_hash": (row.task_hash, (config.tasks.get(row.task, ""),)),
        "agent": (row.agent, config.agents),
        "trial": (row.trial, range(1, config.runs * max(1, len(branches)) + 1)),
        "condition": (row.condition, (config.condition,)),
        "threshold": (row.threshold, (config.threshold,)),
        "model": (row.model, ("", config.model.name if config.model else "")),
        "provider": (row.provider, ("", config.provider)),
        "parent": (
            (row.parent.trial, row.parent.step) if row.parent else None,
            [(each.trial, each.step) for each in branches] or (None,),
        ),
    }
    for name, (value, allowed) in expected.items():
        if value not in allowed:
            raise ForeignRowError(f"{name} is {value!r}, which {CONFIG} does not have")
    return row


def _worded(error: ValidationError | ForeignRowError) -> str:
    if isinstance(error, ForeignRowError):
        return str(error)
    return explain(error, whole="the row", most=1)


def _reads(line: bytes, config: RunConfig | None) -> bool:
    if not line.endswith(b"\n"):
        return False
    try:
        _row(line, config)
    except (ValidationError, ForeignRowError):
        return False
    return True
