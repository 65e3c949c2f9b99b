"""Accuracy, TIR and ACS as OSWorld-MCP defines them (section 3.4), over scored trials.

    accuracy   solved / N                  solved: score of 1, nothing less
    TIR        (n_t + n_g) / (N_t + N_g)   n_t: tool-beneficial tasks solved with a tool call,
                                           n_g: other tasks solved with none
    ACS        sum of S_i / N              S_i: steps of trial i, over every scored trial,
                                           including unsolved and infeasible ones and those that
                                           reached a limit

A step is one decision of the agent, including the one that ends the episode. Whether a call is a
tool call depends on the app that the guest declares for it: every app except `computer` is a tool,
whether the call succeeded or not. A call of a name that was not offered is not counted. Without
tools on offer (condition `gui`) there is no choice, and TIR is None. Trials without a score (their
attempts ended void or with a bug) are in none of these; `worst` is the accuracy if all of them had
failed. The released script's numbers for the same rows are in `host.report.released_script`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ambidex.host import Stop
from ambidex.host.records.rows import Row
from ambidex.host.report.means import Means, means, total_cost, total_reasoning
from ambidex.host.report.pass_at_k import AtK, at_k
from ambidex.host.report.tool_use import (
    Choice,
    Collateral,
    Searching,
    ToolUse,
    census,
    choice,
    collateral,
    searching,
    share,
)

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
    "wilson_interval",
]

MOST_LOST = 0.02
"""Largest share of trials without a score at which a result is publishable."""
GROUPS = ("tool-beneficial", "other", "all")

Key = TypeVar("Key", str, int)

PARTS = ("revert", "setup", "model", "guest", "settle", "harness", "collect", "judge")
"""The parts that a trial's time is split into, in order."""


@dataclass(frozen=True)
class Group:
    """The metrics over one set of tasks; a metric is None where its denominator is 0."""

    name: str
    n: int
    """Scored trials."""
    tasks: int
    solved: int
    accuracy: float | None
    interval: tuple[float, float] | None
    """Wilson 95 % interval of the accuracy, which treats trials as independent."""
    lost: int
    """Trials that were started and have no score."""
    worst: float | None
    """The accuracy if all lost trials had failed."""
    tir: float | None
    acs: float | None
    score: float | None
    """Mean score, partial credit included."""
    choice: Choice
    searching: Searching
    collateral: Collateral
    means: Means


@dataclass(frozen=True)
class StepCount:
    """Number of scored trials that took `steps` steps."""

    steps: int
    solved: int
    unsolved: int


@dataclass(frozen=True)
class Summary:
    """All metrics of one agent in one run. Sums are over scored trials."""

    groups: tuple[Group, ...]
    feasible: Group
    """All but the infeasible tasks."""
    domains: tuple[Group, ...]
    """By the task's application."""
    useful: tuple[Group, ...]
    """By the number of useful tools that the task names."""
    forfeits: int
    """Scored trials that failed twice after the agent had acted, which scores 0."""
    root: int
    """Scored trials whose agent could become root in its guest."""
    restored: int
    """Scored trials that started from a saved stage."""
    void: int
    """Attempts ended by a failing machine, guest or model."""
    bugs: int
    unscored: int
    """Trials that were started and have no score."""
    unjudged: int
    """Those of them that were played and wait for the verdict of a jury."""
    infeasible: int
    """Scored trials of infeasible tasks; `recognized` counts those the agent recognized."""
    recognized: int
    wrongly_infeasible: int
    """Trials of feasible tasks that the agent called infeasible."""
    judged_twice: int
    """Scored trials with two verdicts. `differ` counts those whose verdicts differ,
    `strictly_solved` those solved by the strict verdict."""
    differ: int
    strictly_solved: int
    stops: dict[str, int]
    malformed: int
    """Answers that could not be parsed as a decision."""
    step_counts: tuple[StepCount, ...]
    """In ascending order of steps."""
    at_k: tuple[AtK, ...]
    census: tuple[ToolUse, ...]
    unused: tuple[str, ...]
    """Tools that were offered in some trial and never called."""
    tool_calls: int
    tool_errors: int
    gui_calls: int
    gui_errors: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    reasoning_tokens: int | None
    """None unless known for every trial that made a request."""
    cost: float | None
    """US dollars; None unless known for every trial that made a request."""
    requests: int
    retries: int
    seconds: dict[str, float]
    """By part; empty unless known for every trial."""

    @property
    def parts(self) -> tuple[Group, ...]:
        """The applications, if there are several, and all tasks."""
        return (*(self.domains if len(self.domains) > 1 else ()), self.groups[-1])

    @property
    def lost(self) -> float:
        """Share of the started trials that have no score."""
        begun = self.unscored + self.groups[-1].n
        return self.unscored / begun if begun else 0.0

    @property
    def publishable(self) -> bool:
        """Whether every trial was judged, and at most `MOST_LOST` of them have no score."""
        return self.lost <= MOST_LOST and not self.unjudged


