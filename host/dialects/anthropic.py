"""Anthropic's messages with its own computer tool; our other tools and the two endings stand beside
it as custom tools.

Every `tool_use` is answered by a `tool_result` in the next message; the last of them carries the
new screenshot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ambidex.host import GUI, Briefing, Decision, Observation, Request, ToolCall, ToolResult
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.anthropic_actions import (
    ACTIONS,
    FAMILY,
    LOOKS,
    computer_tool,
    made,
    version_of,
)
from ambidex.host.dialects.reading import Given, Pointer, gui_tools
from ambidex.host.dialects.words import (
    CUT,
    ENDINGS,
    GONE,
    ending,
    new_call,
    refuse_deep,
    result_text,
    screen_now,
)
from ambidex.host.models.prompts import prompt
from ambidex.host.models.viewport import View, data_url
from ambidex.host.records.config import ModelConfig

__all__ = ["Anthropic"]

Block = dict[str, Any]

THOUGHTS = ("thinking", "redacted_thinking")
BETA = {
    "computer_20250124": "computer-use-2025-01-24",
    "computer_20251124": "computer-use-2025-11-24",
}
"""The header that an earlier version needs; the toolset needs none."""


@dataclass
class Asked:
    """One `tool_use` of the last answer, which has to be answered."""

    theirs: str
    member: bool
    """Whether it is one of the toolset, which its result has to say."""
    call: ToolCall | None = None
    region: tuple[float, float, float, float] | None = None
    """What a zoom wants to see."""


class Anthropic:
    """Keeps the whole conversation; the pictures of the last `images` observations only."""

    def __init__(self, briefing: Briefing, config: ModelConfig) -> None:
        self._briefing = briefing
        self._config = config
        self._version = version_of(config.name)
        self._view = View.of(config)
        self._screen = (0, 0)
        self._pointer = Pointer()
        self._system = ""
        self._tools: list[Block] = []
        self._messages: list[Block] = []
        self._asked: list[Asked] = []
        self._wrong = ""

    def request(self, observation: Observation) -> Request:
        """See `Dialect`."""
        self._screen = observation.screenshot.size
        self._pointer.begin()
        if not self._messages:
            self._begin(observation)
        self._messages.append({"role": "user", "content": self._reported(observation)})
        tools = self._offered(observation)
        changed = tools != self._tools
        self._tools = tools
        if _forget_pictures(self._messages, self._config.images) or changed:
            # The vendor refuses thoughts whose conversation is no longer the one they arose in.
            _forget_thoughts(self._messages)
        cached = {"type": "text", "text": self._system, "cache_control": {"type": "ephemeral"}}
        body: Block = {"system": [cached], "messages": list(self._messages), "tools": tools}
        if self._version in BETA and gui_tools(observation.tools):
            body["extra_headers"] = {"anthropic-beta": BETA[self._version]}
        return Request("messages", body)

    def decision(self, answer: Mapping[str, Any]) -> Decision:
        """See `Dialect`."""
        blocks = answer["content"]
        uses = [block for block in blocks if block["type"] == "tool_use"]
        self._asked = [
            Asked(str(use.get("id") or ""), use.get("toolset_name") == FAMILY) for use in uses
        ]
        kept = [block for block in blocks if block["type"] != "text" or block.get("text")]
        kept = kept or [_text("(no answer)")]
        self._messages.append({"role": "assistant", "content": kept})
        said = "\n".join(block["text"] for block in kept if block["type"] == "text")
        thoughts = (str(block.get("thinking") or "") for block in kept)
        match answer.get("stop_reason"):
            case "max_tokens" | "model_context_window_exceeded":
                raise MalformedReplyError(CUT)
            case "refusal":
                why = (answer.get("stop_details") or {}).get("explanation") or said
                raise MalformedReplyError(f"it is a refusal: {why}")
        if not uses:
            raise MalformedReplyError("it has no tool call.")
        return self._read(uses, said or "\n".join(filter(None, thoughts)))

    def correct(self, reason: str) -> None:
        """See `Dialect`."""
        self._pointer.undo()
        self._wrong = prompt("correction", reason=reason)

    def _begin(self, observation: Observation) -> None:
        width, height = self._view.extent(self._screen)
        apps = {tool.app for tool in observation.tools}
        self._system = prompt(
            "system",
            width=width,
            height=height,
            gui=GUI in apps,
            native=True,
            tools=bool(apps - {GUI}),
            steps=self._briefing.limits.steps,
        )

    def _offered(self, observation: Observation) -> list[Block]:
        hands = gui_tools(observation.tools)
        extent = self._view.extent(self._screen)
        tools = [computer_tool(self._version, extent, hands)] if hands else []
        tools += [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in observation.tools
            if tool.app != GUI
        ]
        for each in ENDINGS:
            said = {"name": each["name"], "description": each["description"]}
            tools.append({**said, "input_schema": each["parameters"]})
        return tools

    def _reported(self, observation: Observation) -> list[Block]:
        results = {result.call: result for result in observation.results}
        wrong, self._wrong = self._wrong, ""
        now = [_text(screen_now(observation)), _png(self._view.png(observation.screenshot))]
        if not self._asked:
            first = wrong or self._briefing.instruction
            return [_text(first), *now]
        blocks = []
        for asked in self._asked:
            last = now if asked is self._asked[-1] else []
            block: Block = {"type": "tool_result", "tool_use_id": asked.theirs}
            if asked.member:
                block["toolset_name"] = FAMILY
            result = results.get(asked.call.id) if asked.call else None
            if wrong or (result and result.error):
                block["is_error"] = True
            if wrong:
                block["content"] = [_text(wrong), *last]
            else:
                block["content"] = [*self._answered(asked, result, observation), *last]
            blocks.append(block)
        return blocks

    def _answered(
        self, asked: Asked, result: ToolResult | None, observation: Observation
    ) -> list[Block]:
        if asked.region:
            crop = self._view.crop(observation.screenshot, asked.region)
            return [_text("The region, enlarged:"), _png(crop)]
        if result is None:
            return [_text("The newest screenshot is in the last result.")]
        text = result_text(result, self._config.results)
        place = result.value
        if asked.call and asked.call.name == "computer_cursor_position" and not result.error:
            x, y = self._view.in_view(place["x"], place["y"], self._screen)
            text = f"X={x},Y={y}"
        return [_text(text), *(_image(url) for url in result.images)]

    def _read(self, uses: list[Block], thought: str) -> Decision:
        calls: list[ToolCall] = []
        for use, asked in zip(uses, self._asked, strict=True):
            name, given = str(use.get("name") or ""), use.get("input")
            if not isinstance(given, dict):
                raise MalformedReplyError(f"the input of {name} is not an object.")
            refuse_deep(f"the input of {name} is", given)
            if not asked.member:
                if end := ending(name, given):
                    return Decision(thought, tuple(calls), end.stop, end.answer)
                if name == FAMILY:
                    given = dict(given)
                    name = str(given.pop("action", None))
            if asked.member or use.get("name") == FAMILY:
                self._act(name, given, asked)
            else:
                asked.call = self._view.call(new_call(name, given), self._screen)
            if asked.call:
                calls.append(asked.call)
        return Decision(thought, tuple(calls))

    def _act(self, action: str, arguments: Mapping[str, Any], asked: Asked) -> None:
        if action not in ACTIONS:
            raise MalformedReplyError(f"the computer tool has no action {action!r}.")
        given = Given(action, arguments)
        if action == "zoom":
            left, top, right, bottom = given.numbers("region", 4)
            width, height = self._view.extent(self._screen)
            if not (0 <= left < right <= width and 0 <= top < bottom <= height):
                raise MalformedReplyError(
                    "`region` of zoom has to be a part of the screen, [x0, y0, x1, y1]."
                )
            asked.region = (left, top, right, bottom)
        elif action not in LOOKS:
            name, wanted = made(given, self._pointer, self._view.extent(self._screen))
            asked.call = self._view.call(new_call(name, wanted), self._screen)


def _forget_pictures(messages: list[Block], kept: int) -> bool:
    """Put a sentence in the place of all pictures but those of the last observations; whether there
    were any."""
    seen, forgotten = 0, False
    for message in reversed(messages):
        if message["role"] != "user":
            continue
        seen += 1
        parts = [message["content"]]
        parts += [each["content"] for each in message["content"] if each["type"] == "tool_result"]
        for part in parts:
            for at, block in enumerate(part):
                if seen > kept and block["type"] == "image":
                    part[at] = _text(GONE)
                    forgotten = True
    return forgotten


def _forget_thoughts(messages: list[Block]) -> None:
    for message in messages:
        if message["role"] == "assistant":
            rest = [block for block in message["content"] if block["type"] not in THOUGHTS]
            message["content"] = rest or [_text("(no answer)")]


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _png(png: bytes) -> Block:
    return _image(data_url(png))


def _image(url: str) -> Block:
    kind, _, data = url.removeprefix("data:").partition(";base64,")
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


DIALECT = Anthropic
