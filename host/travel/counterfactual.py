"""Counterfactual runs: at decisions of recorded episodes, try both modalities and compare them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ambidex.host import ToolSpec, is_gui
from ambidex.host.errors import UsageError
from ambidex.host.loop.branch_point import own_checkpointed_steps
from ambidex.host.records.config import Branch, Modality, ModalityScope, read_config
from ambidex.host.records.rows import Row, finished, read_rows
from ambidex.host.records.trajectory import AGENT, read_trajectory
from ambidex.host.report.metrics import GROUPS
from ambidex.host.runs.launch import RunFunction
from ambidex.host.travel.forks import fork_of, rows_from
from ambidex.host.travel.regret import ComparedDecision, Outcome, Regret, outcome, regret

__all__ = ["HANDS", "Decision", "compare", "decisions", "records", "regrets"]

HANDS: tuple[Modality, Modality] = ("gui", "tools")


@dataclass(frozen=True)
class Decision:
    """A step of a recorded trial at which the agent could have used the other modality."""

    row: Row
    step: int
    used: Modality

    @property
    def branch(self) -> Branch:
        """The branch point at which both modalities are tried."""
        return Branch(trial=self.row.folder, step=self.step)


def decisions(
    run: Path, tasks: Sequence[str] = (), steps: Sequence[int] = (), most: int | None = None
) -> list[Decision]:
    """The decisions of a run's scored trials that have a checkpoint and at which both modalities
    were on offer and one was used. A decision with any tool call counts as `tools`.

    `tasks` and `steps` restrict the selection; `most` keeps at most that many decisions per trial,
    evenly spread. Raises `UsageError` if no decision is left.
    """
    if read_config(run).condition != "hybrid":
        raise UsageError(
            f"{run} offered one modality only", hint="Use a run with --condition hybrid."
        )
    selected = []
    for row in finished(read_rows(run)).values():
        if row.assisted or (tasks and row.task not in tasks):
            continue
        own = [decision for decision in _of_trial(run, row) if not steps or decision.step in steps]
        selected += _spread(own, most) if most else own
    if not selected:
        raise UsageError(
            f"no matching decision with a checkpoint in {run}",
            hint="Use scored trials of a run with --checkpoint every and tools on offer.",
        )
    return selected


def compare(
    run: Path,
    selected: Sequence[Decision],
    runs: int,
    lasting: ModalityScope,
    catalogue: Mapping[str, ToolSpec],
    folder: Path,
    play: RunFunction,
) -> list[ComparedDecision]:
    """Start `runs` branches per modality at each of these decisions: two runs in `folder`."""
    branches = [decision.branch for decision in selected]
    requests = {
        hand: fork_of(run, branches, runs, catalogue, hand=hand, lasting=lasting) for hand in HANDS
    }
    outcomes: dict[Modality, dict[tuple[str, int], Outcome]] = {}
    for hand in HANDS:
        rows = play(requests[hand], folder / hand)
        outcomes[hand] = {
            (branch.trial, branch.step): outcome(rows_from(rows, branch)) for branch in branches
        }
    return [
        ComparedDecision(
            trial=decision.row.folder,
            task=decision.row.task,
            tool_beneficial=decision.row.tool_beneficial,
            step=decision.step,
            used=decision.used,
            gui=outcomes["gui"][decision.row.folder, decision.step],
            tools=outcomes["tools"][decision.row.folder, decision.step],
        )
        for decision in selected
    ]


def regrets(compared: Sequence[ComparedDecision]) -> list[Regret]:
    """The regret of each group of tasks that has decisions."""
    values = {"tool-beneficial": (True,), "other": (False,), "all": (True, False)}
    groups = [
        (name, [decision for decision in compared if decision.tool_beneficial in values[name]])
        for name in GROUPS
    ]
    return [regret(name, own) for name, own in groups if own]


def records(run: Path, compared: Sequence[ComparedDecision]) -> list[dict[str, Any]]:
    """One flat record per decision, always with the same keys in the same order."""
    return [_record(run, decision) for decision in compared]


def _record(run: Path, decision: ComparedDecision) -> dict[str, Any]:
    known = bool(decision.gui.n and decision.tools.n)
    return {
        "run": str(run),
        "trial": decision.trial,
        "task": decision.task,
        "tool_beneficial": decision.tool_beneficial,
        "step": decision.step,
        "used": decision.used,
        **{f"gui_{key}": value for key, value in asdict(decision.gui).items()},
        **{f"tools_{key}": value for key, value in asdict(decision.tools).items()},
        "better": decision.better if known else None,
        "even": decision.even if known else None,
        "success_lost": decision.success_lost if known else None,
        "steps_lost": decision.steps_lost if known and decision.even else None,
        "seconds_lost": decision.seconds_lost if known and decision.even else None,
        "cost_lost": decision.cost_lost if known and decision.even else None,
    }


def _of_trial(run: Path, row: Row) -> Iterator[Decision]:
    trial = run / row.folder
    kept = own_checkpointed_steps(trial)
    offers: dict[str, list[str]] = {}
    for line in read_trajectory(trial):
        if line["kind"] == "offer":
            offers[line["name"]] = line["tools"]
        if line["kind"] != "step" or line["actor"] != AGENT or line["number"] not in kept:
            continue
        hands = {_hand(name.partition("_")[0]) for name in offers[line["offered"]]}
        taken = {_hand(app) for app in line["apps"] if app}
        if len(hands) == 2 and taken:
            yield Decision(row, line["number"], "tools" if "tools" in taken else "gui")


def _hand(app: str) -> Modality:
    return "gui" if is_gui(app) else "tools"


def _spread(own: Sequence[Decision], most: int) -> list[Decision]:
    """At most `most` decisions, evenly spread, including the first and last if `most` > 1."""
    if len(own) <= most:
        return list(own)
    if most == 1:
        return [own[len(own) // 2]]
    last = len(own) - 1
    return [own[round(at * last / (most - 1))] for at in range(most)]
