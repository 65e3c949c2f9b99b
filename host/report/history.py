"""How the results on a suite changed from date to date."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from ambidex.host.report.metrics import Group
from ambidex.host.report.report_lines import Line

__all__ = ["Dated", "SuiteHistory", "histories"]


@dataclass(frozen=True)
class Dated:
    """A line of a report, by the day its run began."""

    day: date
    line: Line

    @property
    def total(self) -> Group:
        """The metrics over all tasks."""
        return self.line.summary.groups[-1]


@dataclass(frozen=True)
class SuiteHistory:
    """The lines on one suite, earliest first."""

    suite: str
    results: tuple[Dated, ...]


def histories(lines: Sequence[Line]) -> Iterator[SuiteHistory]:
    """The history of each suite that has results of more than one day, at the limits on steps."""
    by_suite: dict[str, list[Dated]] = {}
    for line in lines:
        if line.cap == line.config.limits.steps and line.summary.groups[-1].n:
            day = date.fromisoformat(min(row.started for row in line.rows)[:10])
            by_suite.setdefault(Path(line.config.suite).name, []).append(Dated(day, line))
    for suite, results in sorted(by_suite.items()):
        if len({result.day for result in results}) > 1:
            yield SuiteHistory(suite, tuple(sorted(results, key=lambda result: result.day)))
