"""Accuracy, TIR and ACS as OSWorld-MCP defines them (section 3.4), over scored trials.

    accuracy   solved / N                  solved: score of 1, nothing less
    TIR        (n_t + n_g) / (N_t + N_g)   n_t: tool-beneficial tasks solved with a tool call,
                                           n_g: other tasks solved with none
    ACS        sum of S_i / N              S_i: steps of trial i, over every scored trial: unsolved,
                                           infeasible and used-up budgets included

A step is one decision of the agent, the one that ends the episode included. A tool counts by the
app that the guest declares for it: every app but `computer` is a tool, whether the call succeeded
or not. A name that was not offered counts for nothing. Without tools on offer (condition `gui`)
there is nothing to choose, and TIR is not given. Void and bug rows are no trials: they are counted
beside.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from host import Stop
from host.rows import Row

__all__ = ["GROUPS", "Group", "Summary", "group", "summarize"]

GROUPS = ("tool-beneficial", "other", "all")


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
    tir: float | None
    acs: float | None
    score: float | None
    """Mean score, partial credit included."""


@dataclass(frozen=True)
class Summary:
    """What one agent came to in one run."""

    groups: tuple[Group, ...]
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
    stops: dict[str, int]
    tool_calls: int
    tool_errors: int
    gui_calls: int
    gui_errors: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    seconds: dict[str, float]
    """Sums over scored trials."""


def summarize(rows: Sequence[Row]) -> Summary:
    """All numbers of the rows of one agent in one run."""
    scored = [row for row in rows if row.fate == "scored"]
    begun = {row.key for row in rows}
    calls = [call for row in scored for call in row.calls]
    tools = [call for call in calls if call.app not in ("", "computer")]
    gui = [call for call in calls if call.app == "computer"]
    costs = [row.cost for row in scored if row.cost is not None]
    infeasible = [row for row in scored if not row.feasible]
    called = [row for row in scored if row.stop is Stop.INFEASIBLE]
    return Summary(
        groups=(
            group("tool-beneficial", [row for row in scored if row.tool_beneficial]),
            group("other", [row for row in scored if not row.tool_beneficial]),
            group("all", scored),
        ),
        void=sum(row.fate == "void" for row in rows),
        bugs=sum(row.fate == "bug" for row in rows),
        unscored=len(begun - {row.key for row in scored}),
        infeasible=len(infeasible),
        recognized=sum(row.success for row in infeasible),
        wrongly_infeasible=sum(row.feasible for row in called),
        stops=_counted(str(row.stop) for row in scored),
        tool_calls=sum(call.calls for call in tools),
        tool_errors=sum(call.errors for call in tools),
        gui_calls=sum(call.calls for call in gui),
        gui_errors=sum(call.errors for call in gui),
        input_tokens=sum(row.input_tokens for row in scored),
        output_tokens=sum(row.output_tokens for row in scored),
        cost=sum(costs) if costs else None,
        seconds=_summed(row.seconds for row in scored),
    )


def group(name: str, scored: Sequence[Row]) -> Group:
    """The numbers over these scored rows."""
    n = len(scored)
    solved = [row for row in scored if row.success]
    chosen_well = [row for row in solved if bool(row.tool_calls) is row.tool_beneficial]
    offered = any(row.condition != "gui" for row in scored)
    return Group(
        name=name,
        n=n,
        tasks=len({row.task for row in scored}),
        solved=len(solved),
        accuracy=len(solved) / n if n else None,
        interval=_interval(len(solved), n) if n else None,
        tir=len(chosen_well) / n if n and offered else None,
        acs=sum(row.steps for row in scored) / n if n else None,
        score=sum(row.score or 0.0 for row in scored) / n if n else None,
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


def _summed(parts: Iterable[dict[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for each in parts:
        for name, value in each.items():
            total[name] = total.get(name, 0.0) + value
    return total
