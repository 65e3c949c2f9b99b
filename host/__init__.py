"""The host's nouns: what an agent sees, what it decides, how an episode ends, and who decides.

    stop = run_episode(agent, guest, tools, limits, trajectory)    in host.loop.episode, the loop

An agent is made anew for every episode. It sees `Observation`s and gives `Decision`s; everything it
can do is a `ToolCall`, a mouse click no less than a spreadsheet function.
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

from ambidex.tasks import ToolSpec

__all__ = [
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
]

ROOT = Path(__file__).resolve().parents[1]
"""The folder that holds the top-level packages."""
GUI = "computer"
"""The app whose tools are the mouse and the keyboard; every other app's tools are "tools"."""


class Stop(StrEnum):
    """Why an episode ended. Running out is never the same as calling the task infeasible."""

    DONE = "done"
    INFEASIBLE = "infeasible"
    STEP_LIMIT = "step_limit"
    TIME_LIMIT = "time_limit"
    COST_LIMIT = "cost_limit"
    PARSE_LIMIT = "parse_limit"


@dataclass(frozen=True)
class ToolCall:
    """One action; the id makes it happen at most once."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class ToolResult:
    """What came of a call, as a model reads it; `error` is a code such as `bad_arguments`, empty if
    all went well."""

    call: str
    """Id of the call."""
    text: str
    error: str = ""
    value: Any = None
    """The JSON value the tool returned, where it returned one."""
    images: tuple[str, ...] = ()
    """Pictures the tool returned, as data URLs."""


@dataclass(frozen=True)
class Frame:
    """One picture of the screen. Two frames are equal when their pixels are."""

    size: tuple[int, int]
    rgb: bytes = field(repr=False, compare=False)
    hash: str
    """BLAKE2b over the RGB bytes, 32 hexadecimal digits."""
    still: bool = field(default=True, compare=False)
    """Whether the screen had come to rest before the bound."""
    waited: float = field(default=0.0, compare=False)
    """Seconds the guest waited for stillness."""
    focused: str = field(default="", compare=False)
    """Class of the active window, in lower case; empty where none is active."""

    @classmethod
    def of(cls, size: tuple[int, int], rgb: bytes) -> Frame:
        """The frame of these pixels, rows from the top, three bytes each."""
        if len(rgb) != size[0] * size[1] * 3:
            raise ValueError(f"{len(rgb)} bytes are no picture of {size[0]}x{size[1]}")
        return cls(size, rgb, blake2b(rgb, digest_size=16).hexdigest())

    def png(self) -> bytes:
        """The picture as PNG, quickly rather than small."""
        target = io.BytesIO()
        Image.frombytes("RGB", self.size, self.rgb).save(target, "PNG", compress_level=1)
        return target.getvalue()


@dataclass(frozen=True)
class Observation:
    """What an agent sees before a step: the screen, what came of its last calls in their order,
    what it may call now, and what a person wants it to know."""

    screenshot: Frame
    results: tuple[ToolResult, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Usage:
    """What asking models took."""

    input_tokens: int = 0
    """Cached ones included."""
    output_tokens: int = 0
    """Reasoning included."""
    cached_tokens: int = 0
    """Of the input tokens, those that the vendor had kept."""
    cost: float | None = 0.0
    """US dollars; None where one of the models has no known price."""
    requests: int = 0
    retries: int = 0
    """Requests that were refused for load or lost, and sent again."""

    def __add__(self, other: Usage) -> Usage:
        unknown = self.cost is None or other.cost is None
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            None if unknown else (self.cost or 0.0) + (other.cost or 0.0),
            self.requests + other.requests,
            self.retries + other.retries,
        )


@dataclass(frozen=True)
class Exchange:
    """One question that was put to a model, as it was answered."""

    model: str
    answer: Mapping[str, Any]
    """In the vendor's own form."""
    usage: Usage
    seconds: float


@dataclass(frozen=True)
class Decision:
    """What an agent does in one step: calls, carried out in order, and perhaps the end of the
    episode after them."""

    thought: str = ""
    calls: tuple[ToolCall, ...] = ()
    stop: Stop | None = None
    """`DONE` or `INFEASIBLE`; the limits are not the agent's to declare."""
    answer: str | None = None
    exchanges: tuple[Exchange, ...] = ()
    """What was asked of models for it."""
    malformed: str = ""
    """Why the model's answer could not be read as a decision; too many in a row end the episode."""

    @property
    def usage(self) -> Usage:
        """What its exchanges took."""
        return sum((exchange.usage for exchange in self.exchanges), Usage())


@dataclass(frozen=True)
class Limits:
    """What an episode may take. A step is one decision, the last one included; a malformed answer
    is one too."""

    steps: int = 15
    seconds: float = 3600.0
    cost: float | None = None
    """US dollars."""
    malformed: int = 3
    """Malformed answers in a row."""


@dataclass(frozen=True)
class Briefing:
    """What an agent knows before its first step."""

    instruction: str
    limits: Limits
    seed: int = 0
    branch: int = 0
    """Which branch of a recorded episode this is, from 1; 0 where it is none. What was decided at
    the beginning of one was decided with the same seed: only what comes later may differ by this.
    """


class Agent(Protocol):
    """The one that decides. Raises `ModelError` where its model fails."""

    def step(self, observation: Observation) -> Decision:
        """The next decision."""


Form = Literal["chat", "messages", "responses"]
"""OpenAI's chat completions (which most servers speak), Anthropic's messages, OpenAI's
responses."""


@dataclass(frozen=True)
class Request:
    """What a model is asked, in the words of one form; the model's name and settings are added by
    whoever sends it."""

    form: Form
    body: Mapping[str, Any]
    seed: int | None = None
    """For vendors that take one."""


@dataclass(frozen=True)
class Answer:
    """What a model answered, in the words of the form it was asked in."""

    body: Mapping[str, Any]
    usage: Usage


class Model(Protocol):
    """A model behind a connection. Raises `ModelError`, and retries what is worth it."""

    name: str

    def ask(self, request: Request) -> Answer:
        """Its answer. May be called from several threads."""
