"""Judge stored evidence again, without a machine. The rows of the run are not changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from ambidex.evaluators.strict import explain
from ambidex.host.errors import UsageError
from ambidex.host.loop.interim_verdicts import interim_evidence
from ambidex.host.loop.judge import judge
from ambidex.host.loop.outcomes import scores_of
from ambidex.host.records.config import RunConfig
from ambidex.host.records.rows import InterimVerdict, Row, read_rows
from ambidex.tasks import Suite, Task, ToolSpec
from ambidex.tasks.load import load_suite
from ambidex.tasks.survey import Selection
from ambidex.vm.whole_files import write_whole

__all__ = ["RescoredRow", "read_rescored", "rejudge", "suite_of", "write_rescored"]

NAME = "rescored.jsonl"


@dataclass(frozen=True)
class RescoredRow:
    """A scored row, before and after its evidence was judged again."""

    before: Row
    now: Row

    @property
    def differs(self) -> bool:
        """Whether a score changed."""
        return _scores(self.before) != _scores(self.now)

    @property
    def task_changed(self) -> bool:
        """Whether the task has changed since the run."""
        return self.before.task_hash != self.now.task_hash


def suite_of(config: RunConfig, catalogue: Mapping[str, ToolSpec], where: Path | None) -> Suite:
    """The tasks of a run, to judge it again: from `where`, by default where they were. `TaskError`
    if one is missing or invalid. The files of a task's setup are not needed."""
    selection = Selection(tuple(config.tasks), unready=True)
    return load_suite(where or Path(config.suite), catalogue, selection=selection)


def rejudge(run: Path, suite: Suite) -> Iterator[RescoredRow]:
    """Judge every scored trial of the run with the current checks of the suite. `UsageError` if a
    task or the evidence of a trial is missing."""
    tasks = {task.name: task for task in suite.tasks}
    for row in read_rows(run):
        if row.fate != "scored" or row.stop is None:
            continue
        evidence = run / row.folder / "evidence"
        if row.task not in tasks:
            why = next((out.why for out in suite.left_out if out.name == row.task), "removed")
            raise UsageError(f"the suite {suite.name} no longer has the task {row.task}: {why}")
        if not evidence.is_dir():
            raise UsageError(f"the evidence is missing: {evidence}")
        task = tasks[row.task].at_instance(row.instance)
        now = {
            **scores_of(judge(task, evidence, row.stop)),
            "task_hash": task.hash,
            "checkpoints": tuple(
                _rejudge_interim(task, run / row.folder, interim) for interim in row.checkpoints
            ),
        }
        yield RescoredRow(row, row.model_copy(update=now))


def _rejudge_interim(task: Task, folder: Path, interim: InterimVerdict) -> InterimVerdict:
    verdict = judge(task, interim_evidence(folder, interim.steps), interim.stop)
    return interim.model_copy(update=scores_of(verdict))


def _scores(row: Row) -> list[float | None]:
    verdicts: list[Row | InterimVerdict] = [row, *row.checkpoints]
    return [score for verdict in verdicts for score in (verdict.score, verdict.strict)]


def write_rescored(run: Path, rescored: Sequence[RescoredRow]) -> Path:
    """Store the new rows as `rescored.jsonl` next to the results, replacing an earlier file."""
    path = run / NAME
    write_whole(path, "".join(row.now.model_dump_json() + "\n" for row in rescored))
    return path


def read_rescored(run: Path) -> list[Row]:
    """The rows of the last rescoring; `UsageError` if there was none."""
    try:
        text = (run / NAME).read_text(encoding="utf-8")
        return [Row.model_validate_json(line) for line in text.splitlines()]
    except FileNotFoundError:
        raise UsageError(
            f"{run} has not been rescored", hint=f"Run `ambidex score {run}`."
        ) from None
    except ValidationError as error:
        raise UsageError(f"{run / NAME} cannot be read: {explain(error)}") from None
