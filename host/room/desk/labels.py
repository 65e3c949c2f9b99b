"""Causes of failures that reviewers tick on the desk, kept in the run's failure sheet: the file
that `ambidex report --failures` writes (`host.report.failure_sheet`)."""

from __future__ import annotations

import csv
import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ambidex.host.errors import UsageError
from ambidex.host.records.rows import Key
from ambidex.host.report.csv_file import write_csv_file
from ambidex.host.report.failure_sheet import CAUSES, COLUMNS, sheet
from ambidex.host.report.report_lines import lines

__all__ = ["SHEET", "Label", "labels_of", "set_label"]

SHEET = "failures.csv"
TICK = "yes"
REVIEWERS = 2


class Label(BaseModel):
    """One tick of one reviewer."""

    model_config = ConfigDict(extra="forbid")

    reviewer: Annotated[int, Field(ge=1, le=REVIEWERS)]
    cause: str
    on: bool

    @field_validator("cause")
    @classmethod
    def _is_a_cause(cls, cause: str) -> str:
        if cause not in CAUSES:
            raise ValueError(f"a cause is one of: {', '.join(CAUSES)}")
        return cause


def labels_of(run: Path, trial: Key) -> list[dict[str, Any]]:
    """The ticks of a trial, as JSON: `reviewer` and `cause` of each."""
    for record in _read(run / SHEET):
        if _key(record) == _cells(trial):
            return [
                {"reviewer": reviewer, "cause": cause}
                for reviewer in range(1, REVIEWERS + 1)
                for cause in CAUSES
                if record.get(_column(reviewer, cause), "").strip()
            ]
    return []


def set_label(run: Path, trial: Key, label: Label) -> None:
    """Set or remove a tick in the run's failure sheet, which is written if the trial is not in it
    yet. `UsageError` if the trial is not an unsolved one."""
    path = run / SHEET
    with _alone(run):
        records = _read(path)
        if all(_key(record) != _cells(trial) for record in records):
            records = _merged([*sheet(lines([run]))], records)
        mine = [record for record in records if _key(record) == _cells(trial)]
        if not mine:
            raise UsageError(f"{trial[0]}.{trial[2]} is not a scored trial that failed")
        for record in mine:
            record[_column(label.reviewer, label.cause)] = TICK if label.on else ""
        staging = path.with_suffix(".new")
        write_csv_file(staging, COLUMNS, records)
        staging.replace(path)


def _merged(new: list[dict[str, object]], before: list[dict[str, str]]) -> list[dict[str, object]]:
    """Today's failures, with the ticks of the earlier sheet."""
    ticks = {(*_key(record), str(record.get("cap"))): record for record in before}
    columns = [_column(reviewer, c) for reviewer in range(1, REVIEWERS + 1) for c in CAUSES]
    return [
        record | {column: old.get(column, "") for column in columns}
        if (old := ticks.get((*_key(record), str(record["cap"]))))
        else record
        for record in new
    ]


def _column(reviewer: int, cause: str) -> str:
    return f"reviewer {reviewer}: {cause}"


def _cells(trial: Key) -> tuple[str, str, str]:
    task, agent, number = trial
    return (agent, task, str(number))


def _key(record: Any) -> tuple[str, str, str]:
    agent, task, trial = (str(record.get(name, "")) for name in ("agent", "task", "trial"))
    return (agent.removeprefix("'"), task.removeprefix("'"), trial)


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ()) != COLUMNS:
                raise UsageError(
                    f"not a failure sheet of this version: {path}",
                    hint="Move it away; `ambidex report --failures` writes a new one.",
                )
            return [{name: text.removeprefix("'") for name, text in row.items()} for row in reader]
    except FileNotFoundError:
        return []


@contextmanager
def _alone(run: Path) -> Iterator[None]:
    with (run / f"{SHEET}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
