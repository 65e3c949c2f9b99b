"""Exactly once: a call with an id that was seen before is not done again."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Generic, Optional, TypeVar

__all__ = ["Store"]

T = TypeVar("T")


class Store(Generic[T]):
    """Results by call id, the latest `size` of them. Callers of one id wait for the same work."""

    def __init__(self, size: int = 256) -> None:
        self._size = size
        self._kept: OrderedDict[str, asyncio.Task[T]] = OrderedDict()

    async def once(self, call: str, work: Callable[[], Awaitable[T]]) -> T:
        """The result of `work`, done now or when `call` was first seen.

        The work goes on when its caller goes away: a host that lost its connection asks again by
        the same id.
        """
        task = self._kept.get(call)
        if task is None:
            task = asyncio.ensure_future(_run(work))
            self._kept[call] = task
            while len(self._kept) > self._size and self._oldest().done():
                self._kept.popitem(last=False)
        return await asyncio.shield(task)

    async def result(self, call: str) -> Optional[T]:
        """What came of `call`, awaited if it still runs; None if it is not known here."""
        task = self._kept.get(call)
        return await asyncio.shield(task) if task else None

    def _oldest(self) -> asyncio.Task[T]:
        return next(iter(self._kept.values()))

    def forget(self) -> None:
        """Drop every finished result; what still runs goes on, unremembered."""
        self._kept.clear()


async def _run(work: Callable[[], Awaitable[T]]) -> T:
    return await work()
