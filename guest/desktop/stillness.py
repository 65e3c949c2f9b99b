"""When a screen is still: bookkeeping over what changed where and who was at work, apart from the
screen so that it can be tested without one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Optional, Protocol

__all__ = ["Change", "Rect", "Stillness", "first_difference", "union", "wait_until_still"]


LOOK_EVERY = 0.1
"""Seconds between two looks at what the programs do."""
LATE = 2.5 * LOOK_EVERY
"""Seconds after the one before when a look comes too late to tell anything."""
DRAWS = 1.0
"""Seconds that a program gets to draw what came of its work, at the end of a long wait."""


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


@dataclass(frozen=True)
class Change:
    """What differs after something was drawn: where, and digests of what stood and stands there."""

    rect: Rect
    before: int
    after: int


class Stillness:
    """Still is a screen on which nothing happened for `still` seconds, and behind which no program
    is at work. What moves is watched for `settle` seconds, and for a moment after work has ended;
    what is at work for `work` seconds.

    Nothing happens where no more than `small` pixels change (a caret, a clock), and where something
    comes back that was there before (a blinking button): what blinks would never come to rest.
    """

    def __init__(self, now: float, still: float, settle: float, work: float, small: int) -> None:
        self._quiet_since = now
        self._still = still
        self._end = now + settle
        self._last = now + max(work, settle)
        self._small = small
        self._seen: set[tuple[Rect, int]] = set()

    def moved(self, now: float) -> None:
        """Something large was drawn."""
        self._quiet_since = now

    def changed(self, change: Change, now: float) -> None:
        """Something was drawn and is known closely."""
        known = (change.rect, change.after) in self._seen
        self._seen.update({(change.rect, change.before), (change.rect, change.after)})
        if change.rect.area > self._small and not known:
            self._quiet_since = now

    def at_work(self, now: float) -> None:
        """A program has not taken in yet what it was told."""
        self._quiet_since = now
        self._end = max(self._end, min(now + self._still + DRAWS, self._last))

    def left(self, now: float) -> float:
        """Seconds to go on watching for; 0 or less when it is still or the bound has passed."""
        return min(self._quiet_since + self._still, self._end) - now

    def still(self, now: float) -> bool:
        """Whether it is."""
        return now - self._quiet_since >= self._still


class AtWork(Protocol):
    """What is watched for work; see `guest.desktop.programs.Programs`."""

    def at_work(self) -> bool:
        """Whether something was, since the last question."""

    def give_up(self) -> None:
        """What is at work now does not come to rest."""


def wait_until_still(
    watch: Stillness,
    programs: AtWork,
    listen: Callable[[float], None],
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Return when `watch` says so. `listen` tells it what is drawn for that many seconds; `clock`
    is the one that `watch` goes by.

    Only looks that come in time tell: whoever holds us up (a host with more to do than it has
    processors) holds up the programs as well.
    """
    programs.at_work()
    looked = clock()
    while watch.left(looked) > 0:
        listen(max(0.0, looked + LOOK_EVERY - clock()))
        busy = programs.at_work()
        listen(0)
        now = clock()
        if busy or now - looked >= LATE:
            watch.at_work(now)
        looked = now
    if not watch.still(looked):
        programs.give_up()


def first_difference(one: bytes, other: bytes) -> int:
    """Where two different byte strings of one length begin to differ."""
    low, high = 0, len(one)
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] != other[low:middle]:
            high = middle
        else:
            low = middle
    return low
