"""What a trial took on average: calls, tokens, cost and time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ambidex.host.records.rows import Row
from ambidex.host.report.tool_use import share

__all__ = ["Means", "means", "total_cost", "total_reasoning"]

EPISODE = ("model", "guest", "settle", "harness")
"""The parts of a row's seconds that make up the episode."""


@dataclass(frozen=True)
class Means:
    """Means over scored trials; None if there are none, or if one of them lacks the number. Turns
    are the steps of `Group.acs`."""

    tool_calls: float | None
    gui_calls: float | None
    input_tokens: float | None
    output_tokens: float | None
    cached_tokens: float | None
    reasoning_tokens: float | None
    cost: float | None
    """US dollars."""
    seconds: float | None
    """Of the episode, without setup, collection and judging."""


def means(scored: Sequence[Row]) -> Means:
    """The means over these rows."""

    def mean(total: float | None) -> float | None:
        return None if total is None else share(total, len(scored))

    return Means(
        tool_calls=mean(sum(row.tool_calls for row in scored)),
        gui_calls=mean(sum(row.gui_calls for row in scored)),
        input_tokens=mean(sum(row.input_tokens for row in scored)),
        output_tokens=mean(sum(row.output_tokens for row in scored)),
        cached_tokens=mean(sum(row.cached_tokens for row in scored)),
        reasoning_tokens=mean(total_reasoning(scored)),
        cost=mean(total_cost(scored)),
        seconds=mean(_total(map(_episode, scored))),
    )


def total_cost(scored: Iterable[Row]) -> float | None:
    """US dollars; None unless known for every trial that made a request."""
    return _total(row.cost for row in scored if row.requests or row.cost is not None)


def total_reasoning(scored: Iterable[Row]) -> int | None:
    """Reasoning tokens; None unless known for every trial that made a request."""
    counts = [row.reasoning_tokens for row in scored if row.requests]
    return None if None in counts else sum(count or 0 for count in counts)


def _total(values: Iterable[float | None]) -> float | None:
    total = 0.0
    for value in values:
        if value is None:
            return None
        total += value
    return total


def _episode(row: Row) -> float | None:
    return _total(row.seconds.get(part) for part in EPISODE)
