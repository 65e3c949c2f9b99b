"""One small request to each model of a run, before a machine starts: a wrong key, model name or
address is reported in seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ambidex.host import Form, Request
from ambidex.host.dialects import form_of
from ambidex.host.errors import AGAIN, FIX, ModelError
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import Prices
from ambidex.host.records.config import ModelConfig

__all__ = ["BODIES", "TEXT", "ask_each_model"]

TEXT = "Reply with the word OK."
BODIES: Mapping[Form, Mapping[str, Any]] = {
    "chat": {"messages": [{"role": "user", "content": TEXT}]},
    "messages": {"messages": [{"role": "user", "content": TEXT}]},
    "responses": {"input": TEXT, "store": False},
}
RETRIES = 1
"""Enough for a server that is busy; an address that is wrong is reported soon."""


def ask_each_model(
    models: Iterable[ModelConfig], prices: Prices, say: Callable[[str], None]
) -> None:
    """Ask each model whether it answers, in its dialect's API. Raises `ModelError` with the
    server's text if one does not. The answers are not read."""
    for config in models:
        form = form_of(config.dialect)
        if form is None:  # a user's own dialect that does not name its API
            continue
        retries = min(config.retries, RETRIES)
        model = LiteModel(config.model_copy(update={"retries": retries}), prices)
        began = time.monotonic()
        try:
            answer = model.ask(Request(form, BODIES[form]))
        except ModelError as error:
            then = FIX if error.fatal or error.refused else AGAIN
            raise ModelError(str(error), hint=f"{error.hint} {then}".strip()) from error
        cost = f", ${answer.usage.cost:.4f}" if answer.usage.cost else ""
        say(f"{config.name} answers ({time.monotonic() - began:.1f} s{cost})")
