"""OpenAI's responses API with its computer tool. The guest's other tools, and the two that end an
episode, are functions.

Nothing is stored with the vendor: the whole conversation is sent each time, with the model's items
as they were received. Each call is answered by an output item; a computer call's output can only
be the new screenshot.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Mapping
from typing import Any

from PIL import Image, ImageDraw

from ambidex.host import (
    GUI,
    Briefing,
    Decision,
    Form,
    Observation,
    Request,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.openai_actions import computer_tool, is_preview, to_calls
from ambidex.host.dialects.reading import Arguments, gui_tools
from ambidex.host.dialects.words import (
    ENDINGS,
    REMOVED_SCREENSHOT,
    TRUNCATED,
    caption,
    new_call,
    parse_arguments,
    read_ending,
    result_text,
    system_prompt,
)
from ambidex.host.models.prompts import prompt
from ambidex.host.models.viewport import View, data_url
from ambidex.host.records.config import ModelConfig

__all__ = ["OpenAI"]

Item = dict[str, Any]
CALLS = ("computer_call", "function_call")


class OpenAI:
    """Keeps the whole conversation, but images of the last `images` observations only."""

    form: Form = "responses"

    def __init__(self, briefing: Briefing, config: ModelConfig) -> None:
        self._briefing = briefing
        self._config = config
        self._preview = is_preview(config.name)
        self._view = View.of(config)
        self._screen = (0, 0)
        self._items: list[Item] = []
        self._observations: list[list[Item]] = []
        """The items of each observation, in order; those that hold images among them."""
        self._pending: list[tuple[Item, list[ToolCall]]] = []
        """The call items of the last answer, each of which must be answered, and our calls for
        them."""
        self._correction = ""

    def request(self, observation: Observation) -> Request:
        """See `Dialect`."""
        self._screen = observation.screen
        items = self._report(observation)
        self._items += items
        self._observations.append(items)
        for old in self._observations[: -self._config.images]:
            _remove_images(old)
        body = {
            "instructions": system_prompt(
                observation, self._view, self._briefing.limits.steps, native=True
            ),
            "input": list(self._items),
            "tools": self._tool_definitions(observation),
            "truncation": "auto",
            "store": False,
            "include": ["reasoning.encrypted_content"],
        }
        return Request(self.form, body)

    def decision(self, answer: Mapping[str, Any]) -> Decision:
        """See `Dialect`."""
        output = [_as_input(item) for item in answer["output"]]
        calls = [item for item in output if item.get("type") in CALLS]
        self._pending = [(item, []) for item in calls]
        # The vendor rejects reasoning items that nothing follows.
        while output and output[-1].get("type") == "reasoning":
            output.pop()
        self._items += output
        text, refusal = _text_and_refusal(output)
        if answer.get("status") == "incomplete":
            reason = (answer.get("incomplete_details") or {}).get("reason")
            raise MalformedReplyError(
                TRUNCATED if reason != "content_filter" else "it was stopped by a content filter."
            )
        if refusal:
            raise MalformedReplyError(f"it is a refusal: {refusal}")
        if not calls:
            raise MalformedReplyError("it has no function call and no computer call.")
        return self._read(text)

    def correct(self, reason: str) -> None:
        """See `Dialect`."""
        self._correction = prompt("correction", reason=reason)

    def _tool_definitions(self, observation: Observation) -> list[Item]:
        extent = self._view.extent(self._screen)
        computer = computer_tool(self._preview, extent)
        return [
            *([computer] if gui_tools(observation.tools) else []),
            *(_function(tool) for tool in observation.tools if tool.app != GUI),
            *({"type": "function", **function, "strict": False} for function in ENDINGS),
        ]

    def _report(self, observation: Observation) -> list[Item]:
        """The next input items: outputs of the last calls, and a message with everything else."""
        correction, self._correction = self._correction, ""
        screens = self._view.urls(observation.screenshot)
        results = {result.call: result for result in observation.results}
        items: list[Item] = []
        message: list[str] = []
        """Texts for a user message, since the output of a computer call can only be an image."""
        for item, calls in self._pending:
            answers = [results[call.id] for call in calls if call.id in results]
            if item["type"] == "computer_call" and screens:
                items.append(_screenshot(item, screens[0]))
                failed = [result for result in answers if result.error]
                message += [result_text(result, self._config.results) for result in failed]
            else:
                items.append(self._output(item, answers, correction))
        if not self._items:
            message.append(self._briefing.instruction)
        has_screenshot = any(item["type"] == "computer_call_output" for item in items)
        if has_screenshot:
            message += observation.notes
        if correction and all(item["type"] == "computer_call_output" for item in items):
            message.append(correction)
        content = [{"type": "input_text", "text": text} for text in message]
        if not has_screenshot:
            content += [{"type": "input_text", "text": text} for text in caption(observation)]
            content += map(self._image, screens)
        if content:
            items.append({"role": "user", "content": content})
        return items

    def _output(self, call: Item, results: list[ToolResult], correction: str) -> Item:
        texts = [result_text(result, self._config.results) for result in results]
        text = correction or "\n".join(texts)
        images = [self._image(url) for result in results for url in result.images]
        output = [{"type": "input_text", "text": text}, *images] if images else text
        return {"type": "function_call_output", "call_id": call["call_id"], "output": output}

    def _image(self, url: str) -> Item:
        # With any other detail the vendor may scale the image, and coordinates no longer match.
        detail = "auto" if self._preview else "original"
        return {"type": "input_image", "image_url": url, "detail": detail}

    def _read(self, thought: str) -> Decision:
        decided: list[ToolCall] = []
        for item, calls in self._pending:
            if item["type"] == "computer_call":
                for check in item.get("pending_safety_checks") or ():
                    thought += f"\n[acknowledged: {check.get('code')}: {check.get('message')}]"
                requested = [call for action in _actions(item) for call in to_calls(action)]
            else:
                name = str(item.get("name") or "")
                arguments = parse_arguments(name, item.get("arguments") or "{}")
                if end := read_ending(name, arguments):
                    return Decision(thought.strip(), tuple(decided), end.stop, end.answer)
                requested = [(name, arguments)]
            calls += [self._view.call(new_call(*call), self._screen) for call in requested]
            decided += calls
        return Decision(thought.strip(), tuple(decided))


def _actions(item: Item) -> list[Arguments]:
    actions = item.get("actions") or [action for action in [item.get("action")] if action]
    if not actions:
        raise MalformedReplyError("it has a computer call without an action.")
    parsed = []
    for action in actions:
        values = dict(action)
        parsed.append(Arguments(str(values.pop("type", None)), values))
    return parsed


def _text_and_refusal(output: list[Item]) -> tuple[str, str]:
    parts = [part for item in output if item.get("type") == "message" for part in item["content"]]
    texts = [part["text"] for part in parts if part["type"] == "output_text"]
    summaries = [
        part["text"]
        for item in output
        if item.get("type") == "reasoning"
        for part in item.get("summary") or ()
    ]
    refusals = [part["refusal"] for part in parts if part["type"] == "refusal"]
    return "\n".join(texts or summaries), "\n".join(refusals)


def _as_input(item: Mapping[str, Any]) -> Item:
    """An output item as an input item of later requests."""
    # The vendor sends null for absent values, but does not accept null.
    result = {name: value for name, value in item.items() if value is not None}
    if result.get("type") == "message":
        result["content"] = [
            {name: value for name, value in part.items() if value is not None}
            for part in result["content"]
        ]
    return result


def _screenshot(call: Item, url: str) -> Item:
    output = {"type": "computer_screenshot", "image_url": url}
    item = {"type": "computer_call_output", "call_id": call["call_id"], "output": output}
    if checks := call.get("pending_safety_checks"):
        item["acknowledged_safety_checks"] = checks
    return item


def _remove_images(items: list[Item]) -> None:
    for item in items:
        if item.get("type") == "computer_call_output":
            item["output"] = {"type": "computer_screenshot", "image_url": _placeholder()}
        for key in ("content", "output"):
            if isinstance(item.get(key), list):
                item[key] = [_without_image(part) for part in item[key]]


def _without_image(part: Item) -> Item:
    if part["type"] == "input_image":
        return {"type": "input_text", "text": REMOVED_SCREENSHOT}
    return part


@functools.cache
def _placeholder() -> str:
    """A small image of the text `REMOVED_SCREENSHOT`, for places where only an image is allowed."""
    picture = Image.new("RGB", (320, 32), "white")
    ImageDraw.Draw(picture).text((8, 10), REMOVED_SCREENSHOT, fill="black")
    target = io.BytesIO()
    picture.save(target, "PNG", optimize=True)
    return data_url(target.getvalue())


def _function(tool: ToolSpec) -> Item:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": False,
    }


DIALECT = OpenAI
