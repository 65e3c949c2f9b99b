"""The report as one HTML file: nothing is loaded from anywhere, plots are drawn into it, and links
lead to the trials' directories relative to where it lies."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from host import words
from host.config import RunConfig
from host.findings import Findings
from host.lines import Line
from host.metrics import GROUPS
from host.paper import paper
from host.plots import plots
from host.report import measures
from host.rows import Row

__all__ = ["html_of", "write_html"]

PAGES = Path(__file__).with_name("pages")


@dataclass(frozen=True)
class TaskRow:
    """A task as a line has it."""

    name: str
    application: str
    useful: int
    feasible: bool
    beneficial: bool
    trials: tuple[tuple[Row, str], ...]
    """The last row of each trial, and a link to its directory."""


def write_html(lines: Sequence[Line], beside: Findings, path: Path) -> None:
    """Write the whole report into one file."""
    path.write_text(html_of(lines, beside, path.parent), encoding="utf-8")


def html_of(lines: Sequence[Line], beside: Findings, folder: Path) -> str:
    """The report as it lies in this directory; the same for the same rows."""
    environment = Environment(
        loader=FileSystemLoader(PAGES),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        name: getattr(words, name) for name in words.__all__ if callable(getattr(words, name))
    }
    drawn = [(plot, Markup(plot.svg)) for plot in plots(lines)]
    return environment.get_template("report.html").render(
        lines=lines,
        suites=sorted({Path(line.config.suite).name for line in lines}),
        beside=beside,
        groups=GROUPS,
        drawn=drawn,
        measures=[measures(line) for line in lines],
        tasks=[_tasks(line, folder) for line in lines],
        measured=[_measured(line) for line in lines],
        paper=paper(),
        misprints=[
            each for each in paper().misprints if each.model in {row.model for row in beside.paper}
        ],
    )


def _tasks(line: Line, folder: Path) -> list[TaskRow]:
    latest: dict[tuple[str, int], Row] = {}
    for row in line.rows:
        latest[row.task, row.trial] = row
    found: dict[str, list[Row]] = {}
    for key in sorted(latest):
        found.setdefault(key[0], []).append(latest[key])
    return [
        TaskRow(
            name=task,
            application=rows[0].domain,
            useful=len(rows[0].useful_tools),
            feasible=rows[0].feasible,
            beneficial=rows[0].tool_beneficial,
            trials=tuple((row, _link(line.run / row.folder, folder)) for row in rows),
        )
        for task, rows in found.items()
    ]


def _link(trial: Path, folder: Path) -> str:
    return quote(os.path.relpath(trial, folder)) + "/"


def _forked(said: RunConfig) -> str:
    if said.fork is None:
        return "none"
    steps = ", ".join(f"{each.trial} step {each.step}" for each in said.fork.branches)
    hand = f"; {said.fork.hand} only, {said.fork.lasting}" if said.fork.hand else ""
    hint = f"; hint: {said.fork.hint}" if said.fork.hint else ""
    return f"{said.fork.run}: {steps}{hand}{hint}"


def _measured(line: Line) -> dict[str, str]:
    said, rows = line.config, line.rows
    limits, exposure = said.limits, said.exposure
    cost = "none" if limits.cost is None else f"{limits.cost:g} USD"
    shown = exposure.model_dump(exclude_defaults=True)
    return {
        "run": str(line.run),
        "suite": f"{Path(said.suite).name}, {len(said.tasks)} tasks, {said.runs} trials of each",
        "agent": line.agent,
        "model": said.model.name if said.model else "none",
        "dialect": said.model.dialect if said.model else "none",
        "condition": said.condition,
        "exposure": ", ".join(f"{key} {value}" for key, value in shown.items()) or "all tools",
        "limits": f"{limits.steps} steps, {limits.seconds:g} s, cost {cost},"
        f" {limits.malformed} malformed answers in a row",
        "checkpoints": ", ".join(map(str, said.checkpoints)) or "none",
        "forked from": _forked(said),
        "begun": min(row.started for row in rows),
        "Ambidex": said.version,
        "configuration": said.hash,
        "code": ", ".join(sorted({row.code for row in rows})),
        "image": said.image or "none",
        "provider": said.provider or "none",
        "screen": ", ".join(sorted({f"{r.screen[0]}×{r.screen[1]}" for r in rows if r.screen})),
        "catalogue of tools": said.catalogue or "none",
        "prompts": said.prompts or "none",
        "prices": said.prices or "none",
    }
