"""The report of one or more runs: tables for a terminal, the same numbers as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Group as Together
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ambidex.host.report.findings import Findings, find
from ambidex.host.report.metrics import GROUPS, PARTS, Summary
from ambidex.host.report.number_format import NONE, money, number, percent, percents
from ambidex.host.report.report_lines import Line, lines
from ambidex.host.report.tables import (
    CHOICE,
    PAIRS,
    REPEATS,
    census_table,
    choice_table,
    pair_table,
    paper_table,
    passes_table,
    released_table,
    repeats_table,
    split_table,
)

__all__ = ["Line", "as_json", "lines", "measures", "tables"]


def as_json(found: Sequence[Line], beside: Findings | None = None) -> list[dict[str, Any]]:
    """The numbers, one object per line; a pair is told with its first line."""
    beside = beside or find(found)
    return [
        {
            "run": str(line.run),
            "agent": line.agent,
            "model": line.config.model.name if line.config.model else None,
            "condition": line.config.condition,
            "steps": line.cap,
            "planned": line.planned,
            "assisted": line.assisted,
            **asdict(line.summary),
            "repeats": [asdict(each) for each in beside.repeats[at]],
            "bootstrap": [asdict(each) for each in beside.bootstraps[at]],
            "released": [asdict(each) for each in beside.released[at]] if beside.released else None,
            "against": [
                {
                    "run": str(pair.b.run),
                    "agent": pair.b.agent,
                    "steps": pair.b.cap,
                    **asdict(pair.comparison),
                    "identical": asdict(pair.sameness),
                }
                for pair in beside.pairs
                if pair.a is line
            ],
            "paper": [
                row.model_dump() for row in beside.paper if line.paper_model in (None, row.model)
            ],
        }
        for at, line in enumerate(found)
    ]


def tables(found: Sequence[Line], beside: Findings | None = None) -> RenderableType:
    """The tables of `ambidex report`."""
    return Together(*_parts(found, beside or find(found)))


def _parts(found: Sequence[Line], beside: Findings) -> Iterator[RenderableType]:
    yield _metrics(found)
    yield from (Text(line.warning, style="bold red") for line in found if line.warning)
    if beside.released:
        yield released_table(found, beside.released)
    if _several(found, "domains"):
        yield split_table("By application", "application", found, "domains")
    if _several(found, "useful"):
        yield split_table("By number of useful tools", "useful tools", found, "useful")
    yield from map(choice_table, found)
    yield _note(CHOICE)
    # At a checkpoint the census is the beginning of the one at the limit.
    full = [line for line in found if line.cap == line.config.limits.steps]
    yield from (census_table(line) for line in full if line.summary.tool_calls)
    if any(len(line.summary.at_k) > 1 for line in found):
        yield passes_table(found)
        yield from map(repeats_table, found, beside.repeats, beside.bootstraps)
        yield _note(REPEATS)
    if beside.pairs:
        yield from map(pair_table, beside.pairs)
        yield _note(PAIRS)
    for pair in beside.pairs:
        if pair.sameness.same:
            yield Text(
                f"{pair.a.name} and {pair.b.name}: the rows of {pair.sameness.trials} trials are"
                " identical in everything but time, place and attempt."
            )
    if beside.correlation:
        c = beside.correlation
        yield Text(
            f"TIR with accuracy over {c.n} lines: Pearson {c.pearson:.2f},"
            f" Spearman {c.spearman:.2f} (TIR is bounded by accuracy)."
        )
    if beside.paper:
        yield paper_table(found, beside.paper)
    yield _trials(found)
    yield from (_failures(line) for line in full if line.summary.unscored or line.summary.bugs)


def _twice(s: Summary) -> str:
    """How OSWorld's own verdicts compare with those where its defects are mended."""
    if not s.judged_twice:
        return "–"
    return f"{s.differ} of {s.judged_twice}, {s.strictly_solved}"


def _note(said: str) -> Text:
    return Text(f"{said}\n", style="italic dim")


def _several(found: Sequence[Line], field: str) -> bool:
    return any(len(getattr(line.summary, field)) > 1 for line in found)


def _metrics(found: Sequence[Line]) -> Table:
    table = Table(
        title="Accuracy, TIR and ACS",
        title_justify="left",
        caption="accuracy: share of scored trials (n) with a score of 1, and its 95 % interval"
        " (Wilson's); in brackets what it would be if the trials without a score had failed;"
        " TIR: share solved, with a tool where tools help, without one elsewhere; ACS: mean steps",
        caption_justify="left",
    )
    table.add_column("run")
    table.add_column("tasks", no_wrap=True)
    for name in ("n", "accuracy %", "95 %", "TIR %", "ACS"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in found:
        about = (line.run.name, line.player, f"{line.config.condition}, {line.cap} steps")
        for said, group in zip(about, line.summary.groups, strict=True):
            table.add_row(
                said,
                group.name,
                str(group.n),
                f"{percent(group.accuracy)} ({percent(group.worst)})",
                percents(group.interval),
                percent(group.tir),
                number(group.acs),
                end_section=group.name == GROUPS[-1],
            )
    return table


def _trials(found: Sequence[Line]) -> Table:
    table = Table(title="Trials", title_justify="left")
    table.add_column("")
    for line in found:
        table.add_column(line.name, justify="right")
    said = [measures(line) for line in found]
    for name in said[0] if said else ():
        table.add_row(name, *(each[name] for each in said))
    return table


def measures(line: Line) -> dict[str, str]:
    """What a line's numbers rest on and what it took, in words."""
    s = line.summary
    feasible = s.feasible
    asked = s.requests or s.input_tokens
    return {
        "scored of planned": f"{s.groups[-1].n}/{line.planned}",
        "left out: a person helped": str(line.assisted),
        "without a score": f"{s.unscored} ({percent(s.lost)} %)",
        "scored 0: failed twice after the agent had acted": str(s.forfeits),
        "the agent could become root": str(s.root),
        "void attempts": str(s.void),
        "bugs": str(s.bugs),
        "mean score %": percent(s.groups[-1].score),
        "accuracy without infeasible tasks %": f"{percent(feasible.accuracy)} of {feasible.n}",
        "infeasible tasks recognized": f"{s.recognized}/{s.infeasible}",
        "feasible tasks called infeasible": str(s.wrongly_infeasible),
        "left out: tasks that cannot run here": str(len(line.config.left_out)),
        "two verdicts: differ, strictly solved": _twice(s),
        "ended by": ", ".join(f"{stop} {count}" for stop, count in sorted(s.stops.items())),
        "tool calls (with an error)": f"{s.tool_calls} ({s.tool_errors})",
        "GUI actions (with an error)": f"{s.gui_calls} ({s.gui_errors})",
        "malformed answers": str(s.malformed),
        "requests (sent again)": f"{s.requests} ({s.retries})",
        "tokens in / cached / out": f"{s.input_tokens} / {s.cached_tokens} / {s.output_tokens}",
        "cost": money(s.cost) if asked else NONE,
        **{f"seconds in {part}": number(s.seconds.get(part)) for part in PARTS},
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
