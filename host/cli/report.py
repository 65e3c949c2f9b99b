"""The commands that evaluate finished runs: report and score."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ambidex.host.cli.options import Json
from ambidex.host.errors import UsageError
from ambidex.host.records.config import read_config
from ambidex.host.report.completeness import gaps
from ambidex.host.report.export import write_csv, write_json, write_parquet
from ambidex.host.report.failure_sheet import write_sheet
from ambidex.host.report.findings import find
from ambidex.host.report.text_report import as_json, lines, tables
from ambidex.host.runs.null import read_null_run
from ambidex.host.runs.rescoring import rejudge, suite_of, write_rescored
from ambidex.host.terminal import Terminal, echo, one_line, print_json
from ambidex.tasks.catalogue import read_catalogue

__all__ = ["report", "score"]

ON = Parameter(negative="")


def report(
    *runs: Path,
    json: Json = False,
    rescored: Annotated[bool, ON] = False,
    released: Annotated[bool, ON] = False,
    assisted: Annotated[bool, ON] = False,
    complete: Annotated[bool, ON] = False,
    exclude_null_solvable: Path | None = None,
    paper: str = "",
    html: Path | None = None,
    csv: Path | None = None,
    parquet: Path | None = None,
    rows: Path | None = None,
    failures: Path | None = None,
) -> int:
    """Report accuracy, Tool Invocation Rate, Average Completion Steps and more for runs.

    Parameters
    ----------
    runs
        Directories of runs, or directories that contain runs.
    rescored
        Use the latest scores of `ambidex score`.
    released
        Add the figures as OSWorld-MCP's released script computes them.
    assisted
        Include the trials in which a person helped.
    complete
        Report nothing unless every planned trial has a score; otherwise list those that have none.
    exclude_null_solvable
        A run of `ambidex null`: leave out the tasks that an agent solved there without doing them,
        and name them.
    paper
        The model of the paper whose figures to show alongside; by default the one that was run.
    html
        Write the whole report, with plots, as an HTML page.
    csv
        Write the rows as CSV.
    parquet
        Write the rows as Parquet.
    rows
        Write the rows as JSON.
    failures
        Write a CSV sheet of the unsolved trials, with columns for people to fill in the reasons. An
        existing file is not replaced.
    """
    if not runs:
        raise UsageError("no run named", hint="Name one or more directories of runs.")
    for file in filter(None, (html, csv, parquet, rows, failures)):
        if not file.parent.is_dir():
            raise UsageError(f"{file} cannot be written: there is no directory {file.parent}")
    if failures and failures.exists():
        raise UsageError(
            f"{failures} exists, and what reviewers have ticked in it would be lost",
            hint="Name another file.",
        )
    open_gaps = tuple(gaps(runs))
    if complete and open_gaps:
        for gap in open_gaps:
            echo(gap, error=True)
            echo(f"  {gap.command or f'Resume it: the same command, --out {gap.run}'}", error=True)
        return 3
    without = read_null_run(exclude_null_solvable) if exclude_null_solvable else None
    report_lines = lines(runs, rescored=rescored, assisted=assisted, without=without)
    empty = (gap.run for gap in open_gaps if gap.empty)
    findings = find(report_lines, as_released=released, paper=paper, empty=empty)
    if json:
        print_json(as_json(report_lines, findings))
    else:
        Terminal().print(tables(report_lines, findings))
    if html:
        from ambidex.host.report.html_report import write_html  # heavy: it draws

        write_html(report_lines, findings, html)
    if csv:
        write_csv(report_lines, csv)
    if parquet:
        write_parquet(report_lines, parquet)
    if rows:
        write_json(report_lines, rows)
    if failures:
        write_sheet(report_lines, failures)
    return 0


def score(
    run: Path,
    *,
    suite: Path | None = None,
    json: Json = False,
) -> int:
    """Judge the stored evidence of a run again. The new scores are stored alongside the old ones.

    Parameters
    ----------
    run
        Directory of the run.
    suite
        Where the tasks are now, if they have moved since the run.
    """
    judged = list(rejudge(run, suite_of(read_config(run), read_catalogue(), suite)))
    path = write_rescored(run, judged)
    changed = [trial for trial in judged if trial.differs]
    if json:
        print_json([trial.now.model_dump(mode="json") for trial in judged])
    else:
        for trial in changed:
            row = trial.before
            name = f"{row.task} {row.agent} #{row.trial}"
            echo(one_line(f"{name}: {row.score:g} -> {trial.now.score:g}: {trial.now.reason}"))
        edited = sum(trial.task_changed for trial in judged)
        echo(f"{len(judged)} judged, {len(changed)} differ, {edited} of a changed task: {path}")
    return 1 if changed else 0
