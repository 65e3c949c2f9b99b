"""The report of one or more runs: tables for a terminal, the same numbers as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Group as Together
from rich.console import RenderableType
from rich.table import Table

from host.config import RunConfig, read_config
from host.metrics import GROUPS, Summary, summarize
from host.rows import Row, read_rows
from host.score import read_rescored

__all__ = ["Line", "as_json", "lines", "tables"]


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
            planned = len(config.tasks) * config.runs
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
    parts.append(
        "Accuracy: share of trials with a score of 1, and its 95 % interval. TIR: share solved with"
        " a tool where tools help\nand without one elsewhere. ACS: mean steps, all scored trials."
        " n: scored trials; void ones are none."
    )
    return Together(*parts)


def _metrics(found: Sequence[Line]) -> Table:
    table = Table(title="Accuracy, TIR and ACS", title_justify="left")
    for name in ("run", "agent", "condition", "steps"):
        table.add_column(name)
    for name in ("tasks", "n", "accuracy %", "TIR %", "ACS"):
        table.add_column(name, justify="left" if name == "tasks" else "right")
    for line in found:
        for group in line.summary.groups:
            first = group.name == GROUPS[0]
            table.add_row(
                *(_identity(line) if first else ("", "", "", "")),
                group.name,
                str(group.n),
                _percent(group.accuracy, group.interval),
                _percent(group.tir),
                "–" if group.acs is None else f"{group.acs:.1f}",
                end_section=group.name == GROUPS[-1],
            )
    return table


def _trials(found: Sequence[Line]) -> Table:
    table = Table(title="Trials", title_justify="left")
    for name in (
        "run",
        "agent",
        "scored",
        "void",
        "bug",
        "infeasible seen",
        "wrongly so",
        "ended by",
    ):
        table.add_column(name)
    for name in ("tools (failed)", "GUI (failed)", "harness / settle / guest / model s"):
        table.add_column(name, justify="right")
    for line in found:
        s = line.summary
        parts = ("harness", "settle", "guest", "model")
        table.add_row(
            line.run.name,
            _agent(line),
            f"{s.groups[-1].n}/{line.planned}",
            str(s.void),
            str(s.bugs),
            f"{s.recognized}/{s.infeasible}",
            str(s.wrongly_infeasible),
            ", ".join(f"{stop} {count}" for stop, count in sorted(s.stops.items())),
            f"{s.tool_calls} ({s.tool_errors})",
            f"{s.gui_calls} ({s.gui_errors})",
            " / ".join(f"{s.seconds.get(part, 0.0):.1f}" for part in parts),
        )
    return table


def _failures(line: Line) -> Table:
    table = Table(title=f"Without a score in {line.run.name}", title_justify="left")
    for name in ("task", "trial", "attempt", "fate", "why"):
        table.add_column(name)
    for row in line.rows:
        if row.failure:
            why = f"{row.failure.type}: {row.failure.message}"
            table.add_row(row.task, str(row.trial), str(row.attempt), row.fate, why)
    return table


def _identity(line: Line) -> tuple[str, str, str, str]:
    config = line.config
    return (line.run.name, _agent(line), config.condition, str(config.limits.steps))


def _agent(line: Line) -> str:
    model = line.config.model
    return model.name if model and line.agent == "model" else line.agent


def _percent(value: float | None, interval: tuple[float, float] | None = None) -> str:
    if value is None:
        return "–"
    said = f"{100 * value:.1f}"
    return f"{said} [{100 * interval[0]:.0f}, {100 * interval[1]:.0f}]" if interval else said
