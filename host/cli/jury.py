"""`ambidex jury`: have judge models judge the finished trials of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ambidex.host.cli.run import exit_code
from ambidex.host.jury.judging import judge_again, judge_run
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import ModelConfig, locked, read_config
from ambidex.host.records.jury import Jury
from ambidex.host.records.rows import read_rows
from ambidex.host.runs.rescoring import RescoredRow, write_rescored
from ambidex.host.terminal import echo, one_line
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.tasks.survey import Selection

__all__ = ["jury"]

JuryOptions = Annotated[Jury | None, Parameter(name="*", negative="", consume_multiple=True)]


def jury(
    run: Path,
    *,
    again: Annotated[bool, Parameter(negative="")] = False,
    suite: Path | None = None,
    options: JuryOptions = None,
) -> int:
    """Judge the trials of a run that no jury has judged. No machine is used.

    Without options, the jury is the one that the run was started with. Exit status 3 if trials are
    still unjudged.

    Parameters
    ----------
    run
        The directory of a run.
    again
        Judge the trials again that were judged; the new scores are stored alongside the old ones,
        for `ambidex report --rescored`.
    suite
        Where the tasks are now, if they have moved since the run.
    """
    config = read_config(run)
    selection = Selection(tuple(config.tasks), unready=True)
    loaded = load_suite(suite or Path(config.suite), read_catalogue(), selection=selection)
    judges = options or config.jury
    prices = read_prices(None)

    def make_model(model: ModelConfig) -> LiteModel:
        return LiteModel(model, prices)

    with locked(run):
        if not again:
            return exit_code(judge_run(run, loaded, judges, make_model, echo))
        pairs = judge_again(run, loaded, judges, make_model)
        judged = {before.key: now for before, now in pairs}
        scored = [row for row in read_rows(run) if row.fate == "scored"]
        rescored = [RescoredRow(row, judged.get(row.key, row)) for row in scored]
        path = write_rescored(run, rescored)
    changed = [trial for trial in rescored if trial.differs]
    for trial in changed:
        before, now = trial.before, trial.now
        name = f"{before.task} {before.agent} #{before.trial}"
        echo(one_line(f"{name}: {before.score:g} -> {now.score:g}: {now.reason}"))
    echo(f"{len(judged)} judged again, {len(changed)} differ: {path}")
    return 1 if changed else 0
