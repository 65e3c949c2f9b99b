"""Exchanges with vendors, replayed through the dialects.

No vendor can be reached from a test. The files in `exchanges/` are therefore not captures: they
were written by hand in the form that the vendors document, the answers after the types of their
SDKs. Both sides are held against those types here, requests and answers, so that neither can have
a field that the vendor does not have.

A file has `model` (a `ModelConfig`), `instruction`, `tools`, `screen` and `steps`. Of each step:
`results` of the last step's calls, in their order, as [text] or [text, error, value]; the whole
`request` that has to be sent, or only what is `newest` in its conversation; the `answer`; and the
`decision` that has to come of it. In a request pictures are named by size and colour (the screen of
step n has the colour #nnnnnn), and long prompts by `<prompt>`.
"""

from __future__ import annotations

import base64
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
from tests import served
from tests.host.peer import CATALOGUE
from tests.host.vendors import check_answer, check_request

FOLDER = Path(__file__).parent / "exchanges"
HANDS = {name: tool for name, tool in served.CATALOGUE.items() if tool.app == GUI}
"""The real GUI tools: what a dialect makes of an action is checked against their schemas."""
TOOLS = {**HANDS, **{name: tool for name, tool in CATALOGUE.items() if tool.app != GUI}}
PICTURE = re.compile(r"data:image/png;base64,(.*)", re.DOTALL)
LONG = ("You operate", "You carry out")
"""How prompts begin that are not repeated in an exchange."""


class Replayed:
    """A `host.Model` that gives these answers and keeps what it was asked, as it was then."""

    name = "toy"

    def __init__(self, *answers: Mapping[str, Any]) -> None:
        self._answers = list(answers)
        self.asked: list[dict[str, Any]] = []

    def ask(self, request: Any) -> Answer:
        body = json.loads(json.dumps(request.body))
        check_request(request.form, body)
        said = self._answers.pop(0)
        check_answer(request.form, said)
        self.asked.append(body)
        return Answer(said, Usage(requests=1))


class Session:
    """An episode with a dialect whose model is scripted."""

    def __init__(
        self,
        config: ModelConfig,
        *answers: Mapping[str, Any],
        tools: Sequence[ToolSpec] = tuple(TOOLS.values()),
        screen: tuple[int, int] = (1920, 1080),
        instruction: str = "Set B2 to 42.",
    ) -> None:
        briefing = Briefing(instruction, Limits())
        self.model = Replayed(*answers)
        self._agent = ModelAgent(self.model, open_dialect(config, briefing), briefing)
        self._tools, self._screen = tuple(tools), screen
        self._step = 0
        self.last = Decision()

    def step(self, *results: ToolResult, tools: Sequence[ToolSpec] | None = None) -> Decision:
        """The next decision; without results, every call of the last one did something."""
        self._step += 1
        answered = [
            replace(result, call=call.id)
            for call, result in zip(self.last.calls, results, strict=False)
        ]
        answered += [ToolResult(call.id, "") for call in self.last.calls[len(results) :]]
        frame = Frame.of(
            self._screen, bytes([self._step]) * (self._screen[0] * self._screen[1] * 3)
        )
        offered = self._tools if tools is None else tuple(tools)
        self.last = self._agent.step(Observation(frame, tuple(answered), offered))
        check_calls(self.last)
        return self.last


def check_calls(decision: Decision) -> None:
    """Calls of GUI tools fit the guest's schemas."""
    for call in decision.calls:
        if call.name in HANDS:
            jsonschema.validate(dict(call.arguments), HANDS[call.name].parameters)


def called(decision: Decision) -> list[list[Any]]:
    """Names and arguments of a decision's calls."""
    return [[call.name, dict(call.arguments)] for call in decision.calls]


def seen(value: Any) -> Any:
    """A request with its pictures named by what is on them, and without its long prompts."""
    match value:
        case dict():
            if value.get("type") == "base64":
                return named_picture(value["data"])
            return {key: seen(each) for key, each in value.items()}
        case list():
            return [seen(each) for each in value]
        case str() if found := PICTURE.fullmatch(value):
            return named_picture(found[1])
        case str() if value.startswith(LONG):
            return "<prompt>"
    return value


def newest(body: Mapping[str, Any], known: int) -> list[Any]:
    """What a request's conversation has beyond so many messages; all but the first of one that does
    not grow."""
    conversation: list[Any] = body["messages"] if "messages" in body else body["input"]
    return conversation[known if len(conversation) > known else 1 :]


def named_picture(data: str) -> str:
    """Size and colour of a picture; of one with several colours, how many."""
    picture = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")
    colours = picture.getcolors(1 << 16) or []
    said = "#" + bytes(colours[0][1]).hex() if len(colours) == 1 else "of many colours"
    return f"<{picture.width}x{picture.height} {said}>"


def exchange(name: str) -> dict[str, Any]:
    """One of the files."""
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


def names() -> list[str]:
    """Of all the files."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))
