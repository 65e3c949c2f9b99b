"""Find the tasks on which two runs differ, and the first step at which their episodes do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ambidex.host.errors import UsageError
from ambidex.host.records.orders import written
from ambidex.host.records.rows import Row
from ambidex.host.records.trajectory import AGENT, read_trajectory
from ambidex.host.records.trajectory import NAME as TRAJECTORY
from ambidex.host.report.comparison import compare, identical
from ambidex.host.report.findings import Pair
from ambidex.host.report.pair import ComparedRuns, FirstDifference, Flip, SideStep
from ambidex.host.report.report_lines import Line, labelled, lines

__all__ = ["compare_runs", "first_difference"]

LONGEST_RESULT = 600
"""Characters of a call's result that are kept."""


def compare_runs(a: Path, b: Path, *, rescored: bool = False) -> ComparedRuns:
    """Compare two runs at their limits on steps. `UsageError` if one of them is not exactly one run
    of one agent, or if they share no task with a score."""
    ours, theirs = labelled([_only_line(run, rescored) for run in (a, b)])
    comparison = compare(ours.rows, theirs.rows)
    if comparison is None:
        raise UsageError(
            f"{a} and {b} have no task in common that both have a score of",
            hint="Name two runs of the same suite.",
        )
    mine, other = _scored(ours.rows), _scored(theirs.rows)
    flips = [
        _flip(task, mine[task], other[task], ours.run, theirs.run)
        for task in sorted(mine.keys() & other.keys())
        if _share(mine[task]) != _share(other[task])
    ]
    pair = Pair(ours, theirs, comparison, identical(ours.rows, theirs.rows))
    return ComparedRuns(
        pair,
        tuple(sorted(flips, key=lambda flip: flip.winner)),
        tuple(sorted(mine.keys() - other.keys())),
        tuple(sorted(other.keys() - mine.keys())),
    )


def _only_line(run: Path, rescored: bool) -> Line:
    found = [
        line for line in lines([run], rescored=rescored) if line.cap == line.config.limits.steps
    ]
    if len(found) != 1:
        names = ", ".join(line.name for line in found) or "none"
        raise UsageError(
            f"compare takes single runs of one agent; {run} holds {len(found)}: {names}",
            hint="`ambidex report` compares any number of runs.",
        )
    return found[0]


def _scored(rows: Sequence[Row]) -> Mapping[str, list[Row]]:
    by_task: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: row.trial):
        if row.fate == "scored":
            by_task.setdefault(row.task, []).append(row)
    return by_task


def _share(rows: Sequence[Row]) -> float:
    return sum(row.success for row in rows) / len(rows)


def _flip(task: str, ours: Sequence[Row], theirs: Sequence[Row], a: Path, b: Path) -> Flip:
    """The task, with the first trials of both whose outcomes differ, of the same number if there
    are such."""
    pairs = [(one, two) for one in ours for two in theirs if one.success != two.success]
    won = _share(ours) > _share(theirs)
    one, two = min(pairs, key=lambda pair: (pair[0].success != won, pair[0].trial != pair[1].trial))
    folders = a / one.folder, b / two.folder
    recorded = all((folder / TRAJECTORY).is_file() for folder in folders)
    return Flip(
        task,
        (sum(row.success for row in ours), len(ours)),
        (sum(row.success for row in theirs), len(theirs)),
        one,
        two,
        *folders,
        first_difference(*folders) if recorded else None,
        recorded,
    )


def first_difference(one: Path, other: Path) -> FirstDifference | None:
    """The first step at which the agents of two recorded episodes made different calls, or stopped
    differently; None if there is none."""
    for equal, (a, b) in enumerate(zip_longest(_steps(one), _steps(other))):
        if a is None or b is None or _key(a) != _key(b):
            return FirstDifference(equal, _side(a), _side(b))
    return None


def _steps(trial: Path) -> list[dict[str, Any]]:
    return [
        line
        for line in read_trajectory(trial)
        if line["kind"] == "step" and line.get("actor", AGENT) == AGENT
    ]


def _key(line: Mapping[str, Any]) -> tuple[object, ...]:
    decision = line["decision"]
    calls = [(call["name"], call["arguments"]) for call in decision["calls"]]
    return calls, decision["stop"], decision.get("answer"), bool(decision.get("malformed"))


def _side(line: Mapping[str, Any] | None) -> SideStep | None:
    if line is None:
        return None
    decision = line["decision"]
    did = "\n".join(written(call["name"], call["arguments"]) for call in decision["calls"])
    stopped = f"stopped: {decision['stop']}" if decision["stop"] else ""
    unread = f"unreadable answer: {decision['malformed']}" if decision.get("malformed") else ""
    return SideStep(
        line["number"],
        decision["thought"],
        did or stopped or unread or "no call",
        tuple(
            " ".join(filter(None, (result["error"], result["text"][:LONGEST_RESULT])))
            for result in line["results"]
        ),
        line["before"],
    )
