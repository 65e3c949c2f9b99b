"""Executes each call exactly once: a repeated id gets the stored result."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Generic, Optional, TypeVar

__all__ = ["Store"]

T = TypeVar("T")


class Store(Generic[T]):
    """The latest `size` results by call id. Concurrent callers of one id wait for the same work."""

    def __init__(self, size: int = 256) -> None:
        self._size = size
        self._tasks: OrderedDict[str, asyncio.Task[T]] = OrderedDict()

    async def once(self, call: str, work: Callable[[], Awaitable[T]]) -> T:
        """The result of `work`, which is executed only if the id `call` is new.

        The work continues if its caller is cancelled: a host that lost its connection repeats the
        request with the same id.
        """
        task = self._tasks.get(call)
        if task is None:
            task = asyncio.ensure_future(_run(work))
            self._tasks[call] = task
            while len(self._tasks) > self._size and self._oldest().done():
                self._tasks.popitem(last=False)
        return await asyncio.shield(task)

    async def result(self, call: str) -> Optional[T]:
        """The result of `call`, awaited if it still runs; None if the id is unknown."""
        task = self._tasks.get(call)
        return await asyncio.shield(task) if task else None

    def _oldest(self) -> asyncio.Task[T]:
        return next(iter(self._tasks.values()))

    def forget(self) -> None:
        """Drop all results; work that still runs continues, but its result is not stored."""
        self._tasks.clear()


async def _run(work: Callable[[], Awaitable[T]]) -> T:
    return await work()
