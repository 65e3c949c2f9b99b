"""`results.jsonl`: one row per attempt. Rows are appended and synced, and never changed."""

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
from ambidex.host.records.call_counts import CallCount, Count
from ambidex.host.records.colleagues import ColleagueRecord
from ambidex.host.records.config import NAME as CONFIG
from ambidex.host.records.config import Modality, RunConfig, SchemaNumber, read_config
from ambidex.host.records.jury import JuryRecord
from ambidex.host.records.retrieval import Retrieval
from ambidex.vm.whole_files import write_whole

__all__ = [
    "Failure",
    "ForeignRowError",
    "InterimVerdict",
    "Key",
    "Outcome",
    "Parent",
    "Phase",
    "Row",
    "Rows",
    "explain_row",
    "finished",
    "parse_row",
    "read_rows",
    "unjudged",
]

NAME = "results.jsonl"

Key = tuple[str, str, int]
"""Identifies a trial: task, agent, number of the repetition."""


Number = Annotated[int, Field(ge=1)]
UnitInterval = Annotated[float, Field(ge=0, le=1)]
"""The range of a score."""
Dollars = Annotated[float, Field(ge=0)]
Phase = Literal["", "revert", "setup", "rehearsal", "episode", "collect", "judge"]


def _file_name(name: str) -> str:
    if name in ("", ".", "..") or "/" in name or "\\" in name or not name.isprintable():
        raise ValueError("must be a plain file name, not a path")
    return name


FileName = Annotated[str, AfterValidator(_file_name)]


class Outcome(Strict):
    """The verdict on an episode, and its counts."""

    score: UnitInterval | None = None
    """For a task of another benchmark: the score that the benchmark itself would give (compat)."""
    reason: str = ""
    strict: UnitInterval | None = None
    """The score with that benchmark's defects fixed; None if there is only one verdict."""
    strict_reason: str = ""
    collateral: dict[str, Count] | None = None
    """By service, the number of changes that no check asks for; None if nothing was compared."""
    stop: Stop | None = None
    """How the agent ended the episode; None if something else ended the trial."""
    steps: Count = 0
    malformed: Count = 0
    """Answers of the model that could not be read."""
    unsettled: Count = 0
    """Steps after which the screen was not still within the time limit."""
    calls: tuple[CallCount, ...] = ()
    input_tokens: Count = 0
    output_tokens: Count = 0
    cached_tokens: Count = 0
    reasoning_tokens: Count | None = None
    """Those of the output tokens that were spent on reasoning; None if unknown."""
    cost: Dollars | None = 0.0
    """US dollars; None if unknown."""
    requests: Count = 0
    retries: Count = 0


class InterimVerdict(Outcome):
    """The verdict on a copy of the machine at a smaller limit of steps, with the counts up to
    there."""

    score: UnitInterval
    stop: Stop


class Parent(Strict):
    """The branch point that a trial started from."""

    run: str
    trial: FileName
    """Directory of the parent trial in that run."""
    step: Number
    hand: str = ""
    """The modality that the branch was restricted to, `gui` or `tools`, for its first step or for
    all its steps; empty if it had those of the condition."""
    given: str = ""
    """What the branch was given of the task's useful tools, `answer` or `set`; empty if nothing."""


class Failure(Strict):
    """The error that ended an attempt without a score."""

    type: str
    message: str
    hint: str = ""
    traceback: str = ""
    console: str = ""
    """The last lines of the machine's serial console, if the machine failed."""
    final: bool = False
    """Whether the error would recur on another machine, see `host.errors.is_final`."""
    proved: bool = False
    """Whether nothing the agent did could have caused it, see
    `host.errors.independent_of_agent`."""


