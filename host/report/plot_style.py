"""How a plot looks: no frame, no grid, colours that most colour-blind people tell apart (Okabe and
Ito's), and ink that follows the page, light or dark."""

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

# Stand-ins: matplotlib needs colours of its own kind, and the page's are put in their place.
INK, MUTED = "#010203", "#040506"
PAGE = {INK: "currentColor", MUTED: "var(--muted)"}

STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text: it can be searched, and needs no font of ours
    "svg.hashsalt": "ambidex",  # the same plot is the same file
    "text.parse_math": False,  # a dollar sign in a model's name is a dollar sign
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
    """A drawing, what it says and how it is to be read."""

    name: str
    title: str
    note: str
    svg: str


@contextmanager
def drawing(width: float, height: float) -> Iterator[Figure]:
    """A figure of that size in inches, to be drawn on in our style."""
    with matplotlib.rc_context(STYLE):
        yield Figure(figsize=(width, height), layout="constrained")


def plotted(figure: Figure, name: str, title: str, note: str = "") -> Plot:
    """The figure as an SVG element that fills the width it is given.

    `name` comes before all ids in it, so that several fit on a page; `title` is also for who cannot
    see it.
    """
    return Plot(name, title, note, _svg(figure, name, title))


def legend(figure: Figure, columns: int = 2) -> None:
    """Above the axes, where it hides nothing."""
    figure.legend(loc="outside upper left", ncols=columns, handlelength=1.2, columnspacing=1.2)


def bare(axes: Axes) -> None:
    """Bars need no ticks beside their names."""
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _svg(figure: Figure, name: str, about: str) -> str:
    target = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(target, format="svg", transparent=True, metadata=nothing)
    text = target.getvalue()
    text = text[text.index("<svg") :]
    head, rest = text.split(">", 1)
    head = re.sub(r' (width|height|xmlns|xmlns:xlink|version)="[^"]*"', "", head)
    # Its one rule would hold for the whole page.
    rest = re.sub(r"<style.*?</style>", "", rest, flags=re.DOTALL)
    rest = re.sub(r'(\bid="|xlink:href="#|url\(#)', rf"\g<1>{name}-", rest)
    text = f'{head} role="img" aria-label="{escape(about)}">{rest}'.replace("xlink:href", "href")
    for stand_in, colour in PAGE.items():
        text = text.replace(stand_in, colour)
    return text
