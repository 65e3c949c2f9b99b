"""Tables of time travel: compared decisions, regret, the pivot and desktop differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from ambidex.host.client.survey import Change
from ambidex.host.report.number_format import NONE, money, number, plain
from ambidex.host.travel.gateway_regret import ComparedSearch, GatewayRegret
from ambidex.host.travel.pivot import Pivot
from ambidex.host.travel.regret import ComparedDecision, Outcome, Ratio, Regret

__all__ = [
    "GATEWAY_REGRET",
    "NUMBERS",
    "REGRET",
    "change_table",
    "decided_table",
    "gateway_table",
    "pivot_table",
    "ratio",
    "regret_table",
    "searched_table",
]

REGRET = (
    "oracle TIR: of the decisions with a better modality, the share in which it was taken;"
    " over-use: a tool was called and the GUI was better; under-use: the reverse; lost: by taking"
    " one modality instead of the better one; success over all decisions, the others where both"
    " modalities succeeded equally often; 95 % intervals from resampling tasks"
)

GATEWAY_REGRET = (
    "as it was: nothing is changed; in the answer: the task's useful tools come first in the answer"
    " to the search; on offer: they are offered instead of the gateway; lost to the retriever, to"
    " the gateway and to the model: what each of these gains over the one before, and what nothing"
    " gained; searches of unsolved trials; 95 % intervals from resampling tasks"
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
"""The label of each number, its field in `Regret`, and the factor for display."""


def decided_table(decisions: Sequence[ComparedDecision]) -> Table:
    """One row per decision: the modality taken, both outcomes, and the better modality."""
    table = Table(title="GUI against tools at each decision", title_justify="left")
    for name in ("trial", "step", "taken", "GUI", "tools", "better"):
        table.add_column(name, overflow="fold", no_wrap=name == "trial")
    for decision in decisions:
        missed = decision.better not in (None, decision.used)
        better = decision.better or "no difference"
        unknown = not (decision.gui.n and decision.tools.n)
        table.add_row(
            decision.trial,
            str(decision.step),
            decision.used,
            _outcome(decision.gui),
            _outcome(decision.tools),
            NONE if unknown else better,
            style="yellow" if missed and not unknown else "",
        )
    return table


def regret_table(regrets: Sequence[Regret]) -> Table:
    """The regret by group of tasks."""
    table = Table(title="Choice of modality", title_justify="left")
    table.add_column("")
    for group in regrets:
        table.add_column(f"{group.name}\n{group.decisions} decisions, {group.tasks} tasks")
    for name, field, scale in NUMBERS:
        table.add_row(name, *(_ratio(getattr(group, field), scale) for group in regrets))
    return table


def searched_table(searches: Sequence[ComparedSearch]) -> Table:
    """One row per search: the outcome of each way to play on, and what most was lost to."""
    table = Table(title="Searches of unsolved trials", title_justify="left")
    for name in ("trial", "step", "query", "as it was", "in the answer", "on offer", "lost to"):
        table.add_column(name, overflow="fold")
    for search in searches:
        table.add_row(
            search.trial,
            str(search.step),
            Text(search.query),
            _outcome(search.as_it_was),
            _outcome(search.answer),
            _outcome(search.set),
            (search.loss or "nothing") if search.known else NONE,
        )
    return table


def gateway_table(total: GatewayRegret) -> Table:
    """The losses over all searches, in per cent of success."""
    title = f"Success % over {total.searches} searches of {total.tasks} tasks"
    table = Table(title=title, title_justify="left")
    for name in ("as it was", "in the answer", "on offer"):
        table.add_column(name)
    for name in ("retriever", "gateway", "model"):
        table.add_column(f"lost to the {name}")
    found = (total.as_it_was, total.answer, total.set, total.retriever, total.gateway, total.model)
    table.add_row(*(_ratio(each, 100) for each in found))
    return table


def pivot_table(result: Pivot, done: Mapping[int, str]) -> Table:
    """The probes of a pivot search; `done` maps each recorded step to its calls, in words."""
    if result.last is None:
        title = "Not solved from any step, not even the first"
    elif result.lost is None:
        title = f"Still solved from step {result.last}, the last with a checkpoint"
    else:
        title = f"Success was lost between step {result.last} and step {result.lost}"
    table = Table(title=Text(title), title_justify="left")
    for name in ("from step", "solved", "recorded calls"):
        table.add_column(name)
    for probe in sorted(result.probes, key=lambda probe: probe.step):
        style = "bold" if probe.step == result.last else ""
        calls = done.get(probe.step, "")
        table.add_row(str(probe.step), f"{probe.solved} of {probe.n}", Text(calls), style=style)
    return table


def change_table(changes: Sequence[Change], before: int, after: int) -> Table:
    """The desktop's differences between the states before two steps."""
    title = f"From before step {before} to before step {after}: {len(changes)} differences"
    table = Table(title=title, title_justify="left")
    for name in ("", "what", "how"):
        table.add_column(name, overflow="fold")
    for change in changes:
        table.add_row(change.kind, Text(change.what), Text(change.how))
    return table


def ratio(found: Ratio, scale: float) -> tuple[str, str]:
    """A ratio's value and interval, formatted for display."""
    if found.value is None:
        return NONE, NONE
    ends = found.interval and (scale * found.interval[0], scale * found.interval[1])
    return number(scale * found.value), plain(ends)


def _outcome(outcome: Outcome) -> str:
    if not outcome.n:
        return NONE
    cost = "" if not outcome.cost else f", {money(outcome.cost)}"
    solved = round(outcome.success * outcome.n)
    return (
        f"{solved} of {outcome.n}, {number(outcome.steps)} steps, {number(outcome.seconds)} s{cost}"
    )


def _ratio(found: Ratio, scale: float) -> str:
    value, between = ratio(found, scale)
    return value if found.value is None else f"{value} ({between}) of {found.over}"
