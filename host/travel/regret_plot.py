"""Both hands at each decision as a plot. matplotlib is heavy: import this where it is wanted."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ambidex.host.records.config import Modality
from ambidex.host.report.plot_style import (
    COLOURS,
    MUTED,
    WIDTH,
    Plot,
    bare,
    drawing,
    legend,
    plotted,
)
from ambidex.host.travel.regret import Decided, Outcome

__all__ = ["hands_plot"]

SHOWN = 40
"""Decisions that it has room for."""
LOOK: dict[Modality, tuple[str, str, str]] = {
    "gui": ("GUI", "o", COLOURS[0]),
    "tools": ("tools", "s", COLOURS[1]),
}


def hands_plot(found: Sequence[Decided]) -> Plot | None:
    """How often each hand led to success, and in how many steps; None where nothing is known of
    both."""
    known = [each for each in found if each.gui.n and each.tools.n]
    if not known:
        return None
    dearest = sorted(range(len(known)), key=lambda at: _lost(known[at]))[-SHOWN:]
    shown = [known[at] for at in sorted(dearest)]
    with drawing(WIDTH, 1.0 + 0.26 * len(shown)) as figure:
        # Numbers below the two stay apart.
        success, steps = figure.subplots(1, 2, sharey=True, gridspec_kw={"wspace": 0.08})
        for hand, (name, marker, colour) in LOOK.items():
            success.plot([], [], marker, color=colour, label=name, linestyle="none")
            for at, each in enumerate(shown):
                came: Outcome = getattr(each, hand)
                _mark(success, hand, each, 100 * came.success, at)
                _mark(steps, hand, each, came.steps, at)
        for axes, name in ((success, "solved %"), (steps, "steps")):
            axes.set_xlabel(name)
            axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
            bare(axes)
            for at in range(len(shown)):
                axes.axhline(at, color=MUTED, linewidth=0.4, zorder=0)
        success.set_xlim(-6, 106)
        success.set_yticks(range(len(shown)), [f"{each.trial}, step {each.step}" for each in shown])
        success.set_ylim(len(shown) - 0.4, -0.6)
        legend(figure)
        return plotted(figure, "hands", _title(known), _note(len(shown), len(known)))


def _lost(each: Decided) -> tuple[float, float]:
    return each.success_lost, each.steps_lost if each.even else 0.0


def _mark(axes: Axes, hand: Modality, each: Decided, value: float, at: int) -> None:
    _, marker, colour = LOOK[hand]
    # Above and below the line, so that neither hides the other.
    beside = at + (0.16 if hand == "tools" else -0.16)
    style = "full" if each.used == hand else "none"
    axes.plot(value, beside, marker, color=colour, markersize=5.5, fillstyle=style)


def _title(known: Sequence[Decided]) -> str:
    told = [each for each in known if each.better]
    if not told:
        return "Neither hand was better at any decision"
    right = sum(each.right for each in told)
    return f"At {right} of {len(told)} decisions that have a better hand it was the one taken"


def _note(shown: int, known: int) -> str:
    more = f"The {shown} of {known} decisions at which most was lost. " if shown < known else ""
    return f"{more}Filled: the hand that was taken. Means over the branches of each hand."