class Row(Outcome):
    """One attempt: its outcome, with everything that a report needs and everything that identifies
    what was measured."""

    schema_number: SchemaNumber = 1
    # The trial
    suite: str
    task: FileName
    task_hash: str
    instance: Number = 1
    """The instance of the task; 1 for a task that has only one."""
    agent: str
    trial: Count
    attempt: Count
    condition: str
    tool_beneficial: bool
    feasible: bool
    useful_tools: tuple[str, ...] = ()
    """The tools that the task lists as useful."""
    domain: str = ""
    """The task's application; `multi` if it has several."""
    model: str = ""
    # How it ended
    fate: Literal["scored", "void", "bug", "unjudged"]
    """unjudged: the trial was played, and its judges have not been asked; see `host.jury`."""
    threshold: float = 1.0
    """The score from which a task counts as solved."""
    ended_by: EndedBy | Literal["", "agent"] = ""
    """Who ended the trial; empty in rows of older runs."""
    phase: Phase = ""
    """The phase in which something other than the agent ended the trial."""
    acted: Count = 0
    """Calls that the agent had made by then."""
    forfeit: str = ""
    """What failed twice after the agent had acted, if the trial is scored 0 for it."""
    agent_is_root: bool | None = None
    """Whether the agent could become root in its guest; None if unknown."""
    stage: Literal["", "set", "restored"] = ""
    """How the episode's stage came about: by the task's setup, or from the cache. Empty for a
    branch, if the attempt ended before, and in rows of older versions."""
    offered: tuple[str, ...] = ()
    """Tools of the modality `tools` that were on offer at some step."""
    retrieval: Retrieval | None = None
    """What was searched and found behind the gateway; None without one."""
    retriever: str = ""
    """How the gateway ranked tools: the retriever, and its embedder with the model's version."""
    assisted: bool = False
    """Whether a person intervened: took over, gave a hint, or ended the episode."""
    checkpoints: tuple[InterimVerdict, ...] = ()
    """Interim verdicts at the smaller limits of steps that the run asked for and the episode
    passed."""
    repeats: dict[str, float] = Field(default_factory=dict)
    """Scores of the same episode on forks of its machine, by the evidence directory of each."""
    jury: JuryRecord | None = None
    """The jury whose answers the score was computed from, if any."""
    colleagues: ColleagueRecord | None = None
    """The model behind the colleagues in the chat; None if they followed their scripts."""
    parent: Parent | None = None
    """The branch point it started from; None for its task's setup. Steps, calls, tokens, cost and
    the agent's seconds of a branch include those of its parent's prefix."""
    failure: Failure | None = None
    # Where and how it ran
    folder: FileName
    started: str
    """UTC, ISO 8601."""
    seconds: dict[str, Annotated[float, Field(ge=0)]] = Field(default_factory=dict)
    """revert, setup, model, guest, settle, harness, collect, judge, total. `stage`: surveying and
    saving the stage after setup."""
    config: str
    """Hash of the run's configuration, which names image, limits, model and prompts."""
    code: str
    """Hash of the code that ran and judged the trial: host, tasks, evaluators."""
    catalogue: str = ""
    """Hash of the tools as the guest served them."""
    screen: tuple[int, int] | None = None
    provider: str = ""
    """The machine's provider: libvirt, sandbox, attached."""
    host: str = ""
    """The host of a cluster that ran it; empty for the computer of the run."""
    environment: str = ""
    """Digest of the software environment, see `host.records.environment`."""
    assets: str = ""
    """Digest of the benchmark's files that the task needs; empty if it needs none."""

    @property
    def key(self) -> Key:
        """The trial that this attempt belongs to."""
        return (self.task, self.agent, self.trial)

    @property
    def beginning(self) -> str:
        """The starting point, equal for trials that are repeats of each other: the task, and for a
        branch also its branch point."""
        parent = self.parent
        return f"{self.task} {parent.run} {parent.trial} {parent.step}" if parent else self.task

    @property
    def unproved(self) -> bool:
        """Whether this is a void that the agent may have caused: it had acted, and nothing proves
        otherwise. The second such void of a trial is scored 0."""
        return self.fate == "void" and self.acted > 0 and not (self.failure and self.failure.proved)

    @property
    def success(self) -> bool:
        """Whether the task was solved: a score of at least the run's threshold (1 by default)."""
        return self.score is not None and self.score >= self.threshold

    @property
    def chosen_well(self) -> bool:
        """Whether the trial counts for TIR: solved, with tool calls if and only if tools help."""
        return self.success and (self.tool_calls > 0) is self.tool_beneficial

    def at(self, cap: int) -> Row:
        """The row as it would be under that limit of steps; `UsageError` if there was no interim
        verdict at it."""
        if self.fate != "scored" or self.steps <= cap:
            return self
        for interim in self.checkpoints:
            if interim.steps == cap:
                return self.model_copy(update={**dict(interim), "checkpoints": ()})
        raise UsageError(f"trial {self.key} was not judged after {cap} steps")

    @property
    def tool_calls(self) -> int:
        """Calls of the modality `tools`, failed ones included."""
        return self._calls("tools")

    @property
    def gui_calls(self) -> int:
        """Calls of the modality `gui`, failed ones included."""
        return self._calls("gui")

    def _calls(self, modality: Modality) -> int:
        return sum(count.calls for count in self.calls if count.modality == modality)


