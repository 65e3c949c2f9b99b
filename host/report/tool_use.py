"""Tool-use metrics that complement TIR: how often tools were used when offered, and how their
calls ended.

TIR is bounded by accuracy, so it mixes skill with choice, and it counts a failed call, a wrong tool
or a pointless call like a useful one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ambidex.host import GATEWAY
from ambidex.host.records.call_counts import CallCount
from ambidex.host.records.rows import Row

__all__ = [
    "Choice",
    "Collateral",
    "Searching",
    "ToolUse",
    "census",
    "choice",
    "collateral",
    "distractor_calls",
    "searching",
    "share",
    "wasted",
]


@dataclass(frozen=True)
class Choice:
    """Tool use over one set of scored trials; a share is None where its denominator is 0."""

    tool_trials: int
    """Trials in a condition that has tools."""
    used: int
    """Of these, trials with a call of any tool, whether it succeeded or not."""
    use: float | None
    """used / tool_trials"""
    opportunities: int
    """Trials in which a useful tool of the task was on offer."""
    taken: int
    """Of these, trials in which a useful tool was called."""
    use_given_opportunity: float | None
    """taken / opportunities"""
    tool_calls: int
    tool_errors: int
    tool_error_rate: float | None
    """tool_errors / tool_calls"""
    repeats: int
    """Calls equal to an earlier one, with the same result and nothing changed in between."""
    wasted: int
    """Calls that failed or repeated; see `wasted`."""
    wasted_rate: float | None
    """wasted / tool_calls"""
    judged_calls: int
    """Tool calls in trials of tasks that name useful tools."""
    distractor_calls: int
    """Of these, calls of a tool that the task does not name."""
    distractor_rate: float | None
    """distractor_calls / judged_calls"""
    unknown_calls: int
    """Calls of names that were not on offer. They do not count as tool calls."""
    gateway_calls: int
    """Searches, and requests to execute a tool."""
    gateway_errors: int
    gui_calls: int
    gui_errors: int
    tool_calls_per_solved: float | None
    """Tool calls in solved trials / solved trials."""
    gui_calls_per_solved: float | None


@dataclass(frozen=True)
class Searching:
    """What agents searched for behind a gateway, and found; means over scored trials."""

    trials: int
    """Scored trials behind a gateway; 0 if there are none, and then all else is None."""
    searches: float | None
    words: float | None
    """Words of a query."""
    found: float | None
    """Distinct tools in the answers."""
    recall: float | None
    """Share of the task's useful tools that were found, over trials that name some."""


@dataclass(frozen=True)
class Collateral:
    """What else changed in services, beyond what checks ask for."""

    trials: int
    """Scored trials in which the state of a service was compared."""
    changes: float | None
    """Mean number of changes that no check asks for."""
    solved: int
    """Solved trials among them."""
    solved_with: int
    """Solved trials with such changes."""


@dataclass(frozen=True)
class ToolUse:
    """Census entry of one tool that was called, or only offered, in scored trials."""

    tool: str
    app: str
    calls: int
    errors: int
    repeats: int
    called_in: int
    """Number of trials that called it."""
    offered_in: int
    """Number of trials in which it was on offer."""


