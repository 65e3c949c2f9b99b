"""Why an attempt was not solved, as a person would say it."""

from __future__ import annotations

from ambidex.host import Limits, Stop
from ambidex.host.records.rows import Row

__all__ = ["brief_cause", "cause_of", "outcome_of_row"]

LONGEST = 200
"""Characters of a brief cause that a check gave."""


def outcome_of_row(row: Row) -> str:
    """The outcome in a word: solved, failed, void, bug or unjudged."""
    if row.fate == "scored":
        return "solved" if row.success else "failed"
    return row.fate


def cause_of(row: Row, limits: Limits) -> str:
    """Why the attempt was not solved: how its episode ended, if that is the cause, then what the
    check found; or the error that ended it, and what would help. For a solved one, only what the
    check found."""
    if row.forfeit:
        return row.reason
    if row.failure and row.fate == "bug":
        return f"{row.failure.type}: {row.failure.message}"
    if row.failure and row.failure.hint:
        return f"{row.failure.message.rstrip('.')}. {row.failure.hint}"
    if row.failure:
        return row.failure.message
    if row.fate == "unjudged":
        return "played, and not judged yet"
    if row.success:
        return row.reason
    ended = ", ".join(filter(None, (_ended(row, limits), _unknown(row))))
    if ended and row.reason:
        return f"{ended} ({row.reason})"
    return ended or row.reason


def brief_cause(row: Row, limits: Limits) -> str:
    """The cause for a list of trials: a check's findings are cut, an error is whole."""
    cause = cause_of(row, limits)
    if row.failure or len(cause) <= LONGEST:
        return cause
    return f"{cause[:LONGEST]}…"


def _ended(row: Row, limits: Limits) -> str:
    if row.ended_by == "person":
        return "ended by a person"
    match row.stop:
        case Stop.PARSE_LIMIT:
            return f"{limits.malformed} unreadable answers in a row"
        case Stop.STEP_LIMIT:
            return f"not finished after {row.steps} steps"
        case Stop.TIME_LIMIT:
            return f"not finished after {limits.seconds:g} s"
        case Stop.COST_LIMIT:
            return f"reached the limit of ${limits.cost:g}"
        case Stop.CONTEXT_LIMIT:
            return "the conversation outgrew the model's context"
        case Stop.INFEASIBLE if row.feasible:
            return "called a feasible task infeasible"
    return ""


def _unknown(row: Row) -> str:
    """A remark if no call named a tool that was on offer."""
    if not row.calls or any(count.app for count in row.calls):
        return ""
    names = ", ".join(count.tool for count in row.calls[:3])
    return f"called no tool that was on offer, only {names}"
