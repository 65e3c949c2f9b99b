"""The report of one or more runs, as tables for a terminal or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Group as Together
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ambidex.host.report.findings import Findings, find
from ambidex.host.report.history import histories
from ambidex.host.report.metrics import GROUPS, PARTS, Group, Summary
from ambidex.host.report.number_format import NONE, money, number, percent, percents, whole
from ambidex.host.report.report_lines import Line, lines
from ambidex.host.report.tables import (
    CHOICE,
    HANDS,
    PAIRS,
    REPEATS,
    census_table,
    choice_table,
    hands_table,
    pair_table,
    paper_table,
    released_table,
    repeats_table,
    split_table,
)
from ambidex.host.report.trial_tables import (
    failures_table,
    history_table,
    means_table,
    passes_table,
    runs_table,
)

__all__ = ["Line", "as_json", "headline", "lines", "measures", "tables"]


def as_json(lines: Sequence[Line], findings: Findings | None = None) -> list[dict[str, Any]]:
    """The report as one object per line; a pair's comparison is in the object of its first line."""
    findings = findings or find(lines)
    return [
        {
            "run": str(line.run),
            "agent": line.agent,
            "model": line.config.model.name if line.config.model else None,
            "effort": line.effort or None,
            "condition": line.config.condition,
            "colleagues": line.config.colleagues.model or None,
            "steps": line.cap,
            "planned": line.planned,
            "missing": line.missing,
            "assisted": line.assisted,
            "excluded": line.excluded,
            **asdict(line.summary),
            "repeats": [asdict(result) for result in findings.repeats[at]],
            "failures": dict(findings.failures[at]),
            "passes": [asdict(result) for result in findings.passes[at]],
            "interval_to_quote": asdict(quoted) if (quoted := findings.quoted[at]) else None,
            "bootstrap": [asdict(result) for result in findings.bootstraps[at]],
            "released": [asdict(result) for result in findings.released[at]]
            if findings.released
            else None,
            "against": [
                {
                    "run": str(pair.b.run),
                    "agent": pair.b.agent,
                    "steps": pair.b.cap,
                    **asdict(pair.comparison),
                    "identical": asdict(pair.sameness),
                }
                for pair in findings.pairs
                if pair.a is line
            ],
            "paper": [
                row.model_dump() for row in findings.paper if line.paper_model in (None, row.model)
            ],
        }
        for at, line in enumerate(lines)
    ]


def tables(lines: Sequence[Line], findings: Findings | None = None) -> RenderableType:
    """The tables of `ambidex report`."""
    return Together(*_parts(lines, findings or find(lines)))


def headline(lines: Sequence[Line]) -> RenderableType:
    """The table of metrics, and what must be known before they are published."""
    return Together(*_headline(lines))


def _headline(lines: Sequence[Line]) -> Iterator[RenderableType]:
    yield _metrics(lines)
    yield from (Text(line.warning, style="bold red") for line in lines if line.warning)
    yield from (Text(line.gap, style="red") for line in lines if line.gap)
    yield from (Text(line.exclusion, style="yellow") for line in lines if line.exclusion)
    yield from (Text(line.colleagues) for line in lines if line.colleagues)


def _searched_or_compared(every: Group) -> bool:
    return bool(every.searching.trials or every.collateral.trials)


def _parts(lines: Sequence[Line], findings: Findings) -> Iterator[RenderableType]:
    yield from _headline(lines)
    yield from (Text(f"{run} has no row yet.", style="red") for run in findings.empty)
    if findings.released:
        yield released_table(lines, findings.released)
    if _several(lines, "domains"):
        yield split_table("By application", "application", lines, "domains")
    if _several(lines, "useful"):
        yield split_table("By number of useful tools", "useful tools", lines, "useful")
    yield from map(choice_table, lines)
    yield _note(CHOICE)
    if any(_searched_or_compared(line.summary.groups[-1]) for line in lines):
        yield hands_table(lines)
        yield _note(HANDS)
    # The census of an interim verdict would be the beginning of the one at the limit.
    full = [line for line in lines if line.cap == line.config.limits.steps]
    yield from (census_table(line) for line in full if line.summary.tool_calls)
    yield means_table(lines)
    if any(findings.failures):
        yield failures_table(lines, findings.failures)
    if any(len(line.summary.at_k) > 1 for line in lines):
        yield runs_table(lines, findings.passes)
        yield passes_table(lines)
        yield from map(repeats_table, lines, findings.repeats, findings.bootstraps)
        yield _note(REPEATS)
    if findings.pairs:
        yield from map(pair_table, findings.pairs)
        yield _note(PAIRS)
    for pair in findings.pairs:
        if pair.sameness.same:
            yield Text(
                f"{pair.a.name} and {pair.b.name}: the rows of {pair.sameness.trials} trials are"
                " identical except for time, folder and attempt."
            )
    if findings.correlation:
        c = findings.correlation
        yield Text(
            f"TIR with accuracy over {c.n} lines: Pearson {c.pearson:.2f},"
            f" Spearman {c.spearman:.2f} (TIR is bounded by accuracy)."
        )
    if findings.paper:
        yield paper_table(lines, findings.paper)
    yield from map(history_table, histories(lines))
    yield _trials(lines)
    yield from (_failures(line) for line in full if line.summary.unscored or line.summary.bugs)