def rows_at(rows: Iterable[Row], cap: int) -> list[Row]:
    """The rows as they would be with a limit of `cap` steps; `UsageError` where that is unknown.

    For a trial that continued beyond the limit, neither the seconds nor the tools offered up to
    it are known: its seconds are empty, and the tools are those of the whole episode.
    """
    return [row if (then := row.at(cap)) is row else _untimed(then) for row in rows]


def summarize(rows: Sequence[Row]) -> Summary:
    """All metrics of the rows of one agent in one run."""
    scored = [row for row in rows if row.fate == "scored"]
    done = {row.key for row in scored}
    lost = [row for row in {row.key: row for row in rows}.values() if row.key not in done]
    groups = (
        group("tool-beneficial", _helped(scored, True), _helped(lost, True)),
        group("other", _helped(scored, False), _helped(lost, False)),
        group("all", scored, lost),
    )
    infeasible = [row for row in scored if not row.feasible]
    called = [row for row in scored if row.stop is Stop.INFEASIBLE]
    twice = [row for row in scored if row.strict is not None]
    used = census(scored)
    everything = groups[-1].choice
    return Summary(
        groups=groups,
        feasible=group("feasible", [row for row in scored if row.feasible]),
        domains=_split(scored, lambda row: row.domain or "none"),
        useful=_split(scored, lambda row: len(row.useful_tools)),
        forfeits=sum(bool(row.forfeit) for row in scored),
        root=sum(bool(row.agent_is_root) for row in scored),
        restored=sum(row.stage == "restored" for row in scored),
        void=sum(row.fate == "void" for row in rows),
        bugs=sum(row.fate == "bug" for row in rows),
        unscored=len(lost),
        unjudged=sum(row.fate == "unjudged" for row in lost),
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
        unused=tuple(use.tool for use in used if not use.calls),
        tool_calls=everything.tool_calls,
        tool_errors=everything.tool_errors,
        gui_calls=everything.gui_calls,
        gui_errors=everything.gui_errors,
        input_tokens=sum(row.input_tokens for row in scored),
        output_tokens=sum(row.output_tokens for row in scored),
        cached_tokens=sum(row.cached_tokens for row in scored),
        reasoning_tokens=total_reasoning(scored),
        cost=total_cost(scored),
        requests=sum(row.requests for row in scored),
        retries=sum(row.retries for row in scored),
        seconds=_summed([row.seconds for row in scored]),
    )


def group(name: str, scored: Sequence[Row], lost: Sequence[Row] = ()) -> Group:
    """The metrics over these scored rows; `lost` has one row for each trial without a score."""
    n = len(scored)
    solved = sum(row.success for row in scored)
    offered = any(row.condition != "gui" for row in scored)
    return Group(
        name=name,
        n=n,
        tasks=len({row.task for row in scored}),
        solved=solved,
        accuracy=share(solved, n),
        interval=wilson_interval(solved, n) if n else None,
        lost=len(lost),
        worst=share(solved, n + len(lost)),
        tir=share(sum(row.chosen_well for row in scored), n) if offered else None,
        acs=share(sum(row.steps for row in scored), n),
        score=share(sum(row.score or 0.0 for row in scored), n),
        choice=choice(scored),
        searching=searching(scored),
        collateral=collateral(scored),
        means=means(scored),
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


def wilson_interval(solved: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of the share `solved` of `n` trials, at least one."""
    from scipy.stats import binomtest  # heavy: only reports need it

    ends = binomtest(solved, n).proportion_ci(method="wilson")
    return (float(ends.low), float(ends.high))


def _counted(names: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return counts


def _summed(parts: Sequence[dict[str, float]]) -> dict[str, float]:
    if not all(parts):
        return {}
    total: dict[str, float] = {}
    for part in parts:
        for name, value in part.items():
            total[name] = total.get(name, 0.0) + value
    return total
