"""The guest's only polling loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Optional, TypeVar

__all__ = ["wait_for"]

T = TypeVar("T")


def wait_for(
    condition: Callable[[], Optional[T]], within: float, every: float = 0.1
) -> Optional[T]:
    """Poll `condition` until it returns something true, and return that; None on timeout.

    `within` and `every` are in seconds.
    """
    end = time.monotonic() + within
    while not (result := condition()):
        left = end - time.monotonic()
        if left <= 0:
            return None
        time.sleep(min(every, left))
    return result
