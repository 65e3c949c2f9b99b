"""The host's core types: observations, decisions, calls, agents and models.

    stop = run_episode(agent, guest, tools, limits, trajectory)    in host.loop.episode, the loop

Each episode gets a new agent, which receives `Observation`s and returns `Decision`s. Everything an
agent does in the guest is a `ToolCall`: a mouse click as much as a spreadsheet function.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, Protocol

from PIL import Image

from ambidex.tasks import GUI, ToolSpec, is_gui

__all__ = [
    "GATEWAY",
    "GUI",
    "ROOT",
    "Agent",
    "Answer",
    "Briefing",
    "Decision",
    "Exchange",
    "Form",
    "Frame",
    "Limits",
    "Model",
    "Observation",
    "Request",
    "Stop",
    "ToolCall",
    "ToolResult",
    "ToolSpec",
    "Usage",
    "is_gui",
]

ROOT = Path(__file__).resolve().parents[1]
"""The directory that holds the top-level packages."""

GATEWAY = "gateway"
"""The app of the tools that search a toolset and execute what was found. Answered by the host."""


class Stop(StrEnum):
    """Why an episode ended. Reaching a limit is distinct from declaring the task infeasible."""

    DONE = "done"
    INFEASIBLE = "infeasible"
    STEP_LIMIT = "step_limit"
    TIME_LIMIT = "time_limit"
    COST_LIMIT = "cost_limit"
    PARSE_LIMIT = "parse_limit"
    CONTEXT_LIMIT = "context_limit"
    """The conversation no longer fits the model's context."""


@dataclass(frozen=True)
class ToolCall:
    """One call of a tool. The guest carries out each id at most once."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class ToolResult:
    """The result of a call, as a model reads it. `error` is a code such as `bad_arguments`, empty
    if the call succeeded."""

    call: str
    """Id of the call."""
    text: str
    error: str = ""
    value: Any = None
    """The JSON value the tool returned, where it returned one."""
    images: tuple[str, ...] = ()
    """Images the tool returned, as data URLs."""


@dataclass(frozen=True)
class Frame:
    """One screenshot. Two frames are equal if their pixels are."""

    size: tuple[int, int]
    rgb: bytes = field(repr=False, compare=False)
    hash: str
    """BLAKE2b over the RGB bytes, 32 hexadecimal digits."""
    still: bool = field(default=True, compare=False)
    """Whether the screen stopped changing within the time limit for settling."""
    waited: float = field(default=0.0, compare=False)
    """Seconds the guest waited for the screen to settle."""
    focused: str = field(default="", compare=False)
    """Class of the active window, in lower case; empty if no window is active."""

    @classmethod
    def of(cls, size: tuple[int, int], rgb: bytes) -> Frame:
        """A frame from RGB pixels: rows from the top, three bytes per pixel. `ValueError` if the
        number of bytes does not match the size."""
        if len(rgb) != size[0] * size[1] * 3:
            raise ValueError(f"{len(rgb)} bytes do not make an RGB image of {size[0]}x{size[1]}")
        return cls(size, rgb, blake2b(rgb, digest_size=16).hexdigest())

    def png(self) -> bytes:
        """The frame as PNG, compressed for speed rather than size."""
        target = io.BytesIO()
        Image.frombytes("RGB", self.size, self.rgb).save(target, "PNG", compress_level=1)
        return target.getvalue()


@dataclass(frozen=True)
class Observation:
    """What an agent receives before a step: the screen, the results of its last calls in order, the
    tools on offer, and notes (hints from a person or a fork)."""

    screenshot: Frame | None
    """None in a guest without a desktop."""
    results: tuple[ToolResult, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def screen(self) -> tuple[int, int]:
        """Width and height of the screen; zeros if there is none."""
        return self.screenshot.size if self.screenshot else (0, 0)


@dataclass(frozen=True)
class Usage:
    """Tokens, cost and requests spent on models."""

    input_tokens: int = 0
    """Including cached tokens."""
    output_tokens: int = 0
    """Including reasoning tokens."""
    cached_tokens: int = 0
    """Input tokens served from the vendor's prompt cache."""
    reasoning_tokens: int | None = 0
    """Output tokens spent on reasoning; None if a model did not report them."""
    cost: float | None = 0.0
    """US dollars; None if the price of one of the models is unknown."""
    requests: int = 0
    retries: int = 0
    """Requests sent again after the vendor refused them for load or the connection was lost."""

    def __add__(self, other: Usage) -> Usage:
        reasoning, cost = self.reasoning_tokens, self.cost
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            None
            if reasoning is None or other.reasoning_tokens is None
            else reasoning + other.reasoning_tokens,
            None if cost is None or other.cost is None else cost + other.cost,
            self.requests + other.requests,
            self.retries + other.retries,
        )


@dataclass(frozen=True)
class Exchange:
    """One request to a model, with its answer."""

    model: str
    answer: Mapping[str, Any]
    """In the vendor's own format."""
    usage: Usage
    seconds: float


@dataclass(frozen=True)
class Decision:
    """What an agent does in one step: calls, carried out in order, and optionally the end of the
    episode after them."""

    thought: str = ""
    calls: tuple[ToolCall, ...] = ()
    stop: Stop | None = None
    """`DONE`, `INFEASIBLE`, or `CONTEXT_LIMIT` where the model reports that its context is full.
    Agents cannot declare that any other limit was reached."""
    answer: str | None = None
    exchanges: tuple[Exchange, ...] = ()
    """The model requests behind this decision."""
    malformed: str = ""
    """Why the model's answer could not be read as a decision; too many in a row end the episode."""

    @property
    def usage(self) -> Usage:
        """The total usage of its exchanges."""
        return sum((exchange.usage for exchange in self.exchanges), Usage())


@dataclass(frozen=True)
class Limits:
    """Limits of an episode. Every decision counts as a step, including the last one and malformed
    answers."""

    steps: int = 15
    seconds: float = 3600.0
    cost: float | None = None
    """US dollars."""
    malformed: int = 3
    """Consecutive malformed answers."""


@dataclass(frozen=True)
class Briefing:
    """What an agent is told before its first step."""

    instruction: str
    limits: Limits
    seed: int = 0
    branch: int = 0
    """Number of the branch, from 1; 0 if the episode is not a branch. The replayed prefix was
    decided with the same seed, so only decisions after the branch point may depend on this number.
    """


class Agent(Protocol):
    """Turns observations into decisions."""

    def step(self, observation: Observation) -> Decision:
        """Return the next decision. Raises `ModelError` if the agent's model fails."""


Form = Literal["chat", "messages", "responses"]
"""The API of a request: OpenAI's chat completions (which most servers speak), Anthropic's messages
or OpenAI's responses."""


@dataclass(frozen=True)
class Request:
    """A request to a model, in the format of one API. The sender adds the model's name and
    settings."""

    form: Form
    body: Mapping[str, Any]
    seed: int | None = None
    """Sent to vendors that accept a seed."""


@dataclass(frozen=True)
class Answer:
    """A model's answer, in the format of the API it was asked through."""

    body: Mapping[str, Any]
    usage: Usage


class Model(Protocol):
    """A model behind a connection."""

    name: str

    def ask(self, request: Request) -> Answer:
        """Send a request and return the answer, retrying transient failures. Raises `ModelError`,
        and `ContextLimitError` if the request is too long for the model. Thread-safe."""
