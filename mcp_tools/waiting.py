"""The one polling loop of the guest."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Optional, TypeVar

__all__ = ["wait_for"]

T = TypeVar("T")


def wait_for(seen: Callable[[], Optional[T]], within: float, every: float = 0.1) -> Optional[T]:
    """What `seen` returns once that is true, or None after `within` seconds."""
    end = time.monotonic() + within
    while not (found := seen()):
        left = end - time.monotonic()
        if left <= 0:
            return None
        time.sleep(min(every, left))
    return found
