"""Machines made ready ahead of the next revert."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Generic, Protocol, TypeVar

from ambidex.vm import MachineError

__all__ = ["Spares"]


class Ends(Protocol):
    """What can be ended."""

    def close(self) -> None:
        """End it."""


T = TypeVar("T", bound=Ends)


class Spares(Generic[T]):
    """`count` spares of each of the `kinds` kinds asked for last, made and ended behind the scenes.
    After `close` none is left.
    """

    def __init__(self, count: int, say: Callable[[str], None], *, kinds: int) -> None:
        self._count = count
        self._say = say
        self._kinds = kinds
        self._lock = threading.Lock()
        self._ready: dict[Hashable, list[Future[T]]] = {}
        self._behind = ThreadPoolExecutor(2, thread_name_prefix="machines")
        self._closing = False

    def take(self, kind: Hashable) -> T | None:
        """The oldest spare of that kind, waited for if it is being made; none where there is none,
        or it failed.
        """
        with self._lock:
            waiting = self._ready.get(kind)
            spare = waiting.pop(0) if waiting else None
        if spare is None:
            return None
        try:
            return spare.result()
        except MachineError as error:
            self._say(f"a spare machine failed: {error}")
            return None

    def refill(self, kind: Hashable, make: Callable[[], T]) -> None:
        """Have as many of that kind made as are wanted; those of the kind not asked for for longest
        go, if there are too many kinds.
        """
        with self._lock:
            if self._closing:
                return
            waiting = self._ready.pop(kind, [])
            self._ready[kind] = waiting
            while len(waiting) < self._count:
                waiting.append(self._behind.submit(make))
            while len(self._ready) > self._kinds:
                for spare in self._ready.pop(next(iter(self._ready))):
                    self._behind.submit(self._end, spare)

    def wait(self) -> None:
        """Return when every spare that is being made is ready, or has failed."""
        with self._lock:
            spares = [spare for waiting in self._ready.values() for spare in waiting]
        wait(spares)

    def drop(self, wanted: Callable[[Hashable], bool]) -> None:
        """End the spares of those kinds: what they were made from is no more."""
        with self._lock:
            kinds = [kind for kind in self._ready if wanted(kind)]
            spares = [spare for kind in kinds for spare in self._ready.pop(kind)]
        for spare in spares:
            self._end(spare)

    def end(self, old: T) -> None:
        """End what is not needed any more, behind the scenes."""
        self._behind.submit(old.close)

    def _end(self, spare: Future[T]) -> None:
        if not spare.cancel():
            try:
                spare.result().close()
            except MachineError as error:
                self._say(f"a spare machine failed: {error}")

    def close(self) -> None:
        """End every spare, and return when all that was to end has ended."""
        with self._lock:
            self._closing = True
        self.drop(lambda kind: True)
        self._behind.shutdown(wait=True)