class Rows:
    """Appends rows to a run's results. A row is on disk when `add` returns."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME

    def add(self, row: Row) -> None:
        """Append one row. `OSError` if the disk is full; nothing of the row is left then."""
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
        """Move every line that is not a row of this run to `results.damaged`, so that its trial is
        run again. Return a message about it, or "" if there was nothing to repair."""
        if not self._path.exists():
            return ""
        lines = self._path.read_bytes().splitlines(keepends=True)
        config = _config_of(self._path.parent)
        damaged = [number for number, line in enumerate(lines, 1) if not _is_row(line, config)]
        if not damaged:
            return ""
        aside = self._path.with_suffix(".damaged")
        with aside.open("ab") as file:
            file.writelines(lines[number - 1].rstrip(b"\n") + b"\n" for number in damaged)
            os.fsync(file.fileno())
        kept = (line for number, line in enumerate(lines, 1) if number not in damaged)
        write_whole(self._path, b"".join(kept))
        what = f"line {damaged[0]}" if len(damaged) == 1 else f"{len(damaged)} lines"
        return f"{what} of {self._path}: damaged, moved to {aside.name}; trials will run again"


def read_rows(folder: Path) -> list[Row]:
    """All rows of a run; a truncated last line is ignored. `UsageError` names any other line that
    is damaged or does not match the run's configuration, and says how to repair the file."""
    path = folder / NAME
    if not path.is_file():
        raise UsageError(
            f"not a run directory ({NAME} is missing): {folder}",
            hint="Name the directory that `run --out` wrote.",
        )
    rows = []
    config = _config_of(folder)
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines[:-1], 1):
        try:
            rows.append(parse_row(line, config))
        except (ValidationError, ForeignRowError) as error:
            if number == len(lines) - 1 and isinstance(error, ValidationError):
                break
            raise UsageError(
                f"{path}, line {number} is not a valid row: {explain_row(error)}",
                hint="Resume the run (same command, same --out) to move the line out of the way.",
            ) from None
    finished(rows)
    return rows


def finished(rows: Iterable[Row]) -> dict[Key, Row]:
    """The scored row of each trial that has one; `UsageError` if a trial was scored twice."""
    scored: dict[Key, Row] = {}
    for row in rows:
        if row.fate == "scored":
            if row.key in scored:
                raise UsageError(f"trial {row.key} was scored twice; this run cannot be trusted")
            scored[row.key] = row
    return scored


def unjudged(rows: Iterable[Row]) -> dict[Key, Row]:
    """The row of each trial that was played and has no verdict yet."""
    rows = list(rows)
    scored = finished(rows)
    return {row.key: row for row in rows if row.fate == "unjudged" and row.key not in scored}


class ForeignRowError(Exception):
    """A row is valid but does not match the configuration of the run it is stored in."""


def _config_of(folder: Path) -> RunConfig | None:
    return read_config(folder) if (folder / CONFIG).is_file() else None


def parse_row(line: bytes, config: RunConfig | None) -> Row:
    """Parse a line. `ForeignRowError` if a run of that configuration cannot have produced it."""
    row = Row.model_validate_json(line)
    if config is None:
        return row
    branches = config.fork.branches if config.fork else ()
    expected = {
        "task": (row.task, config.tasks),
        "task_hash": (row.task_hash, (config.tasks.get(row.task, ""),)),
        "agent": (row.agent, config.agents),
        "trial": (row.trial, range(1, config.runs * max(1, len(branches)) + 1)),
        "condition": (row.condition, (config.condition,)),
        "threshold": (row.threshold, (config.threshold,)),
        "model": (row.model, ("", config.model.name if config.model else "")),
        "provider": (row.provider, ("", config.provider)),
        "parent": (
            (row.parent.trial, row.parent.step) if row.parent else None,
            [(branch.trial, branch.step) for branch in branches] or (None,),
        ),
    }
    for name, (value, allowed) in expected.items():
        if value not in allowed:
            raise ForeignRowError(f"{name} is {value!r}, which does not match {CONFIG}")
    return row


def explain_row(error: ValidationError | ForeignRowError) -> str:
    """What is wrong with a line that `parse_row` refused."""
    if isinstance(error, ForeignRowError):
        return str(error)
    return explain(error, whole="the row", most=1)


def _is_row(line: bytes, config: RunConfig | None) -> bool:
    if not line.endswith(b"\n"):
        return False
    try:
        parse_row(line, config)
    except (ValidationError, ForeignRowError):
        return False
    return True
