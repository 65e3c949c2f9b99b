"""The verb that reports runs: on the terminal, and in files that one can hand on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ambidex.host.cli.run import Json, print_json
from ambidex.host.errors import UsageError
from ambidex.host.report.export import write_csv, write_json, write_parquet
from ambidex.host.report.failure_sheet import write_sheet
from ambidex.host.report.findings import find
from ambidex.host.report.text_report import as_json, lines, tables
from ambidex.host.terminal import Terminal

__all__ = ["report"]

ON = Parameter(negative="")


def report(
    *runs: Path,
    json: Json = False,
    rescored: Annotated[bool, ON] = False,
    released: Annotated[bool, ON] = False,
    assisted: Annotated[bool, ON] = False,
    paper: str = "",
    html: Path | None = None,
    csv: Path | None = None,
    parquet: Path | None = None,
    rows: Path | None = None,
    failures: Path | None = None,
) -> int:
    """Accuracy, TIR, ACS and all that stands beside them, of one or more runs.

    Parameters
    ----------
    runs
        Directories of runs, or such as hold some.
    rescored
        Take the scores that `ambidex score` found last.
    released
        Give also the numbers as OSWorld-MCP's released script computes them.
    assisted
        Count also the trials that a person helped in.
    paper
        Put the paper's figures for this model beside ours; otherwise those of models it has.
    html
        Write the whole report, with plots, into this one file.
    csv
        Write the rows into this file.
    parquet
        Write the rows into this file.
    rows
        Write the rows into this file, as JSON.
    failures
        Write a sheet (CSV) of unsolved trials into this file, for people to say why.
    """
    if not runs:
        raise UsageError("which run?", hint="Name one or more directories.")
    for file in filter(None, (html, csv, parquet, rows, failures)):
        if not file.parent.is_dir():
            raise UsageError(f"{file} cannot be written: there is no directory {file.parent}")
    found = lines(runs, rescored=rescored, assisted=assisted)
    beside = find(found, as_released=released, paper=paper)
    if json:
        print_json(as_json(found, beside))
    else:
        Terminal().print(tables(found, beside))
    if html:
        from ambidex.host.report.html_report import write_html  # heavy: it draws

        write_html(found, beside, html)
    if csv:
        write_csv(found, csv)
    if parquet:
        write_parquet(found, parquet)
    if rows:
        write_json(found, rows)
    if failures:
        write_sheet(found, failures)
    return 0
