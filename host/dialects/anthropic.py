"""Anthropic's messages API with its computer tool. The guest's other tools, and the two that end
an episode, are custom tools.

Each `tool_use` is answered by a `tool_result` in the next message. The last one carries the new
screenshot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ambidex.host import (
    GUI,
    Briefing,
    Decision,
    Form,
    Observation,
    Request,
    Stop,
    ToolCall,
    ToolResult,
)
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.anthropic_actions import (
    ACTIONS,
    TOOL_NAME,
    VIEW_ACTIONS,
    computer_tool,
    to_call,
    version_of,
)
from ambidex.host.dialects.reading import Arguments, Pointer, gui_tools
from ambidex.host.dialects.words import (
    ENDINGS,
    REMOVED_SCREENSHOT,
    TRUNCATED,
    caption,
    new_call,
    read_ending,
    refuse_deep,
    result_text,
    system_prompt,
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
"""The beta header that the earlier versions need; the toolset needs none."""


@dataclass
class PendingUse:
    """A `tool_use` of the last answer, which the next message has to answer."""

    id: str
    """The model's id of the use."""
    member: bool
    """Whether it uses a member of the computer toolset; its result has to say so."""
    call: ToolCall | None = None
    region: tuple[float, float, float, float] | None = None
    """The region to zoom into, for a zoom."""


