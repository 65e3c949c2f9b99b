"""Dialects: how a kind of model is asked for its next action, and how its answer is read.

functions   function calls through the chat API, which most servers speak
paper       the prompt of OSWorld-MCP: XML tags, one `computer_use` function, conclusions as memory
anthropic   Anthropic's computer tool, with the guest's other tools as custom tools
openai      OpenAI's computer tool, with the guest's other tools as functions
pyautogui   a block of Python, which is parsed and never executed
module:Class  your own, called with (briefing, model configuration)

Each episode gets a new dialect, which holds the conversation. It turns an `Observation` into a
`Request`, and an answer into a `Decision`. Everything specific to a vendor's format is in here.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Protocol, cast

from ambidex.host import Briefing, Decision, Exchange, Form, Observation, Request
from ambidex.host.errors import UsageError
from ambidex.host.named import load_part, part_names
from ambidex.host.records.config import ModelConfig

__all__ = ["Dialect", "MalformedReplyError", "check_dialect", "dialects", "form_of", "open_dialect"]

ATTRIBUTE = "DIALECT"
"""The name to which a module of this package assigns its dialect's class."""


class MalformedReplyError(Exception):
    """An answer cannot be read as a decision. The message is a sentence for the model; `exchanges`
    are further requests that were made to read the answer."""

    def __init__(self, reason: str, exchanges: tuple[Exchange, ...] = ()) -> None:
        super().__init__(reason)
        self.exchanges = exchanges


class Dialect(Protocol):
    """One episode's conversation with a model."""

    form: Form
    """The API of its requests."""

    def request(self, observation: Observation) -> Request:
        """Build the next request. Adds the results of the last calls to the conversation."""

    def decision(self, answer: Mapping[str, Any]) -> Decision:
        """Read an answer as a decision, without its exchange. Raises `MalformedReplyError`. The
        answer becomes part of the conversation either way."""

    def correct(self, reason: str) -> None:
        """Called after `MalformedReplyError`: the next request will say what was wrong."""


def dialects() -> tuple[str, ...]:
    """Names of the built-in dialects."""
    return part_names(sys.modules[__name__], ATTRIBUTE)


def check_dialect(name: str) -> None:
    """`UsageError` if there is no such dialect."""
    dialect = load_part(sys.modules[__name__], ATTRIBUTE, "dialect", name)
    if not callable(dialect):
        raise UsageError(f"not a dialect: {name} cannot be called with (briefing, config)")


def form_of(name: str) -> Form | None:
    """The API of a dialect's requests; None if a user's own does not say."""
    dialect = load_part(sys.modules[__name__], ATTRIBUTE, "dialect", name)
    return getattr(dialect, "form", None)


def open_dialect(config: ModelConfig, briefing: Briefing) -> Dialect:
    """Make the configured dialect for one episode."""
    check_dialect(config.dialect)
    dialect: Any = load_part(sys.modules[__name__], ATTRIBUTE, "dialect", config.dialect)
    return cast(Dialect, dialect(briefing, config))
