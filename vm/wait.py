"""Waits for a condition, within a bound; the error of a timeout says what was seen instead."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

__all__ = ["NotYetError", "wait_for"]

T = TypeVar("T")


class NotYetError(Exception):
    """The condition does not hold yet; the message says what was seen instead."""


def wait_for(
    probe: Callable[[], T], *, bound: float, fail: Callable[[str], Exception], every: float = 0.05
) -> T:
    """Call `probe` until it stops raising `NotYetError`, and return its result.

    After `bound` seconds, raises `fail(message)` with the message of the last `NotYetError`.
    `every` is the pause between calls in seconds.
    """
    pause = threading.Event()
    deadline = time.monotonic() + bound
    while True:
        try:
            return probe()
        except NotYetError as error:
            if time.monotonic() >= deadline:
                raise fail(str(error)) from None
        pause.wait(every)
