"""The report as one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ambidex.host.records.rows import Row
from ambidex.host.report.failure_kinds import Kind
from ambidex.host.report.findings import Findings
from ambidex.host.report.history import histories
from ambidex.host.report.html_page import link, page, run_facts
from ambidex.host.report.metrics import GROUPS
from ambidex.host.report.paper import paper
from ambidex.host.report.plots import history_plot, plots
from ambidex.host.report.report_lines import Line
from ambidex.host.report.text_report import measures

__all__ = ["html_of", "write_html"]


@dataclass(frozen=True)
class TaskRow:
    """One task of a line, as the page lists it."""

    name: str
    application: str
    useful: int
    feasible: bool
    beneficial: bool
    trials: tuple[tuple[Row, str], ...]
    """The last row of each trial, and a link to the trial's directory."""


def write_html(lines: Sequence[Line], findings: Findings, path: Path) -> None:
    """Write the whole report into one file."""
    path.write_text(html_of(lines, findings, path.parent), encoding="utf-8")


def html_of(lines: Sequence[Line], findings: Findings, folder: Path) -> str:
    """The report as HTML, with links relative to `folder`. The same rows give the same text."""
    return page(
        "report.html",
        lines=lines,
        suites=sorted({Path(line.config.suite).name for line in lines}),
        findings=findings,
        groups=GROUPS,
        kinds=[kind for kind in Kind if any(kind in counts for counts in findings.failures)],
        drawn=list(plots(lines)),
        histories=[
            (history, history_plot(history, number))
            for number, history in enumerate(histories(lines))
        ],
        measures=[measures(line) for line in lines],
        tasks=[_tasks(line, folder) for line in lines],
        facts=[run_facts(line) for line in lines],
        paper=paper(),
        misprints=[
            misprint
            for misprint in paper().misprints
            if misprint.model in {row.model for row in findings.paper}
        ],
    )


def _tasks(line: Line, folder: Path) -> list[TaskRow]:
    latest: dict[tuple[str, int], Row] = {}
    for row in line.rows:
        latest[row.task, row.trial] = row
    by_task: dict[str, list[Row]] = {}
    for key in sorted(latest):
        by_task.setdefault(key[0], []).append(latest[key])
    return [
        TaskRow(
            name=task,
            application=rows[0].domain,
            useful=len(rows[0].useful_tools),
            feasible=rows[0].feasible,
            beneficial=rows[0].tool_beneficial,
            trials=tuple((row, link(line.run / row.folder, folder)) for row in rows),
        )
        for task, rows in by_task.items()
    ]
