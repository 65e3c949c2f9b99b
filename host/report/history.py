"""How the results on a suite changed from date to date."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from ambidex.host.report.metrics import Group
from ambidex.host.report.plot_style import COLOURS, MARKERS, WIDTH, Plot, drawing, legend, plotted
from ambidex.host.report.report_lines import Line

__all__ = ["Dated", "SuiteHistory", "histories", "history_plot"]


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


def history_plot(history: SuiteHistory, number: int) -> Plot:
    """Accuracy by date with Wilson's interval, a colour for each agent or model and condition."""
    series: dict[str, list[Dated]] = {}
    for result in history.results:
        series.setdefault(result.line.names[1], []).append(result)
    with drawing(WIDTH, 2.9) as figure:
        axes = figure.subplots()
        for at, (name, results) in enumerate(series.items()):
            values = [100 * (result.total.accuracy or 0.0) for result in results]
            ends = [result.total.interval or (0.0, 1.0) for result in results]
            low = [value - 100 * end[0] for value, end in zip(values, ends, strict=True)]
            high = [100 * end[1] - value for value, end in zip(values, ends, strict=True)]
            axes.errorbar(
                np.array([result.day for result in results], dtype="datetime64[D]"),
                values,
                ([max(0.0, below) for below in low], [max(0.0, above) for above in high]),
                fmt=MARKERS[at % len(MARKERS)] + "-",
                color=COLOURS[at % len(COLOURS)],
                label=name,
                capsize=2,
                linewidth=0.9,
            )
        axes.set_ylim(-3, 103)
        axes.set_ylabel("accuracy %")
        legend(figure)
        first, last = history.results[0].day, history.results[-1].day
        return plotted(
            figure,
            f"history-{number}",
            f"Accuracy on {history.suite} from {first} to {last}",
            "Bars: Wilson's 95 % interval. A change of tasks, checks or images between dates also"
            " changes results; the hashes under Configuration tell.",
        )
