"""Both hands at decisions of recorded episodes: which decisions, which branches, and what they came
to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ambidex.host import GUI, ToolSpec
from ambidex.host.errors import UsageError
from ambidex.host.loop.branch_point import checkpointed_steps, start_of
from ambidex.host.records.config import Branch, Modality, ModalityScope, read_config
from ambidex.host.records.rows import Row, finished, read_rows
from ambidex.host.records.trajectory import AGENT, read_trajectory
from ambidex.host.report.metrics import GROUPS
from ambidex.host.runs.launch import RunFunction
from ambidex.host.travel.forks import fork_of
from ambidex.host.travel.regret import Decided, Outcome, Regret, outcome, regret

__all__ = ["HANDS", "Decision", "compared", "decisions", "records", "regrets"]

HANDS: tuple[Modality, Modality] = ("gui", "tools")


@dataclass(frozen=True)
class Decision:
    """A step of a recorded trial at which the agent might have taken the other hand."""

    row: Row
    step: int
    used: Modality

    @property
    def branch(self) -> Branch:
        """Where both hands are tried."""
        return Branch(trial=self.row.folder, step=self.step)


def decisions(
    run: Path, tasks: Sequence[str] = (), steps: Sequence[int] = (), most: int | None = None
) -> list[Decision]:
    """The decisions of a run's scored trials at which the machine was kept, both hands were on
    offer and one was taken: a decision with a tool call counts as `tools`.

    `tasks` and `steps` leave only those, `most` so many of each trial, evenly spread. `UsageError`
    where there is none.
    """
    if read_config(run).condition != "hybrid":
        raise UsageError(f"{run} had one hand only", hint="It takes a run with --condition hybrid.")
    found = []
    for row in finished(read_rows(run)).values():
        if row.assisted or (tasks and row.task not in tasks):
            continue
        own = [d for d in _of_trial(run, row) if not steps or d.step in steps]
        found += _spread(own, most) if most else own
    if not found:
        raise UsageError(
            f"{run} has no such decision that can be gone back to",
            hint="It takes scored trials of a run with --checkpoint every, with tools on offer.",
        )
    return found


def compared(
    run: Path,
    chosen: Sequence[Decision],
    runs: int,
    lasting: ModalityScope,
    catalogue: Mapping[str, ToolSpec],
    folder: Path,
    play: RunFunction,
) -> list[Decided]:
    """Try both hands at these decisions, each so many times: two runs in `folder`."""
    branches = [decision.branch for decision in chosen]
    wanted = {
        hand: fork_of(run, branches, runs, catalogue, hand=hand, lasting=lasting) for hand in HANDS
    }
    came: dict[Modality, dict[tuple[str, int], Outcome]] = {}
    for hand in HANDS:
        rows = play(wanted[hand], folder / hand)
        came[hand] = {
            (each.trial, each.step): outcome([row for row in rows if _from(row, each)])
            for each in branches
        }
    return [
        Decided(
            trial=decision.row.folder,
            task=decision.row.task,
            tool_beneficial=decision.row.tool_beneficial,
            step=decision.step,
            used=decision.used,
            gui=came["gui"][decision.row.folder, decision.step],
            tools=came["tools"][decision.row.folder, decision.step],
        )
        for decision in chosen
    ]


def regrets(found: Sequence[Decided]) -> list[Regret]:
    """The numbers of each group of tasks that has decisions."""
    wanted = {"tool-beneficial": (True,), "other": (False,), "all": (True, False)}
    groups = [
        (name, [each for each in found if each.tool_beneficial in wanted[name]]) for name in GROUPS
    ]
    return [regret(name, own) for name, own in groups if own]


def records(run: Path, found: Sequence[Decided]) -> list[dict[str, Any]]:
    """One flat record per decision, with the same keys in the same order."""
    return [_record(run, each) for each in found]


def _record(run: Path, each: Decided) -> dict[str, Any]:
    known = bool(each.gui.n and each.tools.n)
    return {
        "run": str(run),
        "trial": each.trial,
        "task": each.task,
        "tool_beneficial": each.tool_beneficial,
        "step": each.step,
        "used": each.used,
        **{f"gui_{key}": value for key, value in asdict(each.gui).items()},
        **{f"tools_{key}": value for key, value in asdict(each.tools).items()},
        "better": each.better if known else None,
        "even": each.even if known else None,
        "success_lost": each.success_lost if known else None,
        "steps_lost": each.steps_lost if known and each.even else None,
        "seconds_lost": each.seconds_lost if known and each.even else None,
        "cost_lost": each.cost_lost if known and each.even else None,
    }


def _of_trial(run: Path, row: Row) -> Iterator[Decision]:
    trial = run / row.folder
    # What came before a fork was decided in its parent.
    first = start_of(trial).get("from", {"step": 1})["step"]
    kept = {step for step in checkpointed_steps(trial) if step >= first}
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
    return "gui" if app == GUI else "tools"


def _spread(found: Sequence[Decision], most: int) -> list[Decision]:
    """So many of them, evenly spread, the first and the last among them."""
    if len(found) <= most:
        return list(found)
    if most == 1:
        return [found[len(found) // 2]]
    last = len(found) - 1
    return [found[round(at * last / (most - 1))] for at in range(most)]


def _from(row: Row, branch: Branch) -> bool:
    parent = row.parent
    return parent is not None and (parent.trial, parent.step) == (branch.trial, branch.step)
