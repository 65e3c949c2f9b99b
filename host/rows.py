"""`results.jsonl`: one row per attempt at a trial, appended and synced, never changed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from host import Stop
from host.errors import UsageError

__all__ = [
    "CallCount",
    "Failure",
    "Key",
    "Parent",
    "Reached",
    "Row",
    "Rows",
    "finished",
    "read_rows",
]

NAME = "results.jsonl"

Key = tuple[str, str, int]
"""What is tried once and only once: task, agent, number of the trial."""


class Strict(BaseModel):
    """Unknown fields are errors: a row of another version is not read by guessing."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CallCount(Strict):
    """How often one tool was called in an episode, and how often that ended in an error."""

    tool: str
    app: str
    """Empty where the agent named a tool that it had not been offered."""
    calls: int
    errors: int
    repeats: int = 0
    """Calls without an error that said again what an earlier one had said, with nothing changed in
    between: same arguments, same result."""


class Reached(Strict):
    """What a trial had come to when it was judged: at its end, or at a checkpoint."""

    score: float
    reason: str
    strict: float | None = None
    strict_reason: str = ""
    stop: Stop
    steps: int
    malformed: int
    unsettled: int
    calls: tuple[CallCount, ...]
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost: float | None
    requests: int
    retries: int


class Parent(Strict):
    """The step of another run's trial that a trial went on from."""

    run: str
    trial: str
    """Its directory in that run."""
    step: int
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


class Row(Strict):
    """One attempt at one trial, with all that a report needs and all that identifies what was
    measured."""

    # What was tried
    suite: str
    task: str
    task_hash: str
    agent: str
    trial: int
    attempt: int
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
    score: float | None = None
    """For a task of another benchmark: the score that it would give."""
    reason: str = ""
    strict: float | None = None
    """The score with that benchmark's defects mended; None where there is only one verdict."""
    strict_reason: str = ""
    threshold: float = 1.0
    """The score from which a task counts as solved."""
    stop: Stop | None = None
    steps: int = 0
    malformed: int = 0
    unsettled: int = 0
    calls: tuple[CallCount, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = 0.0
    """US dollars; None where it is not known."""
    requests: int = 0
    retries: int = 0
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
    folder: str
    started: str
    """UTC, ISO 8601."""
    seconds: dict[str, float] = {}
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
        """Append one row."""
        line = row.model_dump_json().encode() + b"\n"
        with self._path.open("ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    def repair(self) -> str:
        """Set a cut-off last line aside, so that its trial is run again; say so, or return
        nothing."""
        if not self._path.exists():
            return ""
        content = self._path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole == len(content) and _reads(content[content.rfind(b"\n", 0, whole - 1) + 1 :]):
            return ""
        if whole == len(content):
            whole = content.rfind(b"\n", 0, whole - 1) + 1
        aside = self._path.with_suffix(".damaged")
        with aside.open("ab") as file:
            file.write(content[whole:] + b"\n")
            os.fsync(file.fileno())
        with self._path.open("r+b") as file:
            file.truncate(whole)
            os.fsync(file.fileno())
        return (
            f"the last line of {self._path} was damaged: it is now in {aside.name}, "
            "and its trial runs again"
        )


def read_rows(folder: Path) -> list[Row]:
    """All rows of a run; a last line that was cut off is no row. `UsageError` names a damaged
    line."""
    path = folder / NAME
    if not path.is_file():
        raise UsageError(f"{folder} holds no {NAME}", hint="A run's directory is named by `--out`.")
    rows = []
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines[:-1], 1):
        try:
            rows.append(Row.model_validate_json(line))
        except ValidationError as error:
            if number == len(lines) - 1:
                break
            raise UsageError(
                f"{path}, line {number} is no row: {error.errors()[0]['msg']}"
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


def _reads(line: bytes) -> bool:
    try:
        Row.model_validate_json(line)
    except ValidationError:
        return not line.strip()
    return True
