"""Accuracy, TIR and ACS as OSWorld-MCP defines them (section 3.4), over scored trials.

    accuracy   solved / N                  solved: score of 1, nothing less
    TIR        (n_t + n_g) / (N_t + N_g)   n_t: tool-beneficial tasks solved with a tool call,
                                           n_g: other tasks solved with none
    ACS        sum of S_i / N              S_i: steps of trial i, over every scored trial: unsolved,
                                           infeasible and used-up budgets included

A step is one decision of the agent, the one that ends the episode included. A tool counts by the
app that the guest declares for it: every app but `computer` is a tool, whether the call succeeded
or not. A name that was not offered counts for nothing. Without tools on offer (condition `gui`)
there is nothing to choose, and TIR is not given. A trial without a score (its attempts ended void
or with a bug) is in none of these; beside accuracy stands what it would be if all of them had
failed. What the released script makes of the same rows is in `host.report.released_script`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ambidex.host import Stop
from ambidex.host.records.rows import Row
from ambidex.host.report.pass_at_k import AtK, at_k
from ambidex.host.report.tool_use import Choice, ToolUse, census, choice, share

__all__ = [
    "GROUPS",
    "MOST_LOST",
    "PARTS",
    "Group",
    "StepCount",
    "Summary",
    "group",
    "rows_at",
    "summarize",
]

MOST_LOST = 0.02
"""Part of the trials that may be without a score in a result that is published."""
GROUPS = ("tool-beneficial", "other", "all")

Key = TypeVar("Key", str, int)

PARTS = ("revert", "setup", "model", "guest", "settle", "harness", "collect", "judge")
"""Where the time of a trial goes, in order."""


@dataclass(frozen=True)
class Group:
    """The three numbers over one set of tasks; a number is None where there is nothing to divide
    by."""

    name: str
    n: int
    """Scored trials."""
    tasks: int
    solved: int
    accuracy: float | None
    interval: tuple[float, float] | None
    """Wilson 95 % interval of the accuracy, as if trials were independent."""
    lost: int
    """Trials that were begun and have no score."""
    worst: float | None
    """The accuracy if all of those had failed."""
    tir: float | None
    acs: float | None
    score: float | None
    """Mean score, partial credit included."""
    choice: Choice


@dataclass(frozen=True)
class StepCount:
    """Scored trials that took so many steps."""

    steps: int
    solved: int
    unsolved: int


@dataclass(frozen=True)
class Summary:
    """What one agent came to in one run. Sums are over scored trials."""

    groups: tuple[Group, ...]
    feasible: Group
    """All but the infeasible tasks."""
    domains: tuple[Group, ...]
    """By the task's application."""
    useful: tuple[Group, ...]
    """By the number of tools that the task calls useful."""
    forfeits: int
    """Scored trials that failed twice after the agent had acted, and are 0 for it."""
    root: int
    """Scored trials whose agent could become root in its guest."""
    void: int
    """Attempts that a failing machine, guest or model ended."""
    bugs: int
    unscored: int
    """Trials that were begun and have no score."""
    infeasible: int
    """Scored trials of infeasible tasks, and how many were `recognized`."""
    recognized: int
    wrongly_infeasible: int
    """Trials of feasible tasks that the agent called infeasible."""
    judged_twice: int
    """Scored trials with two verdicts, how many of them `differ`, and how many the strict one calls
    solved."""
    differ: int
    strictly_solved: int
    stops: dict[str, int]
    malformed: int
    """Answers that could not be read as a decision."""
    step_counts: tuple[StepCount, ...]
    """By number of steps, the fewest first."""
    at_k: tuple[AtK, ...]
    census: tuple[ToolUse, ...]
    unused: tuple[str, ...]
    """Tools that were on offer somewhere and never called."""
    tool_calls: int
    tool_errors: int
    gui_calls: int
    gui_errors: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost: float | None
    """US dollars; None where it is not known of every trial that asked a model."""
    requests: int
    retries: int
    seconds: dict[str, float]
    """By part; empty where it is not known of every trial."""

    @property
    def lost(self) -> float:
        """Part of the trials that were begun and have no score."""
        begun = self.unscored + self.groups[-1].n
        return self.unscored / begun if begun else 0.0

    @property
    def publishable(self) -> bool:
        """Whether few enough trials were lost for the numbers to stand for all of them."""
        return self.lost <= MOST_LOST


def rows_at(rows: Iterable[Row], cap: int) -> list[Row]:
    """The rows as they would be with that limit of steps; `UsageError` where that is not known.

    Of a trial that went on after it neither the seconds nor the tools on offer until then are
    known: it has none of the first, and keeps the second of the whole episode.
    """
    return [row if (then := row.at(cap)) is row else _untimed(then) for row in rows]


