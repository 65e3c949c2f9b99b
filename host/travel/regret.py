"""What was lost by taking one hand and not the other.

At a decision of a recorded episode both hands were tried from the same state, several times each:
only mouse and keyboard on offer, or only tools. So it is known of each how often the task was then
solved, and in how many steps.

    better       the hand that more often led to success; where both did equally often, and at all,
                 the one that took fewer steps on average; none where that is equal, too, or where
                 neither ever led to success
    oracle TIR   of the decisions with a better hand, the share in which the agent took it
    over-use     ... in which it called a tool and the GUI was better
    under-use    ... in which it used the GUI and a tool was better; the three add up to 1
    success      share of successes lost at a decision: the higher of the two hands' minus that of
                 the hand that was taken; mean over all decisions
    steps, seconds, dollars
                 those of the hand that was taken minus those of the better one, 0 where it was the
                 better one or none was; mean over the decisions at which both hands led to success
                 equally often, and at all: elsewhere giving up early would look like a gain

Intervals are 95 % percentiles from resampling tasks, all decisions of a task together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from ambidex.host.records.config import Modality
from ambidex.host.records.rows import Row
from ambidex.host.report.statistics import RESAMPLES, Interval, middle, resampled

__all__ = ["Decided", "Outcome", "Ratio", "Regret", "outcome", "regret"]

AGENTS = ("model", "guest", "settle", "harness")
"""The parts of a trial's time that are the agent's."""


@dataclass(frozen=True)
class Outcome:
    """What one hand came to at one decision. Of the whole episode, what came before included."""

    n: int
    """Episodes; none where no such branch was scored."""
    success: float
    """Share of them that solved the task."""
    steps: float
    seconds: float
    cost: float | None
    """US dollars; None where it is not known of all."""


@dataclass(frozen=True)
class Decided:
    """One decision, what the agent took, and what each hand comes to."""

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
        """The better hand; None where neither is."""
        if self.gui.success != self.tools.success:
            return "gui" if self.gui.success > self.tools.success else "tools"
        if self.even and self.gui.steps != self.tools.steps:
            return "gui" if self.gui.steps < self.tools.steps else "tools"
        return None

    @property
    def even(self) -> bool:
        """Whether both hands led to success equally often, and at all."""
        return self.gui.success == self.tools.success > 0

    @property
    def right(self) -> bool:
        """Whether the better hand was taken."""
        return self.used == self.better

    @property
    def taken(self) -> Outcome:
        """What the hand that was taken comes to."""
        return self.gui if self.used == "gui" else self.tools

    @property
    def best(self) -> Outcome:
        """What the better hand comes to; where none is, the one that was taken."""
        return {"gui": self.gui, "tools": self.tools, None: self.taken}[self.better]

    @property
    def success_lost(self) -> float:
        """Share of successes."""
        return self.best.success - self.taken.success

    @property
    def steps_lost(self) -> float:
        """Of an episode; read it where the hands are even."""
        return self.taken.steps - self.best.steps

    @property
    def seconds_lost(self) -> float:
        """Of an episode; read it where the hands are even. Less than 0 where fewer steps took
        longer."""
        return self.taken.seconds - self.best.seconds

    @property
    def cost_lost(self) -> float | None:
        """US dollars; read it where the hands are even."""
        if self.taken.cost is None or self.best.cost is None:
            return None
        return self.taken.cost - self.best.cost


@dataclass(frozen=True)
class Ratio:
    """A sum over decisions, divided by how many of them count."""

    value: float | None
    """None where none counts, or where it is not known of all that do."""
    over: int
    interval: Interval | None
    """None for fewer than two tasks."""


@dataclass(frozen=True)
class Regret:
    """The numbers of one group of decisions."""

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
    """What came of these branches, all of one hand at one decision; void ones count for nothing."""
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


def regret(name: str, found: Sequence[Decided], *, seed: int = 0) -> Regret:
    """The numbers of these decisions, the same for the same decisions and seed."""
    known = sorted(
        (each for each in found if each.gui.n and each.tools.n),
        key=lambda each: (each.task, each.trial, each.step),
    )
    told = [float(each.better is not None) for each in known]
    even = [float(each.even) for each in known]
    all_of = [1.0] * len(known)
    dear = [each.cost_lost for each in known]

    def ratio(values: Sequence[float | None], counts: Sequence[float]) -> Ratio:
        return _ratio([each.task for each in known], values, counts, seed)

    return Regret(
        name=name,
        decisions=len(known),
        tasks=len({each.task for each in known}),
        oracle_tir=ratio([float(each.right) for each in known], told),
        over_use=ratio([_missed(each, "tools") for each in known], told),
        under_use=ratio([_missed(each, "gui") for each in known], told),
        success=ratio([each.success_lost for each in known], all_of),
        steps=ratio([each.steps_lost for each in known], even),
        seconds=ratio([each.seconds_lost for each in known], even),
        cost=ratio(dear, even),
    )


def _missed(decided: Decided, used: Modality) -> float:
    return float(decided.used == used and decided.better not in (None, used))


def _ratio(
    tasks: Sequence[str], values: Sequence[float | None], counts: Sequence[float], seed: int
) -> Ratio:
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
    drawn = resampled(table, RESAMPLES, seed)
    drawn = drawn[drawn[:, 1] > 0]
    interval = middle(drawn[:, 0] / drawn[:, 1]) if len(sums) > 1 else None
    return Ratio(float(total[0] / total[1]), over, interval)
