"""The kind of each failure: every scored trial that was not solved has exactly one.

The first rule that holds decides:

    forfeit            machine or guest failed twice after the agent had acted
    person             a person ended the episode
    context_overflow   the conversation outgrew the model's context
    turn_limit, time_limit, cost_limit   the episode reached that limit
    malformed_call     too many answers in a row could not be read; or the agent called it done, and
                       every call it had made was refused for its name or its arguments
    abandoned          the agent gave up on a feasible task
    premature_stop     the agent called it done, and no call of its had succeeded
    implicit           the agent called it done after at least one successful call: it ended
                       normally, and the end state is wrong

Words are not interpreted: an agent that says it cannot go on, but ends as done, is not `abandoned`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from ambidex.host import Stop
from ambidex.host.records.rows import Row
from ambidex.host.records.trajectory import NAME, read_trajectory

__all__ = ["REFUSED", "Kind", "failures", "kind_of", "kinds", "steps_of"]

REFUSED = ("unknown_tool", "bad_arguments")
"""Errors of calls that were refused for their name or their arguments."""


class Kind(StrEnum):
    """The kinds, in the order of reports. MCPMark's are the first six."""

    IMPLICIT = "implicit"
    CONTEXT_OVERFLOW = "context_overflow"
    TURN_LIMIT = "turn_limit"
    ABANDONED = "abandoned"
    PREMATURE_STOP = "premature_stop"
    MALFORMED_CALL = "malformed_call"
    TIME_LIMIT = "time_limit"
    COST_LIMIT = "cost_limit"
    FORFEIT = "forfeit"
    PERSON = "person"

    @property
    def words(self) -> str:
        """The name in a table."""
        return self.replace("_", " ")


BY_STOP = {
    Stop.CONTEXT_LIMIT: Kind.CONTEXT_OVERFLOW,
    Stop.STEP_LIMIT: Kind.TURN_LIMIT,
    Stop.TIME_LIMIT: Kind.TIME_LIMIT,
    Stop.COST_LIMIT: Kind.COST_LIMIT,
    Stop.PARSE_LIMIT: Kind.MALFORMED_CALL,
    Stop.INFEASIBLE: Kind.ABANDONED,
}


def failures(rows: Iterable[Row]) -> list[Row]:
    """The scored trials that were not solved."""
    return [row for row in rows if row.fate == "scored" and not row.success]


def kinds(rows: Iterable[Row], run: Path) -> Mapping[Kind, int]:
    """The number of failures of each kind that occurs, in the order of `Kind`. `run` is the run's
    directory."""
    counts = Counter(kind_of(row, run) for row in failures(rows))
    return {kind: counts[kind] for kind in Kind if counts[kind]}


def kind_of(row: Row, run: Path) -> Kind:
    """The kind of one failure. Its trajectory is read only where the row cannot tell; if it is
    gone, only calls of unknown names are known to have been refused."""
    if row.forfeit or row.stop is None:
        return Kind.FORFEIT
    if row.ended_by == "person":
        return Kind.PERSON
    if row.stop in BY_STOP:
        return BY_STOP[row.stop]
    if any(count.calls > count.errors for count in row.calls):
        return Kind.IMPLICIT
    return Kind.MALFORMED_CALL if _all_refused(row, run) else Kind.PREMATURE_STOP


def steps_of(row: Row, run: Path) -> Sequence[Mapping[str, Any]] | None:
    """The lines of the row's steps in its trajectory, up to when it was judged; None if the file is
    gone."""
    folder = run / row.folder
    if not (folder / NAME).is_file():
        return None
    return [line for line in read_trajectory(folder) if line["kind"] == "step"][: row.steps]


def _all_refused(row: Row, run: Path) -> bool:
    """Whether every call of a row without a successful one was refused."""
    if not row.calls:
        return False
    if all(count.app == "" for count in row.calls):
        return True
    steps = steps_of(row, run)
    return steps is not None and all(
        result["error"] in REFUSED for step in steps for result in step["results"]
    )
