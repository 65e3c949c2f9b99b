"""The detailed tables of a text report: subsets, tool use, repeats, comparisons, paper."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

from ambidex.host.report.comparison import Difference
from ambidex.host.report.findings import Pair
from ambidex.host.report.metrics import GROUPS, Group
from ambidex.host.report.number_format import (
    NONE,
    chance,
    money,
    number,
    percent,
    percents,
    plain,
    signed,
)
from ambidex.host.report.paper import Figures, PaperRow
from ambidex.host.report.released_script import Released
from ambidex.host.report.report_lines import Line
from ambidex.host.report.statistics import Bootstrap, Repeats, Spread
from ambidex.host.report.tool_use import share

__all__ = [
    "CHOICE",
    "HANDS",
    "PAIRS",
    "REPEATS",
    "census_table",
    "choice_table",
    "hands_table",
    "pair_table",
    "paper_table",
    "plain_table",
    "released_table",
    "repeats_table",
    "split_table",
]

CALLED = 15
"""Number of tools shown in the census of calls."""


def split_table(title: str, what: str, lines: Sequence[Line], field: str) -> Table:
    """Accuracy, TIR and ACS by subset of the tasks, one subset per row."""
    table = plain_table(
        title, what, *(line.name for line in lines), caption="accuracy % / TIR % / ACS (trials)"
    )
    parts = [{part.name: part for part in _parts(line, field)} for line in lines]
    for name in dict.fromkeys(part.name for line in lines for part in _parts(line, field)):
        table.add_row(name, *(_three(by_name.get(name)) for by_name in parts))
    return table


def _parts(line: Line, field: str) -> Sequence[Group]:
    parts: Sequence[Group] = getattr(line.summary, field)
    return parts


def _three(part: Group | None) -> str:
    if part is None:
        return NONE
    return f"{percent(part.accuracy)} / {percent(part.tir)} / {number(part.acs)} ({part.n})"


CHOICE = (
    "use: trials with any tool call; given opportunity: of the trials in which a useful tool was on"
    " offer, those that called one; errors, wasted (errors and repeats): of tool calls;"
    " distractors: of tool calls where the task names useful tools, those of others;"
    " tool calls and GUI actions: per solved trial"
)


def choice_table(line: Line) -> Table:
    """Tool use by group of tasks."""
    table = plain_table(
        f"Tool use in {line.name}",
        *("tasks", "use %", "given opportunity %", "errors %", "wasted %", "distractors %"),
        *("tool calls", "GUI actions"),
    )
    for group in line.summary.groups:
        c = group.choice
        table.add_row(
            group.name,
            percent(c.use),
            f"{percent(c.use_given_opportunity)} ({c.taken}/{c.opportunities})",
            percent(c.tool_error_rate),
            percent(c.wasted_rate),
            percent(c.distractor_rate),
            number(c.tool_calls_per_solved),
            number(c.gui_calls_per_solved),
        )
    return table


HANDS = (
    "score: mean, partial credit included; searches, calls and distinct tools found: per trial;"
    " recall: of the task's useful tools, those found; failed: of tool calls; collateral: changes"
    " in services that no check asks for, per trial, and in brackets how many of the solved trials"
    " had some"
)


def hands_table(lines: Sequence[Line]) -> Table:
    """TheMCPCompany's table: the same tasks by GUI, by tools that were searched, by named tools."""
    table = plain_table("By the way to the tools", "", *(line.name for line in lines))
    columns = [_hands(line) for line in lines]
    for name in columns[0]:
        table.add_row(name, *(column[name] for column in columns))
    return table


def _hands(line: Line) -> dict[str, str]:
    every = line.summary.groups[-1]
    search, other, cost = every.searching, every.collateral, line.summary.cost
    changes = f"{number(other.changes)} ({other.solved_with}/{other.solved})"
    return {
        "tools": "none" if line.config.condition == "gui" else line.config.exposure.policy,
        "score %": percent(every.score),
        "success %": percent(every.accuracy),
        "cost per trial": NONE if cost is None or not every.n else money(cost / every.n),
        "searches": number(search.searches),
        "words of a query": number(search.words),
        "tools found": number(search.found),
        "recall of useful tools %": percent(search.recall),
        "tool calls": number(share(every.choice.tool_calls, every.n)),
        "failed %": percent(every.choice.tool_error_rate),
        "TIR %": percent(every.tir),
        "ACS": number(every.acs),
        "collateral": changes if other.trials else NONE,
    }


def census_table(line: Line) -> Table:
    """The most called tools, and the number of tools that were never called."""
    names = ("tool", "app", "calls", "errors", "repeats", "trials called", "trials offered")
    never = len(line.summary.unused)
    table = plain_table(
        f"Tools called in {line.name}",
        *names,
        left=2,
        caption=f"{len(line.summary.census) - never} called, {never} on offer and never called",
    )
    for use in [use for use in line.summary.census if use.calls][:CALLED]:
        counts = (use.calls, use.errors, use.repeats, use.called_in, use.offered_in)
        table.add_row(use.tool, use.app, *map(str, counts))
    return table


