"""Judge the trials of a run. What they left as evidence is enough: no machine is used."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ambidex.evaluators import UnreadableError
from ambidex.host import Model
from ambidex.host.errors import ModelError, UsageError
from ambidex.host.jury.case import case_of
from ambidex.host.jury.sitting import hold_sitting
from ambidex.host.loop.judge import judge
from ambidex.host.loop.outcomes import scores_of, write_score
from ambidex.host.models.asking import TextModel
from ambidex.host.records.config import ModelConfig
from ambidex.host.records.jury import Jury, jury_command
from ambidex.host.records.rows import Row, Rows, read_rows, unjudged
from ambidex.tasks import Suite, Task
from ambidex.tasks.livemcpbench.body import KeyPointBody

__all__ = ["MakeModel", "judge_again", "judge_run", "to_finish"]

MakeModel = Callable[[ModelConfig], Model]
Say = Callable[[str], None]


def judge_run(folder: Path, suite: Suite, jury: Jury, make_model: MakeModel, say: Say) -> list[Row]:
    """Judge the unjudged trials of a run, append a scored row for each, and return all rows.

    Where the judges cannot be asked, the trials stay unjudged and `say` is told why.
    """
    waiting = unjudged(read_rows(folder)).values()
    results = Rows(folder)
    try:
        judges = _judges(jury, make_model) if waiting else []
        for row in waiting:
            try:
                now = _judged(folder, suite, jury, judges, row)
            except ModelError as error:
                if not error.refused:
                    raise
                say(f"{row.task} #{row.trial}: a judge refused it: {error}")
            else:
                results.add(now)
                say(f"{row.task} #{row.trial}: {now.score:.2g}: {now.reason}")
    except ModelError as error:
        say(f"the jury could not be asked: {error}")
    rows = read_rows(folder)
    if left := len(unjudged(rows)):
        say(f"{left} of {len({row.key for row in rows})} trials are unjudged; to judge them:")
        say(f"  {to_finish(folder, jury)}")
    return rows


def judge_again(
    folder: Path, suite: Suite, jury: Jury, make_model: MakeModel
) -> Iterator[tuple[Row, Row]]:
    """Have a jury judge the trials again that a jury has judged; yields each row before and after.
    The results are not changed. `ModelError` if a judge cannot be asked."""
    judges = _judges(jury, make_model)
    for row in read_rows(folder):
        if row.fate == "scored" and row.jury:
            yield row, _judged(folder, suite, jury, judges, row, again=True)


def to_finish(folder: Path, jury: Jury) -> str:
    """The command that judges the unjudged trials of a run."""
    return jury_command(folder) + ("" if jury.judges else " --judges MODEL")


def _judged(
    folder: Path,
    suite: Suite,
    jury: Jury,
    judges: Sequence[TextModel],
    row: Row,
    *,
    again: bool = False,
) -> Row:
    """The row with the verdict of these judges. Without calls that can be read there is nothing to
    ask: the score is 0, as for any evidence that is unreadable."""
    task, body = _task_of(row, suite)
    evidence = folder / row.folder / "evidence"
    assert row.stop is not None
    try:
        case = case_of(task, body, evidence)
    except UnreadableError:
        record = None
    else:
        try:
            record = hold_sitting(task, case, evidence, jury, judges, again=again)
        except UnreadableError as error:
            raise UsageError(f"{evidence} cannot be judged: {error}") from None
    verdict = judge(task, evidence, row.stop)
    if not again:
        write_score(folder / row.folder, verdict, row.stop, row.threshold)
    return row.model_copy(update={**scores_of(verdict), "fate": "scored", "jury": record})


def _judges(jury: Jury, make_model: MakeModel) -> list[TextModel]:
    """The judge of each seat. `ModelError` if there is none, or no key for them."""
    if not jury.judges:
        raise ModelError("no judges are named", hint="Name models with --judges.")
    if jury.key and not os.environ.get(jury.key):
        raise ModelError(f"the environment variable {jury.key} (the judges' API key) is not set")
    models = {
        name: make_model(
            ModelConfig(
                name=name,
                base_url=jury.base_url,
                key=jury.key,
                temperature=jury.temperature,
                max_tokens=jury.max_tokens,
            )
        )
        for name in jury.judges
    }
    return [TextModel(models[name], jury.api) for name in jury.seats]


def _task_of(row: Row, suite: Suite) -> tuple[Task, KeyPointBody]:
    task = next((task for task in suite.tasks if task.name == row.task), None)
    if task is None:
        why = next((out.why for out in suite.left_out if out.name == row.task), "removed")
        raise UsageError(f"the suite {suite.name} no longer has the task {row.task}: {why}")
    if not isinstance(task.body, KeyPointBody):
        raise UsageError(f"{row.task} is not judged by a jury: it has no key points")
    if task.hash != row.task_hash:
        raise UsageError(f"{row.task} has changed since it was played: its key points may differ")
    return task, task.body
