"""Numbers as a report writes them; a dash where there is none."""

from __future__ import annotations

__all__ = ["NONE", "chance", "money", "number", "percent", "percents", "plain", "signed"]

NONE = "–"


def percent(value: float | None) -> str:
    """A share, in percent."""
    return NONE if value is None else f"{100 * value:.1f}"


def percents(interval: tuple[float, float] | None) -> str:
    """An interval of shares, in percent."""
    return plain(interval and (100 * interval[0], 100 * interval[1]))


def number(value: float | None) -> str:
    """With one decimal."""
    return NONE if value is None else f"{value:.1f}"


def plain(interval: tuple[float, float] | None) -> str:
    """An interval of numbers."""
    if interval is None:
        return NONE
    low, high = interval
    # A dash after a minus is hard to read.
    between = " to " if low < 0 else "–"
    return f"{low:.1f}{between}{high:.1f}".replace("-", "−")


def signed(value: float) -> str:
    """With one decimal and its sign."""
    return f"{value:+.1f}".replace("-", "−")


def chance(p: float) -> str:
    """A p value."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def money(value: float | None) -> str:
    """US dollars."""
    return "unknown" if value is None else f"{value:.2f} USD"
