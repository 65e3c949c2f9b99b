"""Decides when a screen is still, from reported changes and busy programs.

It does not access the screen, so that it can be tested without one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Optional, Protocol

__all__ = ["Change", "Rect", "Stillness", "first_difference", "union", "wait_until_still"]


LOOK_EVERY = 0.1
"""Seconds between two checks of the programs."""
LATE = 2.5 * LOOK_EVERY
"""Seconds since the last check after which a check is too late to be conclusive."""
DRAW_TIME = 1.0
"""Seconds that a program gets to draw its result at the end of a long wait."""


@dataclass(frozen=True)
class Rect:
    """A rectangle of the screen in pixels."""

    x: int
    y: int
    width: int
    height: int

    @property
    def area(self) -> int:
        """Its area in pixels."""
        return self.width * self.height

    def within(self, width: int, height: int) -> Optional[Rect]:
        """The part of it that is on a screen of that size; None if there is none."""
        x, y = max(self.x, 0), max(self.y, 0)
        right, bottom = min(self.x + self.width, width), min(self.y + self.height, height)
        return Rect(x, y, right - x, bottom - y) if right > x and bottom > y else None


def union(one: Optional[Rect], other: Optional[Rect]) -> Optional[Rect]:
    """The smallest rectangle around both; None means empty."""
    if one is None or other is None:
        return one or other
    x, y = min(one.x, other.x), min(one.y, other.y)
    right = max(one.x + one.width, other.x + other.width)
    bottom = max(one.y + one.height, other.y + other.height)
    return Rect(x, y, right - x, bottom - y)


@dataclass(frozen=True)
class Change:
    """A change of the screen: its area, and digests of the content before and after."""

    rect: Rect
    before: int
    after: int


class Stillness:
    """Tracks whether a screen is still: no motion for `still` seconds, and no program busy.

    Waiting ends after `settle` seconds, or a moment after programs stop being busy, and at the
    latest after `work` seconds. A change does not count as motion if it has at most `small` pixels
    (a caret, a clock), or if it restores content that was there before (a blinking button).
    """

    def __init__(self, now: float, still: float, settle: float, work: float, small: int) -> None:
        self._quiet_since = now
        self._still = still
        self._end = now + settle
        self._last = now + max(work, settle)
        self._small = small
        self._seen: set[tuple[Rect, int]] = set()

    def moved(self, now: float) -> None:
        """Record that a large area was drawn."""
        self._quiet_since = now

    def changed(self, change: Change, now: float) -> None:
        """Record a change whose exact area and content are known."""
        known = (change.rect, change.after) in self._seen
        self._seen.update({(change.rect, change.before), (change.rect, change.after)})
        if change.rect.area > self._small and not known:
            self._quiet_since = now

    def at_work(self, now: float) -> None:
        """Record that a program is busy."""
        self._quiet_since = now
        self._end = max(self._end, min(now + self._still + DRAW_TIME, self._last))

    def left(self, now: float) -> float:
        """Seconds left to wait; 0 or less once it is still or the time is up."""
        return min(self._quiet_since + self._still, self._end) - now

    def still(self, now: float) -> bool:
        """Whether the screen is still."""
        return now - self._quiet_since >= self._still


class BusyCheck(Protocol):
    """Checks whether programs are busy; see `guest.desktop.programs.Programs`."""

    def at_work(self) -> bool:
        """Whether a program was busy since the last call."""

    def give_up(self) -> None:
        """Ignore the programs that are busy now, since they do not come to rest."""


def wait_until_still(
    watch: Stillness,
    programs: BusyCheck,
    listen: Callable[[float], None],
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Wait until `watch` says that the screen is still, or its time is up.

    `listen` reports what is drawn to `watch` for a number of seconds; `clock` gives the times. A
    check that comes late counts as busy: whatever delays us (an overloaded host) delays the
    programs too.
    """
    programs.at_work()
    checked = clock()
    while watch.left(checked) > 0:
        listen(max(0.0, checked + LOOK_EVERY - clock()))
        busy = programs.at_work()
        listen(0)
        now = clock()
        if busy or now - checked >= LATE:
            watch.at_work(now)
        checked = now
    if not watch.still(checked):
        programs.give_up()


def first_difference(one: bytes, other: bytes) -> int:
    """The index of the first difference between two different byte strings of equal length."""
    low, high = 0, len(one)
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] != other[low:middle]:
            high = middle
        else:
            low = middle
    return low
