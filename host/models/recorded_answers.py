"""Answers that models gave once, for an agent that is to come to the same decisions again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ambidex.host import Answer, Exchange, Model, Request
from ambidex.host.errors import RehearsalError

__all__ = ["Tape"]


class Tape:
    """What the models of one agent answer while it plays; live models at all other times."""

    def __init__(self) -> None:
        self._left: deque[Exchange] | None = None

    def over(self, model: Model) -> Model:
        """The model, unless the tape plays."""
        return Taped(self, model)

    @contextmanager
    def playing(self, exchanges: Sequence[Exchange]) -> Iterator[None]:
        """Whoever asks gets these answers in their order; `RehearsalError` where more is asked, or
        less."""
        self._left = deque(exchanges)
        try:
            yield
            if self._left:
                raise RehearsalError(f"{len(self._left)} recorded answers were not asked for")
        finally:
            self._left = None

    def ask(self, model: Model, request: Request) -> Answer:
        """The next answer on it, or the model's."""
        if self._left is None:
            return model.ask(request)
        if not self._left:
            raise RehearsalError(f"no answer of {model.name} is recorded any more")
        exchange = self._left.popleft()
        return Answer(exchange.answer, exchange.usage)


class Taped:
    """A `host.Model` before which a tape lies."""

    def __init__(self, tape: Tape, model: Model) -> None:
        self.name = model.name
        self._tape = tape
        self._model = model

    def ask(self, request: Request) -> Answer:
        """See `Model`."""
        return self._tape.ask(self._model, request)
