"""The statistics of a report beyond its lines, computed once for the text, JSON and HTML forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from ambidex.host.report.comparison import Comparison, Sameness, compare, identical
from ambidex.host.report.failure_kinds import Kind, kinds
from ambidex.host.report.paper import PaperRow, rows_of
from ambidex.host.report.pass_at_k import Passes, passes
from ambidex.host.report.released_script import Released, released
from ambidex.host.report.report_lines import Line
from ambidex.host.report.statistics import (
    Bootstrap,
    Correlation,
    Quoted,
    Repeats,
    bootstrap,
    correlation,
    quotable,
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
    """Statistics over the lines of a report. `bootstraps`, `quoted`, `repeats`, `passes`,
    `failures` and `released` have one entry per line, in the lines' order."""

    bootstraps: tuple[tuple[Bootstrap, ...], ...]
    quoted: tuple[Quoted | None, ...]
    """The interval of each line's accuracy over all tasks to quote."""
    repeats: tuple[tuple[Repeats, ...], ...]
    passes: tuple[tuple[Passes, ...], ...]
    failures: tuple[Mapping[Kind, int], ...]
    """The number of failures of each kind that occurs."""
    released: tuple[tuple[Released, ...], ...]
    """Empty unless requested."""
    empty: tuple[Path, ...]
    """Runs that are planned or begun and have no row, and so no line."""
    pairs: tuple[Pair, ...]
    correlation: Correlation | None
    """Correlation of TIR with accuracy over the lines that have both; None for fewer than three."""
    paper: tuple[PaperRow, ...]
    """The paper's rows for the models that were requested or matched."""


def find(
    lines: Sequence[Line],
    *,
    as_released: bool = False,
    paper: str = "",
    empty: Iterable[Path] = (),
) -> Findings:
    """Compute the statistics of these lines.

    `as_released` also computes the numbers of the released script; `paper` names the model whose
    figures are shown, instead of those that match the lines; `empty` are runs without a row. Raises
    `UsageError` if the paper has no such model.
    """
    totals = [line.summary.groups[-1] for line in lines]
    pairs = [
        (total.tir, total.accuracy)
        for total in totals
        if total.tir is not None and total.accuracy is not None
    ]
    bootstraps = tuple(bootstrap(line.rows) for line in lines)
    return Findings(
        bootstraps=bootstraps,
        quoted=tuple(
            quotable(line.rows, drawn[-1]) for line, drawn in zip(lines, bootstraps, strict=True)
        ),
        repeats=tuple(repeats(line.rows, line.tasks) for line in lines),
        passes=tuple(passes(line.rows, line.tasks, line.config.runs) for line in lines),
        failures=tuple(kinds(line.rows, line.run) for line in lines),
        released=tuple(released(line.rows, line.tasks) for line in lines) if as_released else (),
        empty=tuple(empty),
        pairs=tuple(_pairs(lines)),
        correlation=correlation(pairs),
        paper=tuple(_paper_rows(lines, paper)),
    )


def _pairs(lines: Sequence[Line]) -> Iterator[Pair]:
    for a, b in combinations(lines, 2):
        comparison = compare(a.rows, b.rows)
        if comparison:
            yield Pair(a, b, comparison, identical(a.rows, b.rows))


def _paper_rows(lines: Sequence[Line], requested: str) -> Iterator[PaperRow]:
    if requested:
        yield from rows_of(requested)
        return
    for model in dict.fromkeys(line.paper_model for line in lines if line.paper_model):
        yield from rows_of(model)
