"""When a screen is still: pure bookkeeping over what changed where, so that it can be tested
without a screen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

__all__ = ["Rect", "Stillness", "union"]


@dataclass(frozen=True)
class Rect:
    """A rectangle of the screen in pixels."""

    x: int
    y: int
    width: int
    height: int

    @property
    def area(self) -> int:
        """Its pixels."""
        return self.width * self.height

    def within(self, width: int, height: int) -> Optional[Rect]:
        """The part of it that lies on a screen of that size, if any."""
        x, y = max(self.x, 0), max(self.y, 0)
        right, bottom = min(self.x + self.width, width), min(self.y + self.height, height)
        return Rect(x, y, right - x, bottom - y) if right > x and bottom > y else None


def union(one: Optional[Rect], other: Optional[Rect]) -> Optional[Rect]:
    """The smallest rectangle around both; None is nothing at all."""
    if one is None or other is None:
        return one or other
    x, y = min(one.x, other.x), min(one.y, other.y)
    right = max(one.x + one.width, other.x + other.width)
    bottom = max(one.y + one.height, other.y + other.height)
    return Rect(x, y, right - x, bottom - y)


class Stillness:
    """Still is a screen on which nothing larger than `small` pixels changed for `still` seconds.

    Small is what moves on a desktop that rests: a blinking caret, a clock.
    """

    def __init__(self, now: float, still: float, settle: float, small: int) -> None:
        self._quiet_since = now
        self._still = still
        self._end = now + settle
        self._small = small

    def saw(self, area: int, now: float) -> None:
        """Something of that many pixels changed."""
        if area > self._small:
            self._quiet_since = now

    def left(self, now: float) -> float:
        """Seconds to go on watching for; 0 or less when it is still or the bound has passed."""
        return min(self._quiet_since + self._still, self._end) - now

    def still(self, now: float) -> bool:
        """Whether it is."""
        return now - self._quiet_since >= self._still
