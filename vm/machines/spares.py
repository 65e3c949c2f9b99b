"""Spares: machines that are prepared in advance, so that a revert need not wait."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Generic, Protocol, TypeVar

from ambidex.vm import MachineError

__all__ = ["Spares"]


class Closable(Protocol):
    """Anything with a `close` method."""

    def close(self) -> None:
        """End it."""


T = TypeVar("T", bound=Closable)


class Spares(Generic[T]):
    """Keeps `count` spares of each of the `kinds` most recently requested kinds.

    They are made and ended in background threads. After `close` none is left.
    """

    def __init__(self, count: int, say: Callable[[str], None], *, kinds: int) -> None:
        self._count = count
        self._say = say
        self._kinds = kinds
        self._lock = threading.Lock()
        self._ready: dict[Hashable, list[Future[T]]] = {}
        self._pool = ThreadPoolExecutor(2, thread_name_prefix="machines")
        self._closing = False

    def take(self, kind: Hashable) -> T | None:
        """The oldest spare of that kind, which is waited for if it is still being made; None if
        there is none, or it failed.
        """
        with self._lock:
            spares = self._ready.get(kind)
            spare = spares.pop(0) if spares else None
        if spare is None:
            return None
        try:
            return spare.result()
        except MachineError as error:
            self._say(f"a spare machine failed: {error}")
            return None

    def refill(self, kind: Hashable, make: Callable[[], T]) -> None:
        """Start making spares of that kind up to the count; end those of the least recently used
        kinds if there are too many kinds.
        """
        with self._lock:
            if self._closing:
                return
            spares = self._ready.pop(kind, [])
            self._ready[kind] = spares
            while len(spares) < self._count:
                spares.append(self._pool.submit(make))
            while len(self._ready) > self._kinds:
                for spare in self._ready.pop(next(iter(self._ready))):
                    self._pool.submit(self._end, spare)

    def wait(self) -> None:
        """Wait until every spare that is being made is ready or has failed."""
        with self._lock:
            futures = [spare for spares in self._ready.values() for spare in spares]
        wait(futures)

    def drop(self, selects: Callable[[Hashable], bool]) -> None:
        """End the spares of the selected kinds, because their snapshot has been replaced."""
        with self._lock:
            kinds = [kind for kind in self._ready if selects(kind)]
            spares = [spare for kind in kinds for spare in self._ready.pop(kind)]
        for spare in spares:
            self._end(spare)

    def end(self, machine: T) -> None:
        """End a machine in the background."""
        self._pool.submit(machine.close)

    def _end(self, spare: Future[T]) -> None:
        if not spare.cancel():
            try:
                spare.result().close()
            except MachineError as error:
                self._say(f"a spare machine failed: {error}")

    def close(self) -> None:
        """End every spare, and wait until every machine passed to `end` has ended."""
        with self._lock:
            self._closing = True
        self.drop(lambda kind: True)
        self._pool.shutdown(wait=True)
