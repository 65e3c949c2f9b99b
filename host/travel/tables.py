"""Tables of what came of going back: branches, decisions, what was lost at them, and the pivot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from ambidex.host.client.survey import Change
from ambidex.host.report.number_format import NONE, money, number, plain
from ambidex.host.travel.pivot import Pivot
from ambidex.host.travel.regret import Decided, Outcome, Ratio, Regret

__all__ = [
    "NUMBERS",
    "REGRET",
    "change_table",
    "decided_table",
    "pivot_table",
    "ratio",
    "regret_table",
]

REGRET = (
    "oracle TIR: of the decisions with a better hand, the share in which it was taken; over-use: a"
    " tool was called and the GUI was better; under-use: the other way round; lost: by the hand"
    " that was taken against the better one; success over all decisions, the others where both"
    " hands led to success equally often; 95 % intervals from resampling tasks"
)

NUMBERS = (
    ("oracle TIR %", "oracle_tir", 100),
    ("over-use of tools %", "over_use", 100),
    ("under-use of tools %", "under_use", 100),
    ("success lost %", "success", 100),
    ("steps lost", "steps", 1),
    ("seconds lost", "seconds", 1),
    ("US cents lost", "cost", 100),
)
"""What each is called, its field in `Regret`, and the factor that it is written with."""


def decided_table(found: Sequence[Decided]) -> Table:
    """Each decision: what was taken, what each hand comes to, and which is better."""
    table = Table(title="Both hands at each decision", title_justify="left")
    for name in ("trial", "step", "taken", "GUI", "tools", "better"):
        table.add_column(name, overflow="fold", no_wrap=name == "trial")
    for each in found:
        missed = each.better not in (None, each.used)
        better = each.better or "no difference"
        unknown = not (each.gui.n and each.tools.n)
        table.add_row(
            each.trial,
            str(each.step),
            each.used,
            _outcome(each.gui),
            _outcome(each.tools),
            NONE if unknown else better,
            style="yellow" if missed and not unknown else "",
        )
    return table


def regret_table(found: Sequence[Regret]) -> Table:
    """What was lost, by group of tasks."""
    table = Table(title="Choice of the hand", title_justify="left")
    table.add_column("")
    for each in found:
        table.add_column(f"{each.name}\n{each.decisions} decisions, {each.tasks} tasks")
    for name, field, scale in NUMBERS:
        table.add_row(name, *(_ratio(getattr(each, field), scale) for each in found))
    return table


def pivot_table(found: Pivot, done: Mapping[int, str]) -> Table:
    """What was tried; `done` is what the recorded episode did in each step, in words."""
    if found.last is None:
        title = "Not even from the first step was it solved"
    elif found.lost is None:
        title = f"It could still be solved from step {found.last}, the last that was kept"
    else:
        title = f"The chance was lost between step {found.last} and step {found.lost}"
    table = Table(title=Text(title), title_justify="left")
    for name in ("from step", "solved", "what was done in it"):
        table.add_column(name)
    for probe in sorted(found.probes, key=lambda probe: probe.step):
        style = "bold" if probe.step == found.last else ""
        said = done.get(probe.step, "")
        table.add_row(str(probe.step), f"{probe.solved} of {probe.n}", Text(said), style=style)
    return table


def change_table(found: Sequence[Change], before: int, after: int) -> Table:
    """What is another way before one step than before another."""
    title = f"From before step {before} to before step {after}: {len(found)} differences"
    table = Table(title=title, title_justify="left")
    for name in ("", "what", "how"):
        table.add_column(name, overflow="fold")
    for each in found:
        table.add_row(each.kind, Text(each.what), Text(each.how))
    return table


def ratio(found: Ratio, scale: float) -> tuple[str, str]:
    """The number and its interval."""
    if found.value is None:
        return NONE, NONE
    ends = found.interval and (scale * found.interval[0], scale * found.interval[1])
    return number(scale * found.value), plain(ends)


def _outcome(found: Outcome) -> str:
    if not found.n:
        return NONE
    cost = "" if not found.cost else f", {money(found.cost)}"
    solved = round(found.success * found.n)
    return f"{solved} of {found.n}, {number(found.steps)} steps, {number(found.seconds)} s{cost}"


def _ratio(found: Ratio, scale: float) -> str:
    value, between = ratio(found, scale)
    return value if found.value is None else f"{value} ({between}) of {found.over}"
