"""Dialects: how one kind of model is asked for the next action, and how its answer is read.

functions   function calls in the chat form; what most servers speak
paper       the prompt of OSWorld-MCP: XML tags, one `computer_use` function, conclusions as memory
anthropic   Anthropic's own computer tool, and ours beside it
openai      OpenAI's own computer tool, and ours beside it
pyautogui   a line of Python, which is parsed and never executed
module:Class  one of your own, made with (briefing, model configuration)

A dialect is made anew for every episode and holds its conversation. It turns an `Observation` into
a `Request` and an answer into a `Decision`; nothing else knows what a model likes to see.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Protocol, cast

from ambidex.host import Briefing, Decision, Exchange, Observation, Request
from ambidex.host.errors import UsageError
from ambidex.host.named import named_in, names_in
from ambidex.host.records.config import ModelConfig

__all__ = ["Dialect", "MalformedReplyError", "check_dialect", "dialects", "open_dialect"]

ATTRIBUTE = "DIALECT"
"""What a module of this package assigns to be a dialect: its class."""


class MalformedReplyError(Exception):
    """Why an answer is no decision: a sentence for the model. `exchanges` were made in reading
    it."""

    def __init__(self, reason: str, exchanges: tuple[Exchange, ...] = ()) -> None:
        super().__init__(reason)
        self.exchanges = exchanges


class Dialect(Protocol):
    """One episode's conversation with a model."""

    def request(self, observation: Observation) -> Request:
        """What to ask now. Takes in what came of the last calls."""

    def decision(self, answer: Mapping[str, Any]) -> Decision:
        """The answer as a decision, without its exchange; raises `MalformedReplyError`. It is
        remembered either way."""

    def correct(self, reason: str) -> None:
        """After `MalformedReplyError`: the next request says what was wrong."""


def dialects() -> tuple[str, ...]:
    """The names of our own."""
    return names_in(sys.modules[__name__], ATTRIBUTE)


def check_dialect(name: str) -> None:
    """`UsageError` where there is no such dialect."""
    found = named_in(sys.modules[__name__], ATTRIBUTE, "dialect", name)
    if not callable(found):
        raise UsageError(f"{name} is not a dialect: it cannot be called with (briefing, config)")


def open_dialect(config: ModelConfig, briefing: Briefing) -> Dialect:
    """The dialect of that configuration, for one episode."""
    check_dialect(config.dialect)
    made: Any = named_in(sys.modules[__name__], ATTRIBUTE, "dialect", config.dialect)
    return cast(Dialect, made(briefing, config))
