"""Both hands at decisions of a run as one HTML file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ambidex.host.loop.branch_point import start_of
from ambidex.host.records.config import Modality
from ambidex.host.records.recorded_steps import describe_steps
from ambidex.host.records.rows import Row
from ambidex.host.report.html_page import link, measured, page
from ambidex.host.report.report_lines import Line, lines
from ambidex.host.travel.counterfactual import HANDS
from ambidex.host.travel.regret import Decided, Regret
from ambidex.host.travel.regret_plot import hands_plot
from ambidex.host.travel.tables import NUMBERS, ratio

__all__ = ["write_regret"]


@dataclass(frozen=True)
class Shown:
    """A decision as the page has it."""

    decided: Decided
    done: str
    """What was done in the recorded step, in words."""
    link: str
    """To the recorded trial."""
    branches: Mapping[Modality, tuple[tuple[Row, str], ...]]
    """The last row of each branch of a hand, and a link to its directory."""


def write_regret(
    run: Path, branches: Path, found: Sequence[Decided], regrets: Sequence[Regret], path: Path
) -> None:
    """Write what `counterfactual` found about a run into one file; `branches` holds the run of each
    hand."""
    agent = start_of(run / found[0].trial)["agent"]
    of_hand = {hand: _line(branches / hand, agent) for hand in HANDS}
    every = [_line(run, agent), *of_hand.values()]
    path.write_text(
        page(
            "regret.html",
            run=run.resolve().name,
            lines=every,
            measured=[measured(line) for line in every],
            decisions=list(_shown(run, found, of_hand, path.parent)),
            dear=any(each.gui.cost or each.tools.cost for each in found),
            regrets=regrets,
            numbers=NUMBERS,
            ratio=ratio,
            plot=hands_plot(found),
        ),
        encoding="utf-8",
    )


def _line(run: Path, agent: str) -> Line:
    """The run at its limit of steps; a branch that a person helped in counts here as it does in the
    numbers."""
    [found] = [
        line
        for line in lines([run], assisted=True)
        if line.agent == agent and line.cap == line.config.limits.steps
    ]
    return found


def _shown(
    run: Path, found: Sequence[Decided], of_hand: Mapping[Modality, Line], folder: Path
) -> Iterator[Shown]:
    done = {trial: describe_steps(run / trial) for trial in {each.trial for each in found}}
    came: dict[tuple[Modality, str, int], dict[int, tuple[Row, str]]] = {}
    for hand, line in of_hand.items():
        for row in line.rows:
            if row.parent:
                own = came.setdefault((hand, row.parent.trial, row.parent.step), {})
                own[row.trial] = row, link(line.run / row.folder, folder)
    for each in found:
        of_each = {
            hand: tuple(came.get((hand, each.trial, each.step), {}).values()) for hand in HANDS
        }
        where = link(run / each.trial, folder)
        yield Shown(each, done[each.trial][each.step], where, of_each)
