"""Regret: the loss from using one modality instead of the better one.

At a decision of a recorded episode both modalities were tried from the same state, several times
each: with only mouse and keyboard on offer, or only tools. For each it is known how often the task
was then solved, and in how many steps.

    better       the modality with the higher success rate; at equal rates above 0, the one with
                 fewer steps on average; none if those are equal, too, or neither ever succeeded
    oracle TIR   of the decisions with a better modality, the share in which the agent used it
    over-use     ... in which it called a tool and the GUI was better
    under-use    ... in which it used the GUI and a tool was better; the three add up to 1
    success      success rate lost at a decision: the higher of the two modalities' rates minus that
                 of the one that was used; mean over all decisions
    steps, seconds, dollars
                 those of the modality that was used minus those of the better one, 0 if it was the
                 better one or none was; mean over the decisions at which both succeeded equally
                 often and at least once: elsewhere giving up early would look like a gain

Intervals are 95 % percentile intervals from resampling tasks, all decisions of a task together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from ambidex.host.records.config import Modality
from ambidex.host.records.rows import Row
from ambidex.host.report.statistics import RESAMPLES, Interval, percentile_interval, resample

__all__ = ["ComparedDecision", "Outcome", "Ratio", "Regret", "outcome", "ratio_of", "regret"]

AGENTS = ("model", "guest", "settle", "harness")
"""The parts of a trial's time that the agent accounts for."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one modality at one decision. Means over whole episodes, including the part
    before the decision."""

    n: int
    """Number of scored branches; 0 if there is none."""
    success: float
    """Share of them that solved the task."""
    steps: float
    seconds: float
    cost: float | None
    """US dollars; None unless known for all of them."""


@dataclass(frozen=True)
class ComparedDecision:
    """One decision, the modality that the agent used, and the outcome of each modality."""

    trial: str
    """Directory of the recorded trial."""
    task: str
    tool_beneficial: bool
    step: int
    used: Modality
    gui: Outcome
    tools: Outcome

    @property
    def better(self) -> Modality | None:
        """The better modality; None if neither is."""
        if self.gui.success != self.tools.success:
            return "gui" if self.gui.success > self.tools.success else "tools"
        if self.even and self.gui.steps != self.tools.steps:
            return "gui" if self.gui.steps < self.tools.steps else "tools"
        return None

    @property
    def even(self) -> bool:
        """Whether both modalities succeeded equally often, and at least once."""
        return self.gui.success == self.tools.success > 0

    @property
    def right(self) -> bool:
        """Whether the better modality was used."""
        return self.used == self.better

    @property
    def taken(self) -> Outcome:
        """The outcome of the modality that was used."""
        return self.gui if self.used == "gui" else self.tools

    @property
    def best(self) -> Outcome:
        """The outcome of the better modality or, if there is none, of the one that was used."""
        return {"gui": self.gui, "tools": self.tools, None: self.taken}[self.better]

    @property
    def success_lost(self) -> float:
        """Loss of success rate."""
        return self.best.success - self.taken.success

    @property
    def steps_lost(self) -> float:
        """Additional steps per episode; meaningful only if `even`."""
        return self.taken.steps - self.best.steps

    @property
    def seconds_lost(self) -> float:
        """Additional seconds per episode; meaningful only if `even`. Negative if the better
        modality's fewer steps took longer."""
        return self.taken.seconds - self.best.seconds

    @property
    def cost_lost(self) -> float | None:
        """Additional US dollars per episode; meaningful only if `even`. None if unknown."""
        if self.taken.cost is None or self.best.cost is None:
            return None
        return self.taken.cost - self.best.cost


@dataclass(frozen=True)
class Ratio:
    """A mean over the decisions that count."""

    value: float | None
    """None if no decision counts, or if a value of one that counts is unknown."""
    over: int
    """Number of decisions that count."""
    interval: Interval | None
    """None for fewer than two tasks."""


@dataclass(frozen=True)
class Regret:
    """The regret of one group of decisions."""

    name: str
    decisions: int
    tasks: int
    oracle_tir: Ratio
    over_use: Ratio
    under_use: Ratio
    success: Ratio
    steps: Ratio
    seconds: Ratio
    cost: Ratio


def outcome(rows: Sequence[Row]) -> Outcome:
    """The outcome of these branches, all of one modality at one decision; void ones are ignored."""
    scored = [row for row in rows if row.fate == "scored"]
    if not scored:
        return Outcome(0, 0.0, 0.0, 0.0, None)
    costs = [row.cost for row in scored if row.cost is not None]
    return Outcome(
        n=len(scored),
        success=fmean(row.success for row in scored),
        steps=fmean(row.steps for row in scored),
        seconds=fmean(sum(row.seconds.get(part, 0.0) for part in AGENTS) for row in scored),
        cost=fmean(costs) if len(costs) == len(scored) else None,
    )


def regret(name: str, decisions: Sequence[ComparedDecision], *, seed: int = 0) -> Regret:
    """The regret of these decisions; deterministic for the same decisions and seed."""
    known = sorted(
        (decision for decision in decisions if decision.gui.n and decision.tools.n),
        key=lambda decision: (decision.task, decision.trial, decision.step),
    )
    has_better = [float(decision.better is not None) for decision in known]
    even = [float(decision.even) for decision in known]
    every = [1.0] * len(known)
    costs = [decision.cost_lost for decision in known]

    def ratio(values: Sequence[float | None], counts: Sequence[float]) -> Ratio:
        return ratio_of([decision.task for decision in known], values, counts, seed)

    return Regret(
        name=name,
        decisions=len(known),
        tasks=len({decision.task for decision in known}),
        oracle_tir=ratio([float(decision.right) for decision in known], has_better),
        over_use=ratio([_missed(decision, "tools") for decision in known], has_better),
        under_use=ratio([_missed(decision, "gui") for decision in known], has_better),
        success=ratio([decision.success_lost for decision in known], every),
        steps=ratio([decision.steps_lost for decision in known], even),
        seconds=ratio([decision.seconds_lost for decision in known], even),
        cost=ratio(costs, even),
    )


def _missed(decision: ComparedDecision, used: Modality) -> float:
    return float(decision.used == used and decision.better not in (None, used))


def ratio_of(
    tasks: Sequence[str], values: Sequence[float | None], counts: Sequence[float], seed: int
) -> Ratio:
    """The mean of the values that count (a count is 1 or 0), with an interval from resampling
    tasks."""
    over = int(sum(counts))
    counted = [value for value, count in zip(values, counts, strict=True) if count]
    if not over or None in counted:
        return Ratio(None, over, None)
    sums: dict[str, np.ndarray] = {}
    for task, value, count in zip(tasks, values, counts, strict=True):
        sums.setdefault(task, np.zeros(2))
        if count:
            sums[task] += (value, count)
    table = np.array(list(sums.values()))
    total = table.sum(axis=0)
    drawn = resample(table, RESAMPLES, seed)
    drawn = drawn[drawn[:, 1] > 0]
    interval = percentile_interval(drawn[:, 0] / drawn[:, 1]) if len(sums) > 1 else None
    return Ratio(float(total[0] / total[1]), over, interval)
