"""The page of a counterfactual run: both modalities at each decision, as one HTML file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ambidex.host.loop.branch_point import start_of
from ambidex.host.records.config import Modality
from ambidex.host.records.recorded_steps import describe_steps
from ambidex.host.records.rows import Row
from ambidex.host.report.html_page import link, page, run_facts
from ambidex.host.report.report_lines import Line, lines
from ambidex.host.travel.counterfactual import HANDS
from ambidex.host.travel.regret import ComparedDecision, Regret
from ambidex.host.travel.regret_plot import modality_plot
from ambidex.host.travel.tables import NUMBERS, ratio

__all__ = ["write_regret"]


@dataclass(frozen=True)
class DecisionRow:
    """One decision, as the page lists it."""

    decision: ComparedDecision
    done: str
    """The calls of the recorded step, in words."""
    link: str
    """URL of the recorded trial."""
    branches: Mapping[Modality, tuple[tuple[Row, str], ...]]
    """The last row of each branch by modality, and a link to the branch's directory."""


def write_regret(
    run: Path,
    branches: Path,
    compared: Sequence[ComparedDecision],
    regrets: Sequence[Regret],
    path: Path,
) -> None:
    """Write the results of `counterfactual` for a run into one file; `branches` is the directory
    with the run of each modality."""
    agent = start_of(run / compared[0].trial)["agent"]
    lines_by_hand = {hand: _line(branches / hand, agent) for hand in HANDS}
    every = [_line(run, agent), *lines_by_hand.values()]
    path.write_text(
        page(
            "regret.html",
            run=run.resolve().name,
            lines=every,
            facts=[run_facts(line) for line in every],
            decisions=list(_decision_rows(run, compared, lines_by_hand, path.parent)),
            dear=any(decision.gui.cost or decision.tools.cost for decision in compared),
            regrets=regrets,
            numbers=NUMBERS,
            ratio=ratio,
            plot=modality_plot(compared),
        ),
        encoding="utf-8",
    )


def _line(run: Path, agent: str) -> Line:
    """The run's line at its limit on steps. Branches in which a person helped are included, as they
    are in the metrics."""
    [match] = [
        line
        for line in lines([run], assisted=True)
        if line.agent == agent and line.cap == line.config.limits.steps
    ]
    return match


def _decision_rows(
    run: Path,
    compared: Sequence[ComparedDecision],
    lines_by_hand: Mapping[Modality, Line],
    folder: Path,
) -> Iterator[DecisionRow]:
    done = {
        trial: describe_steps(run / trial) for trial in {decision.trial for decision in compared}
    }
    rows: dict[tuple[Modality, str, int], dict[int, tuple[Row, str]]] = {}
    for hand, line in lines_by_hand.items():
        for row in line.rows:
            if row.parent:
                own = rows.setdefault((hand, row.parent.trial, row.parent.step), {})
                own[row.trial] = row, link(line.run / row.folder, folder)
    for decision in compared:
        branches = {
            hand: tuple(rows.get((hand, decision.trial, decision.step), {}).values())
            for hand in HANDS
        }
        where = link(run / decision.trial, folder)
        yield DecisionRow(decision, done[decision.trial][decision.step], where, branches)
