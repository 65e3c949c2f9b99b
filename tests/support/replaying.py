"""Exchanges with vendors, replayed through the dialects.

Tests cannot reach a vendor, so the files in `exchanges/` are not recordings: they were written by
hand in the vendors' documented formats, the answers after the types of their SDKs. Both requests
and answers are checked against those types here, so that neither can have a field that the vendor
does not have.

A file has `model` (a `ModelConfig`), `instruction`, `tools`, `screen` and `steps`. Each step has
the `results` of the last step's calls, in order, as [text] or [text, error, value]; the complete
expected `request`, or only its `newest` messages; the `answer`; and the expected `decision`. In a
request, images are named by size and colour (the screen of step n has the colour #nnnnnn), and long
prompts are replaced by `<prompt>`.
"""

from __future__ import annotations

import base64
import functools
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
from PIL import Image

from ambidex.host import (
    GUI,
    Answer,
    Briefing,
    Decision,
    Frame,
    Limits,
    Observation,
    ToolResult,
    Usage,
)
from ambidex.host.agents.model import ModelAgent
from ambidex.host.dialects import open_dialect
from ambidex.host.records.config import ModelConfig
from ambidex.tasks import ToolSpec
from tests.support import served
from tests.support.peer import CATALOGUE
from tests.support.vendors import check_answer, check_request

FOLDER = Path(__file__).parents[1] / "host" / "dialects" / "exchanges"
HANDS = {name: tool for name, tool in served.CATALOGUE.items() if tool.app == GUI}
"""The real GUI tools: what a dialect makes of an action is checked against their schemas."""
TOOLS = {**HANDS, **{name: tool for name, tool in CATALOGUE.items() if tool.app != GUI}}
PICTURE = re.compile(r"data:image/png;base64,(.*)", re.DOTALL)
LONG = ("You operate", "You carry out")
"""How prompts begin that are not repeated in an exchange."""


class Drawn(Frame):
    """A frame of one colour, hashed and encoded once: both take longer than the rest of a test."""

    def png(self) -> bytes:
        """See `Frame`."""
        return _encoded(self)


@functools.cache
def _encoded(frame: Drawn) -> bytes:
    return Frame.png(frame)


@functools.cache
def _drawn(size: tuple[int, int], shade: int) -> Frame:
    return Drawn.of(size, bytes([shade]) * (size[0] * size[1] * 3))


class Replayed:
    """A `host.Model` that gives scripted answers and records copies of its requests."""

    name = "toy"

    def __init__(self, *answers: Mapping[str, Any]) -> None:
        self._answers = list(answers)
        self.requests: list[dict[str, Any]] = []

    def ask(self, request: Any) -> Answer:
        body = json.loads(json.dumps(request.body))
        check_request(request.form, body)
        answer = self._answers.pop(0)
        check_answer(request.form, answer)
        self.requests.append(body)
        return Answer(answer, Usage(requests=1))


class Session:
    """An episode with a dialect whose model is scripted."""

    def __init__(
        self,
        config: ModelConfig,
        *answers: Mapping[str, Any],
        tools: Sequence[ToolSpec] = tuple(TOOLS.values()),
        screen: tuple[int, int] | None = (1920, 1080),
        instruction: str = "Set B2 to 42.",
    ) -> None:
        briefing = Briefing(instruction, Limits())
        self.model = Replayed(*answers)
        self._agent = ModelAgent(self.model, open_dialect(config, briefing), briefing)
        self._tools, self._screen = tuple(tools), screen
        self._step = 0
        self.last = Decision()

    def step(
        self,
        *results: ToolResult,
        tools: Sequence[ToolSpec] | None = None,
        notes: tuple[str, ...] = (),
    ) -> Decision:
        """The next decision. Without results, every call of the last one succeeded."""
        self._step += 1
        answered = [
            replace(result, call=call.id)
            for call, result in zip(self.last.calls, results, strict=False)
        ]
        answered += [ToolResult(call.id, "") for call in self.last.calls[len(results) :]]
        frame = _drawn(self._screen, self._step) if self._screen else None
        offered = self._tools if tools is None else tuple(tools)
        self.last = self._agent.step(Observation(frame, tuple(answered), offered, notes))
        check_calls(self.last)
        return self.last


def check_calls(decision: Decision) -> None:
    """Assert that calls of GUI tools fit the guest's schemas."""
    for call in decision.calls:
        if call.name in HANDS:
            jsonschema.validate(dict(call.arguments), HANDS[call.name].parameters)


def calls_of(decision: Decision) -> list[list[Any]]:
    """Names and arguments of a decision's calls."""
    return [[call.name, dict(call.arguments)] for call in decision.calls]


def name_images(value: Any) -> Any:
    """A request with images replaced by their names and long prompts by `<prompt>`."""
    match value:
        case dict():
            if value.get("type") == "base64":
                return named_picture(value["data"])
            return {key: name_images(item) for key, item in value.items()}
        case list():
            return [name_images(item) for item in value]
        case str() if match := PICTURE.fullmatch(value):
            return named_picture(match[1])
        case str() if value.startswith(LONG):
            return "<prompt>"
    return value


def newest(body: Mapping[str, Any], known: int) -> list[Any]:
    """The messages of a request after the first `count`; for a conversation that does not grow, all
    but the first."""
    conversation: list[Any] = body["messages"] if "messages" in body else body["input"]
    return conversation[known if len(conversation) > known else 1 :]


def named_picture(data: str) -> str:
    """The size of an image and its colour, or the number of its colours."""
    picture = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")
    colours = picture.getcolors(1 << 16) or []
    colour = "of many colours"
    if len(colours) == 1:
        channels = colours[0][1]
        assert isinstance(channels, tuple)
        colour = f"#{bytes(channels).hex()}"
    return f"<{picture.width}x{picture.height} {colour}>"


def exchange(name: str) -> dict[str, Any]:
    """Read one of the exchange files."""
    content: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return content


def names() -> list[str]:
    """The names of all exchange files."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))
