"""The host's nouns: what an agent sees, what it decides, how an episode ends, and who decides.

    stop = run_episode(agent, guest, tools, limits, trajectory)    in host.episode, the loop

An agent is made anew for every episode. It sees `Observation`s and gives `Decision`s; everything it
can do is a `ToolCall`, a mouse click no less than a spreadsheet function.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from typing import Any, Protocol

from PIL import Image

from tasks import ToolSpec

__all__ = [
    "GUI",
    "Agent",
    "Briefing",
    "Completion",
    "Decision",
    "Frame",
    "Limits",
    "Model",
    "Observation",
    "Stop",
    "ToolCall",
    "ToolResult",
    "ToolSpec",
    "Usage",
]

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
    """What an agent sees before a step: the screen, and what came of its last calls in their
    order."""

    screenshot: Frame
    results: tuple[ToolResult, ...] = ()


@dataclass(frozen=True)
class Usage:
    """Tokens of one step, and its price in US dollars where it is known."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True)
class Decision:
    """What an agent does in one step: calls, carried out in order, and perhaps the end of the
    episode after them."""

    thought: str = ""
    calls: tuple[ToolCall, ...] = ()
    stop: Stop | None = None
    """`DONE` or `INFEASIBLE`; the limits are not the agent's to declare."""
    answer: str | None = None
    usage: Usage = Usage()
    malformed: str = ""
    """Why the model's answer could not be read as a decision; too many in a row end the episode."""


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
    tools: tuple[ToolSpec, ...]
    limits: Limits
    seed: int = 0


class Agent(Protocol):
    """The one that decides. Raises `ModelError` where its model fails."""

    def step(self, observation: Observation) -> Decision:
        """The next decision."""


@dataclass(frozen=True)
class Completion:
    """A model's answer: text, and calls as (id, name, arguments as the JSON text the model
    wrote)."""

    text: str
    calls: tuple[tuple[str, str, str], ...]
    usage: Usage


class Model(Protocol):
    """A model that speaks the chat form with function calls. Raises `ModelError`, and retries what
    is worth it."""

    def complete(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> Completion:
        """The answer to a conversation."""