REPEATS = (
    "over complete repeats: mean and sample standard deviation, 95 % intervals by the normal"
    " distribution (as the paper has them) and by Student's t; bootstrap: 95 %, tasks drawn with"
    " replacement, all trials of a task together"
)


def repeats_table(line: Line, own: Sequence[Repeats], drawn: Sequence[Bootstrap]) -> Table:
    """Mean and standard deviation over repeats, with the three kinds of interval."""
    complete = f"{own[-1].complete} of {own[-1].begun}"
    table = plain_table(
        f"Repeats of {line.name}, {complete} complete",
        *("tasks", "number", "mean ± sd", "normal", "t", "bootstrap"),
        left=2,
    )
    for group, resampled in zip(own, drawn, strict=True):
        for name, label in (("accuracy", "accuracy %"), ("tir", "TIR %"), ("acs", "ACS")):
            spread: Spread = getattr(group, name)
            scale, interval = (1, plain) if name == "acs" else (100, percents)
            mean = NONE if spread.mean is None else f"{scale * spread.mean:.1f}"
            table.add_row(
                group.name if name == "accuracy" else "",
                label,
                mean if spread.sd is None else f"{mean} ± {scale * spread.sd:.1f}",
                interval(spread.normal),
                interval(spread.t),
                interval(getattr(resampled, name)),
                end_section=name == "acs",
            )
    return table


PAIRS = (
    "A−B with its 95 % interval by bootstrap over tasks; differ: tasks on which they do; p: exact"
    " two-sided sign-flip test over tasks (McNemar's, for single trials), not corrected for the"
    " number of pairs; cannot tell: p of 0.05 or more; fewer steps are better"
)


def pair_table(pair: Pair) -> Table:
    """The comparison of two lines that share tasks."""
    comparison = pair.comparison
    table = plain_table(
        f"A: {pair.a.name}\nB: {pair.b.name}",
        *(f"{comparison.tasks} tasks", "A", "B", "A−B", "95 %", "differ", "p", "verdict"),
    )
    numbers: tuple[tuple[str, Difference | None, float], ...] = (
        ("accuracy %", comparison.accuracy, 100),
        ("TIR %", comparison.tir, 100),
        ("steps", comparison.steps, 1),
    )
    for name, d, scale in numbers:
        if d is None:
            continue
        sampled = f" (of {d.samples} samples)" if d.samples else ""
        table.add_row(
            name,
            f"{scale * d.a:.1f}",
            f"{scale * d.b:.1f}",
            signed(scale * d.difference),
            NONE if d.interval is None else _signed(d.interval, scale),
            str(d.differ),
            chance(d.p) + sampled,
            "identical rows" if pair.sameness.same else d.verdict,
        )
    return table


def paper_table(lines: Sequence[Line], rows: Sequence[PaperRow]) -> Table:
    """The paper's figures, followed by ours."""
    table = plain_table(
        "Comparison with the paper",
        *("", "condition", "steps", "n", "tasks", "accuracy %", "TIR %", "ACS"),
        caption="paper: means of three runs over 361 tasks (250 tool-beneficial);"
        " figures from another suite are not comparable",
    )
    for row in rows:
        for name in GROUPS:
            figures: Figures = next(f for key, f in row.groups.items() if key == name)
            table.add_row(
                f"paper: {row.model}" if name == GROUPS[0] else "",
                row.condition,
                str(row.steps),
                "",
                name,
                number(figures.accuracy),
                number(figures.tir),
                number(figures.acs),
                end_section=name == GROUPS[-1],
            )
    for line in lines:
        for group in line.summary.groups:
            table.add_row(
                line.name if group.name == GROUPS[0] else "",
                line.condition,
                str(line.cap),
                str(group.n),
                group.name,
                percent(group.accuracy),
                percent(group.tir),
                number(group.acs),
                end_section=group.name == GROUPS[-1],
            )
    return table


def released_table(lines: Sequence[Line], released: Sequence[Sequence[Released]]) -> Table:
    """The released script's metrics."""
    table = plain_table(
        "As the released script computes them",
        *("run", "tasks", "listed", "accuracy %", "TIR %", "ACS"),
        left=2,
        caption="accuracy: mean score of the results found; solved: the score's text has a 1;"
        " TIR: over the full lists",
    )
    for line, groups in zip(lines, released, strict=True):
        for group in groups:
            table.add_row(
                line.name if group is groups[0] else "",
                group.name,
                str(group.listed),
                percent(group.accuracy),
                percent(group.tir),
                number(group.acs),
                end_section=group is groups[-1],
            )
    return table


def _signed(interval: tuple[float, float], scale: float) -> str:
    return f"{signed(scale * interval[0])} to {signed(scale * interval[1])}"


def plain_table(title: str, *columns: str, left: int = 1, caption: str = "") -> Table:
    """An empty table; its first `left` columns are aligned left, the others right."""
    table = Table(
        title=Text(title), title_justify="left", caption=caption or None, caption_justify="left"
    )
    for at, name in enumerate(columns):
        # Fold long names: a truncated one could be mistaken for another line's.
        side: JustifyMethod = "left" if at < left else "right"
        table.add_column(name, justify=side, overflow="fold", no_wrap=name == "tasks")
    return table
