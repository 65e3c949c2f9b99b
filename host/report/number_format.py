"""Formatting of numbers in reports; a missing number is a dash."""

from __future__ import annotations

__all__ = ["NONE", "chance", "money", "number", "percent", "percents", "plain", "signed", "whole"]

NONE = "–"


def percent(value: float | None) -> str:
    """Format a share between 0 and 1 as percent."""
    return NONE if value is None else f"{100 * value:.1f}"


def percents(interval: tuple[float, float] | None) -> str:
    """Format an interval of shares as percent."""
    return plain(interval and (100 * interval[0], 100 * interval[1]))


def number(value: float | None) -> str:
    """Format with one decimal."""
    return NONE if value is None else f"{value:.1f}"


def plain(interval: tuple[float, float] | None) -> str:
    """Format an interval of numbers with one decimal."""
    if interval is None:
        return NONE
    low, high = interval
    # A dash after a minus is hard to read.
    between = " to " if low < 0 else "–"
    return f"{low:.1f}{between}{high:.1f}".replace("-", "−")


def whole(value: float | None) -> str:
    """Format without decimals."""
    return NONE if value is None else f"{value:.0f}"


def signed(value: float) -> str:
    """Format with one decimal and a sign."""
    return f"{value:+.1f}".replace("-", "−")


def chance(p: float) -> str:
    """Format a p value."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def money(value: float | None) -> str:
    """Format an amount of US dollars."""
    return "unknown" if value is None else f"{value:.2f} USD"
