"""The evaluator of the exported state of the calendars (`vm/images/services/calendar`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from ambidex.evaluators import Score
from ambidex.evaluators.exports.compare import Content, compare, read_both, with_new_by_name
from ambidex.evaluators.registry import EvidenceName, evaluator

__all__: list[str] = []


class Event(Content):
    """An event."""

    title: str = ""


class Calendar(Content):
    """A calendar."""

    events: dict[str, Event] = Field(default={})


class Export(Content):
    """An export."""

    calendars: dict[str, Calendar]


@evaluator
def changes(
    evidence: Path,
    *,
    values: dict[str, Any] | None = None,
    patterns: dict[str, str] | None = None,
    gone: list[str] | None = None,
    free: list[str] | None = None,
    file: EvidenceName = "calendar.json",
) -> Score:
    """Since setup, the calendars have changed to these values, by path, and in nothing else.
    `patterns` are values as regular expressions; at the paths that match `gone` there is nothing
    any more; of those that match `free`, anything may have become.

    Paths: `teams/sales/events/UID/start`, a new event by its title:
    `user/calendar/events/+Title/end`. Times are as in the file, such as 20261005T090000Z.
    """
    earlier, later = read_both(evidence, file, Export)
    before, after = (_view(one, earlier) for one in (earlier, later))
    return compare(before, after, values or {}, patterns or {}, gone or [], free or [])


def _view(export: Export, earlier: Export) -> dict[str, Any]:
    shown: dict[str, Any] = export.model_dump()["calendars"]
    for path, calendar in shown.items():
        old = earlier.calendars[path].events if path in earlier.calendars else {}
        calendar["exists"] = True
        calendar["events"] = with_new_by_name(
            calendar["events"], old, lambda event: str(event["title"])
        )
    return shown