def choice(scored: Sequence[Row]) -> Choice:
    """Compute tool use over these scored rows."""
    solved = [row for row in scored if row.success]
    tools = [call for row in scored for call in row.calls if call.modality == "tools"]
    gui = [call for row in scored for call in row.calls if call.modality == "gui"]
    gateway = [call for row in scored for call in row.calls if call.app == GATEWAY]
    with_tools = [row for row in scored if row.condition != "gui"]
    open_to = [row for row in scored if set(row.useful_tools) & set(row.offered)]
    naming = [row for row in scored if row.useful_tools]
    used = sum(row.tool_calls > 0 for row in with_tools)
    taken = sum(bool(_called(row) & set(row.useful_tools)) for row in open_to)
    calls, errors = sum(call.calls for call in tools), sum(call.errors for call in tools)
    lost = sum(wasted(call) for call in tools)
    judged = sum(row.tool_calls for row in naming)
    distracted = sum(distractor_calls(row) for row in naming)
    return Choice(
        tool_trials=len(with_tools),
        used=used,
        use=share(used, len(with_tools)),
        opportunities=len(open_to),
        taken=taken,
        use_given_opportunity=share(taken, len(open_to)),
        tool_calls=calls,
        tool_errors=errors,
        tool_error_rate=share(errors, calls),
        repeats=sum(call.repeats for call in tools),
        wasted=lost,
        wasted_rate=share(lost, calls),
        judged_calls=judged,
        distractor_calls=distracted,
        distractor_rate=share(distracted, judged),
        unknown_calls=sum(call.calls for row in scored for call in row.calls if not call.app),
        gateway_calls=sum(call.calls for call in gateway),
        gateway_errors=sum(call.errors for call in gateway),
        gui_calls=sum(call.calls for call in gui),
        gui_errors=sum(call.errors for call in gui),
        tool_calls_per_solved=share(sum(row.tool_calls for row in solved), len(solved)),
        gui_calls_per_solved=share(sum(row.gui_calls for row in solved), len(solved)),
    )


def searching(scored: Sequence[Row]) -> Searching:
    """Compute what was searched and found in these scored rows."""
    own = [(row, row.retrieval) for row in scored if row.retrieval]
    searches = sum(retrieval.searches for _, retrieval in own)
    recalls = [
        len(set(row.useful_tools) & set(retrieval.found)) / len(set(row.useful_tools))
        for row, retrieval in own
        if row.useful_tools
    ]
    return Searching(
        trials=len(own),
        searches=share(searches, len(own)),
        words=share(sum(retrieval.words for _, retrieval in own), searches),
        found=share(sum(len(retrieval.found) for _, retrieval in own), len(own)),
        recall=share(sum(recalls), len(recalls)),
    )


def collateral(scored: Sequence[Row]) -> Collateral:
    """Compute what else changed in these scored rows."""
    own = [(row, sum(row.collateral.values())) for row in scored if row.collateral is not None]
    return Collateral(
        trials=len(own),
        changes=share(sum(changes for _, changes in own), len(own)),
        solved=sum(row.success for row, _ in own),
        solved_with=sum(row.success for row, changes in own if changes),
    )


def distractor_calls(row: Row) -> int:
    """Calls of tools that the task does not name as useful; 0 if the task names none."""
    if not row.useful_tools:
        return 0
    return sum(
        c.calls for c in row.calls if c.modality == "tools" and c.tool not in row.useful_tools
    )


def census(scored: Iterable[Row]) -> tuple[ToolUse, ...]:
    """Every tool that was called or offered: most called first, then by name."""
    called: dict[str, list[CallCount]] = {}
    offered: dict[str, int] = {}
    for row in scored:
        for call in (call for call in row.calls if call.modality == "tools"):
            called.setdefault(call.tool, []).append(call)
        for tool in row.offered:
            offered[tool] = offered.get(tool, 0) + 1
    uses = [
        ToolUse(
            tool=tool,
            # A tool's name begins with its app's.
            app=called[tool][0].app if tool in called else tool.partition("_")[0],
            calls=sum(call.calls for call in called.get(tool, ())),
            errors=sum(call.errors for call in called.get(tool, ())),
            repeats=sum(call.repeats for call in called.get(tool, ())),
            called_in=len(called.get(tool, ())),
            offered_in=offered.get(tool, 0),
        )
        for tool in called.keys() | offered.keys()
    ]
    return tuple(sorted(uses, key=lambda use: (-use.calls, use.tool)))


def wasted(call: CallCount) -> int:
    """Number of calls that failed or repeated an earlier one."""
    return call.errors + call.repeats


def share(part: float, whole: float) -> float | None:
    """part / whole; None if whole is 0."""
    return part / whole if whole else None


def _called(row: Row) -> set[str]:
    return {call.tool for call in row.calls if call.modality == "tools"}
