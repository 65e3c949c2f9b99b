"""The report of one or more runs: tables for a terminal, the same numbers as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Group as Together
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from host.config import RunConfig, read_config
from host.metrics import GROUPS, Summary, summarize
from host.rows import Row, read_rows
from host.score import read_rescored

__all__ = ["Line", "as_json", "lines", "tables"]

PARTS = ("revert", "setup", "model", "guest", "settle", "harness", "collect", "judge")
"""Where the time of a trial goes, in order."""


@dataclass(frozen=True)
class Line:
    """One agent of one run."""

    run: Path
    agent: str
    config: RunConfig
    planned: int
    """Trials that the run's configuration asks for."""
    rows: tuple[Row, ...]
    summary: Summary


def lines(runs: Iterable[Path], *, rescored: bool = False) -> list[Line]:
    """What there is to report; `UsageError` where a directory is no run."""
    found = []
    for run in runs:
        config = read_config(run)
        rows = read_rescored(run) if rescored else read_rows(run)
        for agent in sorted({row.agent for row in rows}):
            own = tuple(row for row in rows if row.agent == agent)
            # A proof has several agents, and not each of them plays every task.
            alone = len(config.agents) == 1
            planned = len(config.tasks) * config.runs if alone else len({row.key for row in own})
            found.append(Line(run, agent, config, planned, own, summarize(own)))
    return found


def as_json(found: Sequence[Line]) -> list[dict[str, Any]]:
    """The numbers, one object per agent and run."""
    return [
        {
            "run": str(line.run),
            "agent": line.agent,
            "model": line.config.model.name if line.config.model else None,
            "condition": line.config.condition,
            "steps": line.config.limits.steps,
            "planned": line.planned,
            **asdict(line.summary),
        }
        for line in found
    ]


def tables(found: Sequence[Line]) -> RenderableType:
    """The tables of `ambidex report`."""
    parts: list[RenderableType] = [_metrics(found), _trials(found)]
    parts += [_failures(line) for line in found if line.summary.unscored or line.summary.bugs]
    return Together(*parts)


def _metrics(found: Sequence[Line]) -> Table:
    table = Table(
        title="Accuracy, TIR and ACS",
        title_justify="left",
        caption="accuracy: share of scored trials (n) with a score of 1, and its 95 % interval;"
        " TIR: share solved, with a tool where tools help, without one elsewhere; ACS: mean steps",
        caption_justify="left",
    )
    table.add_column("run")
    table.add_column("tasks", no_wrap=True)
    for name in ("n", "accuracy %", "95 %", "TIR %", "ACS"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in found:
        condition, steps = line.config.condition, line.config.limits.steps
        about = (line.run.name, _agent(line), f"{condition}, {steps} steps")
        for said, group in zip(about, line.summary.groups, strict=True):
            table.add_row(
                said,
                group.name,
                str(group.n),
                _percent(group.accuracy),
                _range(group.interval),
                _percent(group.tir),
                "–" if group.acs is None else f"{group.acs:.1f}",
                end_section=group.name == GROUPS[-1],
            )
    return table


def _trials(found: Sequence[Line]) -> Table:
    table = Table(title="Trials", title_justify="left")
    table.add_column("")
    for line in found:
        table.add_column(f"{line.run.name} {_agent(line)}", justify="right")
    measures = [_measures(line) for line in found]
    for name in measures[0] if measures else ():
        table.add_row(name, *(each[name] for each in measures))
    return table


def _measures(line: Line) -> dict[str, str]:
    s = line.summary
    cost = "unknown" if s.cost is None else f"{s.cost:.2f} USD"
    return {
        "scored of planned": f"{s.groups[-1].n}/{line.planned}",
        "void attempts": str(s.void),
        "bugs": str(s.bugs),
        "infeasible tasks recognized": f"{s.recognized}/{s.infeasible}",
        "feasible tasks called infeasible": str(s.wrongly_infeasible),
        "ended by": ", ".join(f"{stop} {count}" for stop, count in sorted(s.stops.items())),
        "tool calls (with an error)": f"{s.tool_calls} ({s.tool_errors})",
        "GUI actions (with an error)": f"{s.gui_calls} ({s.gui_errors})",
        "tokens in / out": f"{s.input_tokens} / {s.output_tokens}",
        "cost": cost if s.input_tokens else "–",
        **{f"seconds in {part}": f"{s.seconds.get(part, 0.0):.1f}" for part in PARTS},
    }


def _failures(line: Line) -> Table:
    table = Table(title=f"Without a score in {line.run.name}", title_justify="left")
    for name in ("task", "trial", "attempt", "fate", "why"):
        table.add_column(name)
    for row in line.rows:
        if row.failure:
            why = f"{row.failure.type}: {row.failure.message}"
            table.add_row(row.task, str(row.trial), str(row.attempt), row.fate, Text(why))
    return table


def _agent(line: Line) -> str:
    model = line.config.model
    return model.name if model and line.agent == "model" else line.agent


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _range(interval: tuple[float, float] | None) -> str:
    return "–" if interval is None else f"{100 * interval[0]:.0f}–{100 * interval[1]:.0f}"