def summarize(rows: Sequence[Row]) -> Summary:
    """All numbers of the rows of one agent in one run."""
    scored = [row for row in rows if row.fate == "scored"]
    done = {row.key for row in scored}
    lost = [row for row in {row.key: row for row in rows}.values() if row.key not in done]
    groups = (
        group("tool-beneficial", *(_helped(each, True) for each in (scored, lost))),
        group("other", *(_helped(each, False) for each in (scored, lost))),
        group("all", scored, lost),
    )
    infeasible = [row for row in scored if not row.feasible]
    called = [row for row in scored if row.stop is Stop.INFEASIBLE]
    twice = [row for row in scored if row.strict is not None]
    costs = [row.cost for row in scored if row.requests or row.cost is not None]
    used = census(scored)
    everything = groups[-1].choice
    return Summary(
        groups=groups,
        feasible=group("feasible", [row for row in scored if row.feasible]),
        domains=_split(scored, lambda row: row.domain or "none"),
        useful=_split(scored, lambda row: len(row.useful_tools)),
        forfeits=sum(bool(row.forfeit) for row in scored),
        root=sum(bool(row.agent_is_root) for row in scored),
        void=sum(row.fate == "void" for row in rows),
        bugs=sum(row.fate == "bug" for row in rows),
        unscored=len(lost),
        infeasible=len(infeasible),
        recognized=sum(row.success for row in infeasible),
        wrongly_infeasible=sum(row.feasible for row in called),
        judged_twice=len(twice),
        differ=sum(row.strict != row.score for row in twice),
        strictly_solved=sum((row.strict or 0.0) >= row.threshold for row in twice),
        stops=_counted(str(row.stop or "forfeit") for row in scored),
        malformed=sum(row.malformed for row in scored),
        step_counts=_steps(scored),
        at_k=at_k(scored),
        census=used,
        unused=tuple(each.tool for each in used if not each.calls),
        tool_calls=everything.tool_calls,
        tool_errors=everything.tool_errors,
        gui_calls=everything.gui_calls,
        gui_errors=everything.gui_errors,
        input_tokens=sum(row.input_tokens for row in scored),
        output_tokens=sum(row.output_tokens for row in scored),
        cached_tokens=sum(row.cached_tokens for row in scored),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        requests=sum(row.requests for row in scored),
        retries=sum(row.retries for row in scored),
        seconds=_summed([row.seconds for row in scored]),
    )


def group(name: str, scored: Sequence[Row], lost: Sequence[Row] = ()) -> Group:
    """The numbers over these scored rows, and one row of each trial that has no score."""
    n = len(scored)
    solved = sum(row.success for row in scored)
    offered = any(row.condition != "gui" for row in scored)
    return Group(
        name=name,
        n=n,
        tasks=len({row.task for row in scored}),
        solved=solved,
        accuracy=share(solved, n),
        interval=_interval(solved, n) if n else None,
        lost=len(lost),
        worst=share(solved, n + len(lost)),
        tir=share(sum(row.chosen_well for row in scored), n) if offered else None,
        acs=share(sum(row.steps for row in scored), n),
        score=share(sum(row.score or 0.0 for row in scored), n),
        choice=choice(scored),
    )


def _helped(rows: Sequence[Row], helped: bool) -> list[Row]:
    return [row for row in rows if row.tool_beneficial is helped]


def _untimed(row: Row) -> Row:
    return row.model_copy(update={"seconds": {}})


def _split(scored: Sequence[Row], by: Callable[[Row], Key]) -> tuple[Group, ...]:
    keys = sorted({by(row) for row in scored})
    return tuple(group(str(key), [row for row in scored if by(row) == key]) for key in keys)


def _steps(scored: Iterable[Row]) -> tuple[StepCount, ...]:
    counts: dict[int, list[int]] = {}
    for row in scored:
        counts.setdefault(row.steps, [0, 0])[row.success] += 1
    return tuple(
        StepCount(steps, solved, unsolved) for steps, (unsolved, solved) in sorted(counts.items())
    )


def _interval(solved: int, n: int) -> tuple[float, float]:
    from scipy.stats import binomtest  # heavy: only reports need it

    found = binomtest(solved, n).proportion_ci(method="wilson")
    return (float(found.low), float(found.high))


def _counted(names: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return counts


def _summed(parts: Sequence[dict[str, float]]) -> dict[str, float]:
    if not all(parts):
        return {}
    total: dict[str, float] = {}
    for each in parts:
        for name, value in each.items():
            total[name] = total.get(name, 0.0) + value
    return total
