"""The style of plots: no frame, no grid, colours that most colour-blind people can tell apart
(Okabe and Ito's), and text colours that follow the page's light or dark theme."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

__all__ = [
    "COLOURS",
    "INK",
    "MARKERS",
    "MUTED",
    "WIDTH",
    "Plot",
    "bare",
    "drawing",
    "legend",
    "plotted",
]

WIDTH = 6.6
"""Inches."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31")
MARKERS = ("o", "s", "D", "^", "v", "P", "X")

# Placeholders: matplotlib does not accept CSS colours, so these are replaced in the SVG.
INK, MUTED = "#010203", "#040506"
PAGE = {INK: "currentColor", MUTED: "var(--muted)"}

STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays searchable and uses the page's font
    "svg.hashsalt": "ambidex",  # deterministic ids: the same plot gives the same file
    "text.parse_math": False,  # a dollar sign in a model's name is a dollar sign
    "date.converter": "concise",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8,
}


@dataclass(frozen=True)
class Plot:
    """A plot as SVG, with a title that states its message and a note on how to read it."""

    name: str
    title: str
    note: str
    svg: str


@contextmanager
def drawing(width: float, height: float) -> Iterator[Figure]:
    """Yield a figure of this size in inches, with the style of this module active."""
    with matplotlib.rc_context(STYLE):
        yield Figure(figsize=(width, height), layout="constrained")


def plotted(figure: Figure, name: str, title: str, note: str = "") -> Plot:
    """Convert a figure to an SVG element that fills the available width.

    `name` prefixes all ids in it, so that several plots fit on one page. `title` is also the
    accessible label.
    """
    return Plot(name, title, note, _svg(figure, name, title))


def legend(figure: Figure, columns: int = 2) -> None:
    """Place the legend above the axes, where it covers no data."""
    figure.legend(loc="outside upper left", ncols=columns, handlelength=1.2, columnspacing=1.2)


def bare(axes: Axes) -> None:
    """Remove the ticks and the line of the y axis, which bars with names do not need."""
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _svg(figure: Figure, name: str, label: str) -> str:
    target = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(target, format="svg", transparent=True, metadata=nothing)
    text = target.getvalue()
    text = text[text.index("<svg") :]
    head, rest = text.split(">", 1)
    head = re.sub(r' (width|height|xmlns|xmlns:xlink|version)="[^"]*"', "", head)
    # The <style> element's one rule would apply to the whole page.
    rest = re.sub(r"<style.*?</style>", "", rest, flags=re.DOTALL)
    rest = re.sub(r'(\bid="|xlink:href="#|url\(#)', rf"\g<1>{name}-", rest)
    text = f'{head} role="img" aria-label="{escape(label)}">{rest}'.replace("xlink:href", "href")
    for placeholder, colour in PAGE.items():
        text = text.replace(placeholder, colour)
    return text