def _twice(s: Summary) -> str:
    """How many of OSWorld's own verdicts differ from the strict ones, and how many are strictly
    solved."""
    if not s.judged_twice:
        return "–"
    return f"{s.differ} of {s.judged_twice}, {s.strictly_solved}"


def _note(text: str) -> Text:
    return Text(f"{text}\n", style="italic dim")


def _several(lines: Sequence[Line], field: str) -> bool:
    return any(len(getattr(line.summary, field)) > 1 for line in lines)


def _metrics(lines: Sequence[Line]) -> Table:
    table = Table(
        title="Accuracy, TIR and ACS",
        title_justify="left",
        caption="accuracy: share of scored trials (n) with a score of 1, and its 95 % interval"
        " (Wilson's); in brackets: if the trials without a score had failed;"
        " TIR: share solved, with a tool where tools help, without one elsewhere; ACS: mean steps",
        caption_justify="left",
    )
    table.add_column("run")
    table.add_column("tasks", no_wrap=True)
    for name in ("n", "accuracy %", "95 %", "TIR %", "ACS"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in lines:
        about = (line.run.name, line.player, f"{line.condition}, {line.cap} steps")
        for label, group in zip(about, line.summary.groups, strict=True):
            table.add_row(
                label,
                group.name,
                str(group.n),
                f"{percent(group.accuracy)} ({percent(group.worst)})",
                percents(group.interval),
                percent(group.tir),
                number(group.acs),
                end_section=group.name == GROUPS[-1],
            )
    return table


def _trials(lines: Sequence[Line]) -> Table:
    table = Table(title="Trials", title_justify="left")
    table.add_column("")
    for line in lines:
        table.add_column(line.name, justify="right")
    columns = [measures(line) for line in lines]
    for name in columns[0] if columns else ():
        table.add_row(name, *(column[name] for column in columns))
    return table


def measures(line: Line) -> dict[str, str]:
    """The counts behind a line's metrics, and its time and cost, as text by label."""
    s = line.summary
    feasible = s.feasible
    used_a_model = s.requests or s.input_tokens
    return {
        "scored of planned": f"{s.groups[-1].n}/{line.planned}",
        "left out: a person helped": str(line.assisted),
        "without a score": f"{s.unscored} ({percent(s.lost)} %)",
        "of them unjudged": str(s.unjudged),
        "scored 0: failed twice after the agent had acted": str(s.forfeits),
        "the agent could become root": str(s.root),
        "stage restored": str(s.restored),
        "void attempts": str(s.void),
        "bugs": str(s.bugs),
        "mean score %": percent(s.groups[-1].score),
        "accuracy without infeasible tasks %": f"{percent(feasible.accuracy)} of {feasible.n}",
        "infeasible tasks recognized": f"{s.recognized}/{s.infeasible}",
        "feasible tasks called infeasible": str(s.wrongly_infeasible),
        "left out: tasks that cannot run here": str(len(line.config.left_out)),
        "left out: tasks that a null agent solved": str(len(line.excluded)),
        "two verdicts: differ, strictly solved": _twice(s),
        "ended by": ", ".join(f"{stop} {count}" for stop, count in sorted(s.stops.items())),
        "tool calls (with an error)": f"{s.tool_calls} ({s.tool_errors})",
        "GUI actions (with an error)": f"{s.gui_calls} ({s.gui_errors})",
        "malformed answers": str(s.malformed),
        "requests (retries)": f"{s.requests} ({s.retries})",
        "tokens in / cached / out": f"{s.input_tokens} / {s.cached_tokens} / {s.output_tokens}",
        "reasoning tokens, part of those out": whole(s.reasoning_tokens),
        "cost": money(s.cost) if used_a_model else NONE,
        **{f"seconds in {part}": number(s.seconds.get(part)) for part in PARTS},
    }


def _failures(line: Line) -> Table:
    table = Table(title=f"Without a score in {line.name}", title_justify="left")
    for name in ("task", "trial", "attempt", "fate", "why"):
        table.add_column(name)
    for row in line.rows:
        if row.failure:
            why = f"{row.failure.type}: {row.failure.message}"
            table.add_row(row.task, str(row.trial), str(row.attempt), row.fate, Text(why))
    return table
