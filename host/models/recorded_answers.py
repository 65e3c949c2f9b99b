"""Recorded answers of models, played back to bring an agent to the same decisions again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ambidex.host import Answer, Exchange, Model, Request
from ambidex.host.errors import RehearsalError

__all__ = ["Tape"]


class Tape:
    """Recorded answers for the models of one agent. Outside a `playing` block requests go to the
    live models."""

    def __init__(self) -> None:
        self._left: deque[Exchange] | None = None

    def over(self, model: Model) -> Model:
        """Wrap a model so that it answers from the tape while the tape plays."""
        return TapedModel(self, model)

    @contextmanager
    def playing(self, exchanges: Sequence[Exchange]) -> Iterator[None]:
        """Play back these answers in order. `RehearsalError` if the agent asks more or fewer
        times."""
        self._left = deque(exchanges)
        try:
            yield
            if self._left:
                raise RehearsalError(f"{len(self._left)} recorded answers were not used")
        finally:
            self._left = None

    def ask(self, model: Model, request: Request) -> Answer:
        """The next recorded answer while the tape plays, otherwise the model's."""
        if self._left is None:
            return model.ask(request)
        if not self._left:
            raise RehearsalError(f"no recorded answer of {model.name} is left")
        exchange = self._left.popleft()
        return Answer(exchange.answer, exchange.usage)


class TapedModel:
    """A `host.Model` that answers from a tape while it plays."""

    def __init__(self, tape: Tape, model: Model) -> None:
        self.name = model.name
        self._tape = tape
        self._model = model

    def ask(self, request: Request) -> Answer:
        """See `host.Model`."""
        return self._tape.ask(self._model, request)
