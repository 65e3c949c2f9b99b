"""Function calls in the chat form. The guest's tools are the functions, unchanged; ending the
episode is two functions more.

What a model answers is checked here only for form: whether a tool exists and its arguments are
right, the guest says, in the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ambidex.host import GUI, Briefing, Decision, Observation, Request, ToolCall, ToolSpec
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.words import (
    CUT,
    ENDINGS,
    GONE,
    ending,
    new_call,
    parsed,
    result_text,
    screen_now,
)
from ambidex.host.models.prompts import prompt
from ambidex.host.models.viewport import View, data_url
from ambidex.host.records.config import ModelConfig

__all__ = ["Functions", "forget_images", "image"]

Message = dict[str, Any]


class Functions:
    """Keeps the whole conversation; of its pictures only the last `images`."""

    def __init__(self, briefing: Briefing, config: ModelConfig) -> None:
        self._briefing = briefing
        self._config = config
        self._view = View.of(config)
        self._screen = (0, 0)
        self._messages: list[Message] = []
        self._asked: dict[str, str] = {}
        """The model's own id of each call that awaits its result, by ours."""
        self._theirs: tuple[str, ...] = ()
        """The ids of the calls in the last answer: each must be answered by a message."""

    def request(self, observation: Observation) -> Request:
        """See `Dialect`."""
        self._screen = observation.screenshot.size
        if not self._messages:
            self._begin(observation)
        self._report(observation)
        forget_images(self._messages, self._config.images)
        functions = (*map(_function, observation.tools), *ENDINGS)
        tools = [{"type": "function", "function": each} for each in functions]
        return Request("chat", {"messages": list(self._messages), "tools": tools})

    def decision(self, answer: Mapping[str, Any]) -> Decision:
        """See `Dialect`."""
        choice = answer["choices"][0]
        message = choice["message"]
        calls = message.get("tool_calls") or ()
        self._theirs = tuple(call.get("id") or "" for call in calls)
        self._messages.append(_remembered(message))
        if choice.get("finish_reason") == "length":
            raise MalformedReplyError(CUT)
        if refusal := message.get("refusal"):
            raise MalformedReplyError(f"it is a refusal: {refusal}")
        return self._read(calls, message.get("content") or "")

    def correct(self, reason: str) -> None:
        """See `Dialect`."""
        said = prompt("correction", reason=reason)
        for theirs in self._theirs:
            self._messages.append({"role": "tool", "tool_call_id": theirs, "content": said})
        if not self._theirs:
            self._messages.append({"role": "user", "content": said})
        self._asked = {}

    def _begin(self, observation: Observation) -> None:
        width, height = self._view.extent(self._screen)
        apps = {tool.app for tool in observation.tools}
        system = prompt(
            "system",
            width=width,
            height=height,
            gui=GUI in apps,
            native=False,
            tools=bool(apps - {GUI}),
            steps=self._briefing.limits.steps,
        )
        self._messages = [
            {"role": "system", "content": system},
            {"role": "user", "content": self._briefing.instruction},
        ]

    def _report(self, observation: Observation) -> None:
        pictures: list[str] = []
        for result in observation.results:
            text = result_text(result, self._config.results)
            theirs = self._asked.pop(result.call)
            self._messages.append({"role": "tool", "tool_call_id": theirs, "content": text})
            pictures += result.images
        self._asked = {}
        pictures.append(data_url(self._view.png(observation.screenshot)))
        content = [{"type": "text", "text": screen_now(observation)}, *map(image, pictures)]
        self._messages.append({"role": "user", "content": content})

    def _read(self, calls: Sequence[Mapping[str, Any]], text: str) -> Decision:
        if not calls:
            raise MalformedReplyError("it has no function call.")
        made: list[ToolCall] = []
        for each in calls:
            name = each["function"].get("name") or ""
            arguments = parsed(name, each["function"].get("arguments") or "{}")
            if end := ending(name, arguments):
                return Decision(text, tuple(made), end.stop, end.answer)
            call = self._view.call(new_call(name, arguments), self._screen)
            self._asked[call.id] = each.get("id") or ""
            made.append(call)
        return Decision(text, tuple(made))


def forget_images(messages: Sequence[Message], kept: int) -> None:
    """Put a sentence in the place of all pictures of a chat but the last ones."""
    left = kept
    for message in reversed(messages):
        if not isinstance(message["content"], list):
            continue
        for at in range(len(message["content"]) - 1, -1, -1):
            if message["content"][at]["type"] != "image_url":
                continue
            if left <= 0:
                message["content"][at] = {"type": "text", "text": GONE}
            left -= 1


def image(url: str) -> Message:
    """A picture as a part of a chat message."""
    return {"type": "image_url", "image_url": {"url": url}}


def _function(tool: ToolSpec) -> Mapping[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def _remembered(message: Mapping[str, Any]) -> Message:
    # Some vendors refuse an empty text, others a message with neither text nor calls.
    calls = message.get("tool_calls") or ()
    text = message.get("content") or (None if calls else "(no answer)")
    kept: Message = {"role": "assistant", "content": text}
    if calls:
        kept["tool_calls"] = [
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
    return kept


DIALECT = Functions
