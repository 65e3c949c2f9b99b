"""Waiting on a condition with a bound; the last try says what was seen instead."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

__all__ = ["NotYetError", "wait_for"]

T = TypeVar("T")


class NotYetError(Exception):
    """The condition does not hold; the text says what was seen."""


def wait_for(
    probe: Callable[[], T], *, bound: float, fail: Callable[[str], Exception], every: float = 0.05
) -> T:
    """What `probe` returns once it stops raising `NotYetError`; after `bound` seconds, `fail(what
    was seen)`.
    """
    pause = threading.Event()
    deadline = time.monotonic() + bound
    while True:
        try:
            return probe()
        except NotYetError as seen:
            if time.monotonic() >= deadline:
                raise fail(str(seen)) from None
        pause.wait(every)
