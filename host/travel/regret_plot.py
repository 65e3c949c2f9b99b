"""Plot of both modalities at each decision. matplotlib is slow to import: import this module only
where plots are drawn."""

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
from ambidex.host.travel.regret import ComparedDecision, Outcome

__all__ = ["modality_plot"]

SHOWN = 40
"""Largest number of decisions in the plot."""
LOOK: dict[Modality, tuple[str, str, str]] = {
    "gui": ("GUI", "o", COLOURS[0]),
    "tools": ("tools", "s", COLOURS[1]),
}


def modality_plot(compared: Sequence[ComparedDecision]) -> Plot | None:
    """Success rate and mean steps of each modality; None if no decision has outcomes of both."""
    known = [decision for decision in compared if decision.gui.n and decision.tools.n]
    if not known:
        return None
    dearest = sorted(range(len(known)), key=lambda at: _lost(known[at]))[-SHOWN:]
    shown = [known[at] for at in sorted(dearest)]
    with drawing(WIDTH, 1.0 + 0.26 * len(shown)) as figure:
        # Keep the tick labels of the two axes apart.
        success, steps = figure.subplots(1, 2, sharey=True, gridspec_kw={"wspace": 0.08})
        for hand, (name, marker, colour) in LOOK.items():
            success.plot([], [], marker, color=colour, label=name, linestyle="none")
            for at, decision in enumerate(shown):
                outcome: Outcome = getattr(decision, hand)
                _mark(success, hand, decision, 100 * outcome.success, at)
                _mark(steps, hand, decision, outcome.steps, at)
        for axes, name in ((success, "solved %"), (steps, "steps")):
            axes.set_xlabel(name)
            axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
            bare(axes)
            for at in range(len(shown)):
                axes.axhline(at, color=MUTED, linewidth=0.4, zorder=0)
        success.set_xlim(-6, 106)
        success.set_yticks(
            range(len(shown)), [f"{decision.trial}, step {decision.step}" for decision in shown]
        )
        success.set_ylim(len(shown) - 0.4, -0.6)
        legend(figure)
        return plotted(figure, "hands", _title(known), _note(len(shown), len(known)))


def _lost(decision: ComparedDecision) -> tuple[float, float]:
    return decision.success_lost, decision.steps_lost if decision.even else 0.0


def _mark(axes: Axes, hand: Modality, decision: ComparedDecision, value: float, at: int) -> None:
    _, marker, colour = LOOK[hand]
    # Offset from the line, so that the two marks do not overlap.
    y = at + (0.16 if hand == "tools" else -0.16)
    style = "full" if decision.used == hand else "none"
    axes.plot(value, y, marker, color=colour, markersize=5.5, fillstyle=style)


def _title(known: Sequence[ComparedDecision]) -> str:
    with_better = [decision for decision in known if decision.better]
    if not with_better:
        return "Neither modality was better at any decision"
    right = sum(decision.right for decision in with_better)
    return f"At {right} of {len(with_better)} decisions with a better modality, it was taken"


def _note(shown: int, known: int) -> str:
    more = f"The {shown} of {known} decisions with the largest loss. " if shown < known else ""
    return f"{more}Filled: the modality that was taken. Means over the branches of each modality."