class Anthropic:
    """Keeps the whole conversation, but images of the last `images` observations only."""

    form: Form = "messages"

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
        self._pending: list[PendingUse] = []
        self._correction = ""

    def request(self, observation: Observation) -> Request:
        """See `Dialect`."""
        self._screen = observation.screen
        self._pointer.begin()
        if not self._messages:
            steps = self._briefing.limits.steps
            self._system = system_prompt(observation, self._view, steps, native=True)
        self._messages.append({"role": "user", "content": self._report(observation)})
        tools = self._tool_definitions(observation)
        changed = tools != self._tools
        self._tools = tools
        if _remove_images(self._messages, self._config.images) or changed:
            # The vendor rejects thoughts if the conversation before them has changed.
            _remove_thoughts(self._messages)
        cached = {"type": "text", "text": self._system, "cache_control": {"type": "ephemeral"}}
        body: Block = {"system": [cached], "messages": list(self._messages), "tools": tools}
        if self._version in BETA and gui_tools(observation.tools):
            body["extra_headers"] = {"anthropic-beta": BETA[self._version]}
        return Request(self.form, body)

    def decision(self, answer: Mapping[str, Any]) -> Decision:
        """See `Dialect`."""
        blocks = answer["content"]
        uses = [block for block in blocks if block["type"] == "tool_use"]
        self._pending = [
            PendingUse(str(use.get("id") or ""), use.get("toolset_name") == TOOL_NAME)
            for use in uses
        ]
        content = [block for block in blocks if block["type"] != "text" or block.get("text")]
        content = content or [_text("(no answer)")]
        self._messages.append({"role": "assistant", "content": content})
        text = "\n".join(block["text"] for block in content if block["type"] == "text")
        thoughts = (str(block.get("thinking") or "") for block in content)
        match answer.get("stop_reason"):
            case "max_tokens":
                raise MalformedReplyError(TRUNCATED)
            case "model_context_window_exceeded":
                return Decision(text, stop=Stop.CONTEXT_LIMIT)
            case "refusal":
                reason = (answer.get("stop_details") or {}).get("explanation") or text
                raise MalformedReplyError(f"it is a refusal: {reason}")
        if not uses:
            raise MalformedReplyError("it has no tool call.")
        return self._read(uses, text or "\n".join(filter(None, thoughts)))

    def correct(self, reason: str) -> None:
        """See `Dialect`."""
        self._pointer.undo()
        self._correction = prompt("correction", reason=reason)

    def _tool_definitions(self, observation: Observation) -> list[Block]:
        gui = gui_tools(observation.tools)
        extent = self._view.extent(self._screen)
        tools = [computer_tool(self._version, extent, gui)] if gui else []
        tools += [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in observation.tools
            if tool.app != GUI
        ]
        for function in ENDINGS:
            head = {"name": function["name"], "description": function["description"]}
            tools.append({**head, "input_schema": function["parameters"]})
        return tools

    def _report(self, observation: Observation) -> list[Block]:
        """The content of the next user message: results, or a correction, and the screenshot."""
        results = {result.call: result for result in observation.results}
        correction, self._correction = self._correction, ""
        screen = [_text(text) for text in caption(observation)]
        screen += map(_image, self._view.urls(observation.screenshot))
        if not self._pending:
            first = correction or self._briefing.instruction
            return [_text(first), *screen]
        blocks = []
        for use in self._pending:
            last = screen if use is self._pending[-1] else []
            block: Block = {"type": "tool_result", "tool_use_id": use.id}
            if use.member:
                block["toolset_name"] = TOOL_NAME
            result = results.get(use.call.id) if use.call else None
            if correction or (result and result.error):
                block["is_error"] = True
            if correction:
                block["content"] = [_text(correction), *last]
            else:
                block["content"] = [*self._result(use, result, observation), *last]
            blocks.append(block)
        return blocks

    def _result(
        self, use: PendingUse, result: ToolResult | None, observation: Observation
    ) -> list[Block]:
        if use.region and observation.screenshot:
            crop = self._view.crop(observation.screenshot, use.region)
            return [_text("The region, enlarged:"), _png(crop)]
        if result is None:
            return [_text("The newest screenshot is in the last result.")]
        text = result_text(result, self._config.results)
        point = result.value
        if use.call and use.call.name == "computer_cursor_position" and not result.error:
            x, y = self._view.in_view(point["x"], point["y"], self._screen)
            text = f"X={x},Y={y}"
        return [_text(text), *(_image(url) for url in result.images)]

    def _read(self, uses: list[Block], thought: str) -> Decision:
        calls: list[ToolCall] = []
        for block, use in zip(uses, self._pending, strict=True):
            name, arguments = str(block.get("name") or ""), block.get("input")
            if not isinstance(arguments, dict):
                raise MalformedReplyError(f"the input of {name} is not an object.")
            refuse_deep(f"the input of {name} is", arguments)
            if not use.member:
                if end := read_ending(name, arguments):
                    return Decision(thought, tuple(calls), end.stop, end.answer)
                if name == TOOL_NAME:
                    arguments = dict(arguments)
                    name = str(arguments.pop("action", None))
            if use.member or block.get("name") == TOOL_NAME:
                self._read_action(name, arguments, use)
            else:
                use.call = self._view.call(new_call(name, arguments), self._screen)
            if use.call:
                calls.append(use.call)
        return Decision(thought, tuple(calls))

    def _read_action(self, action: str, values: Mapping[str, Any], use: PendingUse) -> None:
        """Read an action of the computer tool into `use.call` or `use.region`."""
        if self._screen == (0, 0):
            raise MalformedReplyError("there is no computer tool here.")
        if action not in ACTIONS:
            raise MalformedReplyError(f"the computer tool has no action {action!r}.")
        arguments = Arguments(action, values)
        if action == "zoom":
            left, top, right, bottom = arguments.numbers("region", 4)
            width, height = self._view.extent(self._screen)
            if not (0 <= left < right <= width and 0 <= top < bottom <= height):
                raise MalformedReplyError(
                    "`region` of zoom must be a part of the screen, [x0, y0, x1, y1]."
                )
            use.region = (left, top, right, bottom)
        elif action not in VIEW_ACTIONS:
            name, converted = to_call(arguments, self._pointer, self._view.extent(self._screen))
            use.call = self._view.call(new_call(name, converted), self._screen)


def _remove_images(messages: list[Block], keep: int) -> bool:
    """Replace all images except those of the last `keep` observations by a text. Return whether
    any was replaced."""
    observations, removed = 0, False
    for message in reversed(messages):
        if message["role"] != "user":
            continue
        observations += 1
        parts = [message["content"]]
        parts += [
            block["content"] for block in message["content"] if block["type"] == "tool_result"
        ]
        for part in parts:
            for index, block in enumerate(part):
                if observations > keep and block["type"] == "image":
                    part[index] = _text(REMOVED_SCREENSHOT)
                    removed = True
    return removed


def _remove_thoughts(messages: list[Block]) -> None:
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
