"""Judging stored evidence again: no machine, and the rows of the run stay as they are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from ambidex.evaluators.strict import explain
from ambidex.host.errors import UsageError
from ambidex.host.loop.interim_verdicts import interim_evidence
from ambidex.host.loop.judge import judge
from ambidex.host.loop.outcomes import scores_of
from ambidex.host.records.rows import Reached, Row, read_rows
from ambidex.tasks import Suite, Task

__all__ = ["Rejudged", "read_rescored", "rejudge", "write_rescored"]

NAME = "rescored.jsonl"


@dataclass(frozen=True)
class Rejudged:
    """One scored row, and what the evidence is worth today."""

    before: Row
    now: Row

    @property
    def differs(self) -> bool:
        """Whether the score is another one."""
        return _scores(self.before) != _scores(self.now)

    @property
    def task_changed(self) -> bool:
        """Whether the task is another one than was run."""
        return self.before.task_hash != self.now.task_hash


def rejudge(run: Path, suite: Suite) -> Iterator[Rejudged]:
    """Judge every scored trial of the run by the checks of the suite as it is now."""
    tasks = {task.name: task for task in suite.tasks}
    for row in read_rows(run):
        if row.fate != "scored" or row.stop is None:
            continue
        evidence = run / row.folder / "evidence"
        if row.task not in tasks:
            why = next((out.why for out in suite.left_out if out.name == row.task), "it is gone")
            raise UsageError(f"the suite {suite.name} has no task {row.task} any more: {why}")
        if not evidence.is_dir():
            raise UsageError(f"the evidence {evidence} is gone")
        task = tasks[row.task]
        now = {
            **scores_of(judge(task, evidence, row.stop)),
            "task_hash": task.hash,
            "checkpoints": tuple(_again(task, run / row.folder, each) for each in row.checkpoints),
        }
        yield Rejudged(row, row.model_copy(update=now))


def _again(task: Task, folder: Path, then: Reached) -> Reached:
    verdict = judge(task, interim_evidence(folder, then.steps), then.stop)
    return then.model_copy(update=scores_of(verdict))


def _scores(row: Row) -> list[float | None]:
    every: list[Row | Reached] = [row, *row.checkpoints]
    return [score for each in every for score in (each.score, each.strict)]


def write_rescored(run: Path, found: Sequence[Rejudged]) -> Path:
    """Keep the new scores beside the old ones, as rows; an earlier such file is replaced as a
    whole."""
    staging = run / f"{NAME}.new"
    with staging.open("w", encoding="utf-8") as file:
        file.writelines(each.now.model_dump_json() + "\n" for each in found)
        file.flush()
        os.fsync(file.fileno())
    return staging.rename(run / NAME)


def read_rescored(run: Path) -> list[Row]:
    """The rows as judged again last."""
    try:
        said = (run / NAME).read_text(encoding="utf-8")
        return [Row.model_validate_json(line) for line in said.splitlines()]
    except FileNotFoundError:
        raise UsageError(
            f"{run} was not judged again", hint=f"`ambidex score {run}` does that."
        ) from None
    except ValidationError as error:
        raise UsageError(f"{run / NAME} cannot be read: {explain(error)}") from None
