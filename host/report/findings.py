"""Everything that a report says beyond the lines themselves: it is worked out once, and printed,
written as JSON or drawn from here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from ambidex.host.report.comparison import Comparison, Sameness, compare, identical
from ambidex.host.report.paper import PaperRow, rows_of
from ambidex.host.report.released_script import Released, released
from ambidex.host.report.report_lines import Line
from ambidex.host.report.statistics import (
    Bootstrap,
    Correlation,
    Repeats,
    bootstrap,
    correlation,
    repeats,
)

__all__ = ["Findings", "Pair", "find"]


@dataclass(frozen=True)
class Pair:
    """Two lines that share tasks."""

    a: Line
    b: Line
    comparison: Comparison
    sameness: Sameness


@dataclass(frozen=True)
class Findings:
    """Beside the lines, in their order."""

    bootstraps: tuple[tuple[Bootstrap, ...], ...]
    repeats: tuple[tuple[Repeats, ...], ...]
    released: tuple[tuple[Released, ...], ...]
    """Empty where it was not asked for."""
    pairs: tuple[Pair, ...]
    correlation: Correlation | None
    """Of TIR with accuracy over the lines that have both, where there are at least three."""
    paper: tuple[PaperRow, ...]
    """Of the models that were asked for or matched."""


def find(lines: Sequence[Line], *, as_released: bool = False, paper: str = "") -> Findings:
    """Work it out; `UsageError` where the paper has no model of that name."""
    both = [line.summary.groups[-1] for line in lines]
    pairs = [
        (each.tir, each.accuracy)
        for each in both
        if each.tir is not None and each.accuracy is not None
    ]
    return Findings(
        bootstraps=tuple(bootstrap(line.rows) for line in lines),
        repeats=tuple(repeats(line.rows, line.tasks) for line in lines),
        released=tuple(released(line.rows, line.tasks) for line in lines) if as_released else (),
        pairs=tuple(_pairs(lines)),
        correlation=correlation(pairs),
        paper=tuple(_paper_rows(lines, paper)),
    )


def _pairs(lines: Sequence[Line]) -> Iterator[Pair]:
    for a, b in combinations(lines, 2):
        found = compare(a.rows, b.rows)
        if found:
            yield Pair(a, b, found, identical(a.rows, b.rows))


def _paper_rows(lines: Sequence[Line], asked: str) -> Iterator[PaperRow]:
    if asked:
        yield from rows_of(asked)
        return
    for model in dict.fromkeys(line.paper_model for line in lines if line.paper_model):
        yield from rows_of(model)
