"""The plots of a report, entry as SVG with a title that states its message. matplotlib is slow to
import: import this module only where plots are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ambidex.host.report.history import Dated, SuiteHistory
from ambidex.host.report.metrics import PARTS
from ambidex.host.report.number_format import percent
from ambidex.host.report.paper import paper
from ambidex.host.report.plot_style import (
    COLOURS,
    INK,
    MARKERS,
    MUTED,
    WIDTH,
    Plot,
    bare,
    drawing,
    legend,
    plotted,
)
from ambidex.host.report.report_lines import Line

__all__ = ["history_plot", "plots"]

CALLED = 20
"""Number of tools entry in the census of calls."""


@dataclass(frozen=True)
class PlottedLine:
    """A line of the report with its colour and marker, the same in every plot."""

    line: Line
    colour: str
    marker: str
    at: int

    @property
    def n(self) -> int:
        """Number of scored trials, at least 1, as a divisor."""
        return max(1, self.line.summary.groups[-1].n)


def plots(lines: Sequence[Line]) -> Iterator[Plot]:
    """All plots that the lines have data for."""
    entries = [
        PlottedLine(line, COLOURS[at % len(COLOURS)], MARKERS[at % len(MARKERS)], at)
        for at, line in enumerate(lines)
        if line.summary.groups[-1].n
    ]
    if not entries:
        return
    yield _tir(entries)
    yield _by_useful_tools(entries)
    yield _by_application(entries)
    # The other plots of an interim verdict would show the beginning of the one at the limit.
    full = [entry for entry in entries if entry.line.cap == entry.line.config.limits.steps]
    yield from (_census(entry) for entry in full if entry.line.summary.tool_calls)
    if full:
        yield _steps(full)
    if asked := [entry for entry in full if entry.line.summary.requests]:
        yield _tokens(asked)
    if timed := [entry for entry in full if entry.line.summary.seconds]:
        yield _seconds(timed)


def _tir(entries: Sequence[PlottedLine]) -> Plot:
    with drawing(WIDTH, 4.6) as figure:
        axes = figure.subplots()
        _paper_points(axes)
        top = 55.0
        for entry in entries:
            both = entry.line.summary.groups[-1]
            accuracy = 100 * (both.accuracy or 0.0)
            # A run without tools has no TIR; its accuracy is still worth showing.
            x, style = (0.0, "none") if both.tir is None else (100 * both.tir, "full")
            axes.plot(x, accuracy, entry.marker, color=entry.colour, markersize=8,
                      fillstyle=style, label=entry.line.name, linestyle="none")  # fmt: skip
            top = max(top, accuracy + 5)
        axes.plot((0, top), (0, top), color=MUTED, linewidth=0.6, linestyle=(0, (4, 3)))
        axes.set_xlabel("TIR %")
        axes.set_ylabel("accuracy %")
        axes.set_xlim(-1, top)
        axes.set_ylim(0, top)
        legend(figure)
        return plotted(
            figure,
            "tir",
            "Accuracy against TIR: the further above the dashed line, the more was solved without"
            " tools where they help, or with them where they do not",
            "Dashed: TIR = accuracy, its bound. Grey: the paper's models with tools, at 15 steps"
            " (circles) and 50 (squares). Hollow: no tools on offer, so no TIR.",
        )


def _paper_points(axes: Axes) -> None:
    ends = []
    for model in paper().models:
        points = sorted(
            (row.steps, row.groups["all"].tir or 0.0, row.groups["all"].accuracy)
            for row in paper().rows
            if (row.table, row.condition, row.model) == (1, "hybrid", model.name)
        )
        axes.plot([x for _, x, _ in points], [y for *_, y in points], color=MUTED, linewidth=0.5)
        for (_, x, y), marker in zip(points, ("o", "s"), strict=True):
            axes.plot(x, y, marker, color=MUTED, markersize=3.5)
        ends.append((points[-1][2], points[-1][1], model.name))
    below = -10.0
    for y, x, name in sorted(ends):
        # Stack names where their points are close together.
        below = max(y, below + 1.5)
        axes.annotate(f"{name}  ", (x, below), ha="right", va="center", color=MUTED, fontsize=6.5)


def _by_useful_tools(entries: Sequence[PlottedLine]) -> Plot:
    names = sorted({int(part.name) for entry in entries for part in entry.line.summary.useful})
    with drawing(WIDTH, 3.4) as figure:
        axes = figure.subplots()
        for nth, entry in enumerate(entries):
            parts = entry.line.summary.useful
            # Shift sideways, so that intervals do not overlap.
            shift = 0.5 * (nth - (len(entries) - 1) / 2) / len(entries)
            values = [100 * (part.accuracy or 0.0) for part in parts]
            ends = [part.interval or (0.0, 0.0) for part in parts]
            # An interval may exclude the value by a rounding error.
            below = [max(0.0, v - 100 * low) for v, (low, _) in zip(values, ends, strict=True)]
            above = [max(0.0, 100 * high - v) for v, (_, high) in zip(values, ends, strict=True)]
            axes.errorbar([int(part.name) + shift for part in parts], values, (below, above),
                          fmt=entry.marker, color=entry.colour, label=entry.line.name,
                          markersize=5, elinewidth=0.8)  # fmt: skip
        axes.set_xticks(names)
        axes.set_xlabel("tools that the task calls useful")
        axes.set_ylabel("accuracy %")
        axes.set_ylim(0, 100)
        legend(figure)
        title = "Accuracy by the number of tools that help with a task"
        return plotted(figure, "useful", title, "Bars: Wilson's 95 % intervals.")


def _by_application(entries: Sequence[PlottedLine]) -> Plot:
    names = sorted({part.name for entry in entries for part in entry.line.summary.domains})[::-1]
    bar = 0.8 / len(entries)
    with drawing(WIDTH, 1.0 + len(names) * (0.12 + 0.11 * len(entries))) as figure:
        axes = figure.subplots()
        for nth, entry in enumerate(entries):
            parts = {part.name: part.accuracy for part in entry.line.summary.domains}
            down = [at + 0.4 - bar * (nth + 0.5) for at in range(len(names))]
            widths = [100 * (parts.get(name) or 0.0) for name in names]
            axes.barh(down, widths, bar * 0.9, color=entry.colour, label=entry.line.name)
        axes.set_yticks(range(len(names)), names)
        axes.margins(y=0.01)
        axes.set_xlim(0, 100)
        axes.set_xlabel("accuracy %")
        legend(figure)
        bare(axes)
        return plotted(figure, "apps", _applications(entries))


def _applications(entries: Sequence[PlottedLine]) -> str:
    parts = [part for part in entries[0].line.summary.domains if part.accuracy is not None]
    if len(entries) > 1 or len(parts) < 2:
        return "Accuracy by application"
    best = max(parts, key=lambda part: part.accuracy or 0.0)
    worst = min(parts, key=lambda part: part.accuracy or 0.0)
    return (
        f"Accuracy by application: from {percent(worst.accuracy)} % in {worst.name}"
        f" to {percent(best.accuracy)} % in {best.name}"
    )


def _census(entry: PlottedLine) -> Plot:
    summary = entry.line.summary
    used = [use for use in summary.census if use.calls]
    top = used[:CALLED][::-1]
    with drawing(WIDTH, 0.9 + 0.19 * len(top)) as figure:
        axes = figure.subplots()
        failed = [use.errors for use in top]
        repeated = [use.repeats for use in top]
        succeeded = [use.calls - f - r for use, f, r in zip(top, failed, repeated, strict=True)]
        down = range(len(top))
        parts = (("succeeded", succeeded), ("repeated", repeated), ("failed", failed))
        _stack(axes, down, parts, (COLOURS[0], COLOURS[4], COLOURS[1]))
        axes.set_yticks(down, [use.tool for use in top])
        axes.set_xlabel("calls")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        legend(figure, 3)
        bare(axes)
        unused = summary.unused
        title = f"{entry.line.name} called {len(used)} tool{'s' * (len(used) != 1)}"
        title += f", and never {len(unused)} that it was offered" if unused else ""
        more = f"The {len(top)} most called are entry. " if len(used) > len(top) else ""
        unused_tools = f"Never called: {', '.join(unused)}." if unused else ""
        return plotted(figure, f"census-{entry.at}", title, more + unused_tools)


def _steps(entries: Sequence[PlottedLine]) -> Plot:
    with drawing(WIDTH, 0.6 + 1.2 * len(entries)) as figure:
        every = figure.subplots(len(entries), 1, sharex=True, squeeze=False)[:, 0]
        for entry, axes in zip(entries, every, strict=True):
            counts = entry.line.summary.step_counts
            across = [count.steps for count in counts]
            solved = [count.solved for count in counts]
            unsolved = [count.unsolved for count in counts]
            axes.bar(across, solved, 0.9, color=entry.colour)
            axes.bar(across, unsolved, 0.9, solved, color=MUTED, alpha=0.5)
            axes.set_title(entry.line.name, loc="left", fontsize=8)
            axes.set_ylabel("trials")
            axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        every[-1].set_xlabel("steps")
        title = "How many steps trials took: solved in colour, unsolved in grey"
        return plotted(figure, "steps", title, "Trials that reached the limit are at the limit.")


def _tokens(entries: Sequence[PlottedLine]) -> Plot:
    with drawing(WIDTH, 1.0 + 0.28 * len(entries)) as figure:
        axes = figure.subplots()

        def mean(number: Callable[[Line], int]) -> list[float]:
            return [number(entry.line) / entry.n / 1000 for entry in entries]

        parts = (
            (
                "input",
                mean(lambda line: line.summary.input_tokens - line.summary.cached_tokens),
            ),
            ("cached input", mean(lambda line: line.summary.cached_tokens)),
            ("output", mean(lambda line: line.summary.output_tokens)),
        )
        down = range(len(entries))[::-1]
        ends = _stack(axes, down, parts, (COLOURS[0], COLOURS[5], COLOURS[1]))
        for at, entry, end in zip(down, entries, ends, strict=True):
            cost = entry.line.summary.cost
            text = "cost unknown" if cost is None else f"{cost / entry.n:.2f} USD"
            axes.text(end, at, f"  {text}", va="center", fontsize=8, color=INK)
        axes.set_xlim(0, 1.2 * max(ends) or 1)
        axes.set_yticks(down, [entry.line.name for entry in entries])
        axes.set_xlabel("thousand tokens per trial")
        legend(figure, 3)
        bare(axes)
        title = "Tokens and cost per trial"
        return plotted(figure, "tokens", title, "Means over scored trials.")


def _seconds(entries: Sequence[PlottedLine]) -> Plot:
    with drawing(WIDTH, 1.0 + 0.28 * len(entries)) as figure:
        axes = figure.subplots()
        down = range(len(entries))[::-1]
        parts = [
            (part, [entry.line.summary.seconds.get(part, 0.0) / entry.n for entry in entries])
            for part in PARTS
        ]
        _stack(axes, down, parts, (*COLOURS, MUTED))
        axes.set_yticks(down, [entry.line.name for entry in entries])
        axes.set_xlabel("seconds per trial")
        legend(figure, len(PARTS))
        bare(axes)
        title = "Where the time of a trial goes"
        return plotted(figure, "seconds", title, "Means over scored trials.")


def _stack(
    axes: Axes,
    down: Sequence[int],
    parts: Sequence[tuple[str, Sequence[float]]],
    colours: Sequence[str],
) -> list[float]:
    """Draw stacked horizontal bars; returns where entry stack ends."""
    left = [0.0] * len(down)
    for (name, widths), colour in zip(parts, colours, strict=True):
        axes.barh(down, widths, 0.7, left, color=colour, label=name)
        left = [a + b for a, b in zip(left, widths, strict=True)]
    return left


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
