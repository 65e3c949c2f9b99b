"""Function calls through the chat API. The functions are the guest's tools, unchanged, and two
more that end the episode.

Answers are checked here for their form only. Whether a tool exists and its arguments are valid is
for the guest to say, in the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ambidex.host import Briefing, Decision, Form, Observation, Request, ToolCall, ToolSpec
from ambidex.host.dialects import MalformedReplyError
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
from ambidex.host.models.viewport import View
from ambidex.host.records.config import ModelConfig

__all__ = ["Functions", "image_part", "remove_images"]

Message = dict[str, Any]


class Functions:
    """Keeps the whole conversation, but only its last `images` images."""

    form: Form = "chat"

    def __init__(self, briefing: Briefing, config: ModelConfig) -> None:
        self._briefing = briefing
        self._config = config
        self._view = View.of(config)
        self._screen = (0, 0)
        self._messages: list[Message] = []
        self._pending: dict[str, str] = {}
        """For each call without a result yet, the model's id by our id."""
        self._model_ids: tuple[str, ...] = ()
        """The model's ids of the calls in the last answer; each must be answered by a message."""

    def request(self, observation: Observation) -> Request:
        """See `Dialect`."""
        self._screen = observation.screen
        if not self._messages:
            self._begin(observation)
        self._report(observation)
        remove_images(self._messages, self._config.images)
        functions = (*map(_function, observation.tools), *ENDINGS)
        tools = [{"type": "function", "function": function} for function in functions]
        return Request(self.form, {"messages": list(self._messages), "tools": tools})

    def decision(self, answer: Mapping[str, Any]) -> Decision:
        """See `Dialect`."""
        choice = answer["choices"][0]
        message = choice["message"]
        calls = message.get("tool_calls") or ()
        self._model_ids = tuple(call.get("id") or "" for call in calls)
        self._messages.append(_as_history(message))
        if choice.get("finish_reason") == "length":
            raise MalformedReplyError(TRUNCATED)
        if refusal := message.get("refusal"):
            raise MalformedReplyError(f"it is a refusal: {refusal}")
        return self._read(calls, message.get("content") or "")

    def correct(self, reason: str) -> None:
        """See `Dialect`."""
        text = prompt("correction", reason=reason)
        for id in self._model_ids:
            self._messages.append({"role": "tool", "tool_call_id": id, "content": text})
        if not self._model_ids:
            self._messages.append({"role": "user", "content": text})
        self._pending = {}

    def _begin(self, observation: Observation) -> None:
        steps = self._briefing.limits.steps
        system = system_prompt(observation, self._view, steps, native=False)
        self._messages = [
            {"role": "system", "content": system},
            {"role": "user", "content": self._briefing.instruction},
        ]

    def _report(self, observation: Observation) -> None:
        images: list[str] = []
        for result in observation.results:
            text = result_text(result, self._config.results)
            id = self._pending.pop(result.call)
            self._messages.append({"role": "tool", "tool_call_id": id, "content": text})
            images += result.images
        self._pending = {}
        images += self._view.urls(observation.screenshot)
        texts = [{"type": "text", "text": text} for text in caption(observation)]
        if content := [*texts, *map(image_part, images)]:
            self._messages.append({"role": "user", "content": content})

    def _read(self, calls: Sequence[Mapping[str, Any]], text: str) -> Decision:
        if not calls:
            raise MalformedReplyError("it has no function call.")
        decided: list[ToolCall] = []
        for item in calls:
            name = item["function"].get("name") or ""
            arguments = parse_arguments(name, item["function"].get("arguments") or "{}")
            if end := read_ending(name, arguments):
                return Decision(text, tuple(decided), end.stop, end.answer)
            call = self._view.call(new_call(name, arguments), self._screen)
            self._pending[call.id] = item.get("id") or ""
            decided.append(call)
        return Decision(text, tuple(decided))


def remove_images(messages: Sequence[Message], keep: int) -> None:
    """Replace all images of a chat except the last `keep` by a text."""
    left = keep
    for message in reversed(messages):
        if not isinstance(message["content"], list):
            continue
        for index in range(len(message["content"]) - 1, -1, -1):
            if message["content"][index]["type"] != "image_url":
                continue
            if left <= 0:
                message["content"][index] = {"type": "text", "text": REMOVED_SCREENSHOT}
            left -= 1


def image_part(url: str) -> Message:
    """An image as a content part of a chat message."""
    return {"type": "image_url", "image_url": {"url": url}}


def _function(tool: ToolSpec) -> Mapping[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def _as_history(message: Mapping[str, Any]) -> Message:
    """An answer as a message of the conversation."""
    # Some vendors reject an empty text, others a message with neither text nor calls.
    calls = message.get("tool_calls") or ()
    text = message.get("content") or (None if calls else "(no answer)")
    history: Message = {"role": "assistant", "content": text}
    if calls:
        history["tool_calls"] = [
            {
                "id": call.get("id") or "",
                "type": "function",
                "function": {
                    "name": call["function"].get("name") or "",
                    "arguments": call["function"].get("arguments") or "{}",
                },
            }
            for call in calls
        ]
    return history


DIALECT = Functions
