"""The tables of a text report about trials and their repeats: failures, means, pass@k."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.table import Table
from rich.text import Text

from ambidex.host.records.causes import brief_cause, cause_of, outcome_of_row
from ambidex.host.report.failure_kinds import Kind
from ambidex.host.report.history import SuiteHistory
from ambidex.host.report.number_format import NONE, money, number, percent, percents, whole
from ambidex.host.report.pass_at_k import Passes
from ambidex.host.report.report_lines import Line
from ambidex.host.report.tables import plain_table
from ambidex.host.terminal import one_line

__all__ = [
    "failures_table",
    "history_table",
    "means_table",
    "outcome_table",
    "passes_table",
    "runs_table",
]

OUTCOMES = {
    "bug": "bold red",
    "void": "yellow",
    "unjudged": "yellow",
    "failed": "red",
    "solved": "green",
}
"""The outcomes of trials in the order of the table, with their styles."""


def outcome_table(lines: Sequence[Line], *, everything: bool) -> Table | None:
    """The trials by outcome, failures with their causes first; the solved ones only if `everything`
    is set. None if there is no such trial."""
    full = [line for line in lines if line.cap == line.config.limits.steps]
    rows = [
        (row, line)
        for line in full
        for row in {row.key: row for row in line.rows}.values()
        if everything or not row.success
    ]
    if not rows:
        return None
    table = Table(title="Trials" if everything else "Not solved", title_justify="left")
    several = len(full) > 1
    for name in (*(("run",) if several else ()), "task", "trial", "outcome"):
        table.add_column(name, overflow="fold")
    table.add_column("cause", overflow="fold", ratio=1)
    order = list(OUTCOMES)
    for row, line in sorted(rows, key=lambda pair: order.index(outcome_of_row(pair[0]))):
        outcome = outcome_of_row(row)
        cause = (cause_of if everything else brief_cause)(row, line.config.limits)
        table.add_row(
            *((line.name,) if several else ()),
            row.task,
            str(row.trial),
            Text(outcome, OUTCOMES[outcome]),
            Text(one_line(cause)),
        )
    return table


def failures_table(lines: Sequence[Line], found: Sequence[Mapping[Kind, int]]) -> Table:
    """Failures by kind: the number, and the share of the line's failures."""
    table = plain_table(
        "Failures by kind",
        "",
        *(line.name for line in lines),
        caption="scored trials that were not solved (% of them); implicit: ended normally with a"
        " wrong end state",
    )
    for kind in Kind:
        if any(kind in counts for counts in found):
            table.add_row(kind.words, *(_part(counts, kind) for counts in found))
    return table


def _part(counts: Mapping[Kind, int], kind: Kind) -> str:
    number_of = counts.get(kind, 0)
    return f"{number_of} ({percent(number_of / sum(counts.values()))})" if number_of else NONE


def means_table(lines: Sequence[Line]) -> Table:
    """What a trial took on average, over all tasks and by application."""
    table = plain_table(
        "Means per scored trial",
        *("run", "tasks", "trials", "turns", "tool calls", "GUI actions", "tokens in", "cached"),
        *("out", "reasoning", "cost", "seconds"),
        left=2,
        caption="turns: steps; cached: of the tokens in; reasoning: of the tokens out;"
        " seconds: of the episode",
    )
    for line in lines:
        for at, group in enumerate(line.summary.parts):
            m = group.means
            table.add_row(
                "" if at else line.name,
                group.name,
                str(group.n),
                *map(number, (group.acs, m.tool_calls, m.gui_calls)),
                *map(whole, (m.input_tokens, m.cached_tokens, m.output_tokens)),
                whole(m.reasoning_tokens),
                money(m.cost),
                number(m.seconds),
                end_section=group is line.summary.parts[-1],
            )
    return table


def runs_table(lines: Sequence[Line], found: Sequence[Sequence[Passes]]) -> Table:
    """pass@1 over runs, with the other metrics for the largest k, by application and over all."""
    table = plain_table(
        "pass@1 over runs",
        *("run", "tasks", "number", "runs", "pass@1 %", "population sd", "sample sd"),
        *("k", "pass@k %", "pass^k %", "avg@k %"),
        left=2,
        caption="pass@1: mean of the success rates of the complete runs, with both standard"
        " deviations of these rates; k: the most scored trials that a task has",
    )
    for line, parts in zip(lines, found, strict=True):
        for part in parts:
            at = part.largest
            table.add_row(
                line.name if part is parts[0] else "",
                part.name,
                str(part.tasks),
                part.runs,
                percent(part.pass_1),
                percent(part.population_sd),
                percent(part.sample_sd),
                *(
                    (str(at.k), *map(percent, (at.pass_any, at.pass_all, at.average)))
                    if at
                    else (NONE,) * 4
                ),
                end_section=part is parts[-1],
            )
    return table


def passes_table(lines: Iterable[Line]) -> Table:
    """pass@k, pass^k and avg@k."""
    table = plain_table("Trials of a task", "run", "k", "tasks", "pass@k %", "pass^k %", "avg@k %")
    for line in lines:
        for at in line.summary.at_k:
            shares = map(percent, (at.pass_any, at.pass_all, at.average))
            table.add_row(line.name if at.k == 1 else "", str(at.k), str(at.tasks), *shares)
    return table


def history_table(history: SuiteHistory) -> Table:
    """The results on a suite by date."""
    table = plain_table(
        f"History of {history.suite}",
        *("began", "line", "condition", "n", "accuracy %", "95 %", "TIR %", "ACS"),
        left=3,
    )
    for result in history.results:
        total = result.total
        table.add_row(
            result.day.isoformat(),
            result.line.name,
            result.line.condition,
            str(total.n),
            percent(total.accuracy),
            percents(total.interval),
            percent(total.tir),
            number(total.acs),
        )
    return table
