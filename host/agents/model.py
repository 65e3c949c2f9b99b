"""An agent that asks a model, in the chat form with function calls.

The guest's tools are the functions, unchanged; ending the episode is two functions more. What a
model answers is checked here only for form: whether a tool exists and its arguments are right, the
guest says, in the result.
"""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Mapping
from typing import Any

from host import GUI, Briefing, Completion, Decision, Model, Observation, Stop, ToolCall, ToolSpec
from host.errors import ModelError
from host.prompts import prompt

__all__ = ["ModelAgent"]

Message = dict[str, Any]

FINISH, GIVE_UP = "finish", "give_up"

ENDINGS: tuple[Mapping[str, Any], ...] = (
    {
        "name": FINISH,
        "description": "The task is done. Give the answer if the task asks for one.",
        "parameters": {
            "type": "object",
            "properties": {"answer": {"type": "string"}},
            "additionalProperties": False,
        },
    },
    {
        "name": GIVE_UP,
        "description": "The task is impossible on this computer. Say why.",
        "parameters": {
            "type": "object",
            "properties": {"reason": {"type": "string"}},
            "required": ["reason"],
            "additionalProperties": False,
        },
    },
)

GONE = "[an earlier screenshot, no longer shown]"


class Malformed(Exception):
    """Why an answer is no decision."""


class ModelAgent:
    """Keeps the conversation of one episode; the last `images` screenshots stay in it."""

    def __init__(self, model: Model, briefing: Briefing, *, images: int = 3) -> None:
        self._model = model
        self._briefing = briefing
        self._images = images
        self._functions = [
            {"type": "function", "function": each}
            for each in (*map(_function, briefing.tools), *ENDINGS)
        ]
        self._messages: list[Message] = []
        self._asked: dict[str, str] = {}
        """The model's own id of each call that awaits its result, by ours."""

    def step(self, observation: Observation) -> Decision:
        """Ask the model; an answer that is no call is corrected, and counted by the loop."""
        if not self._messages:
            self._begin(observation)
        self._report(observation)
        self._forget_images()
        answer = self._model.complete(self._messages, self._functions)
        if self._briefing.limits.cost is not None and answer.usage.cost is None:
            raise ModelError(
                "the price of this model is not known, so its cost cannot be limited",
                hint="Run it without --cost-limit.",
            )
        self._messages.append(_as_message(answer))
        try:
            return self._decision(answer)
        except Malformed as malformed:
            correction = prompt("correction", reason=malformed)
            for (
                id,
                _,
                _,
            ) in answer.calls:  # every call must have an answer, or the next request is refused
                self._messages.append({"role": "tool", "tool_call_id": id, "content": correction})
            if not answer.calls:
                self._messages.append({"role": "user", "content": correction})
            self._asked = {}
            return Decision(thought=answer.text, usage=answer.usage, malformed=str(malformed))

    def _begin(self, observation: Observation) -> None:
        width, height = observation.screenshot.size
        apps = {tool.app for tool in self._briefing.tools}
        system = prompt(
            "system",
            width=width,
            height=height,
            gui=GUI in apps,
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
            id = self._asked.pop(result.call)
            text = f"ERROR {result.error}: {result.text}" if result.error else result.text
            self._messages.append({"role": "tool", "tool_call_id": id, "content": text or "done"})
            pictures += result.images
        self._asked = {}
        pictures.append(_data_url(observation.screenshot.png()))
        self._messages.append(
            {
                "role": "user",
                "content": [{"type": "text", "text": "The screen now:"}, *map(_image, pictures)],
            }
        )

    def _forget_images(self) -> None:
        left = self._images
        for message in reversed(self._messages):
            if not isinstance(message["content"], list):
                continue
            for at in range(len(message["content"]) - 1, -1, -1):
                if message["content"][at]["type"] != "image_url":
                    continue
                if left <= 0:
                    message["content"][at] = {"type": "text", "text": GONE}
                left -= 1

    def _decision(self, answer: Completion) -> Decision:
        if not answer.calls:
            raise Malformed("it has no function call.")
        calls: list[ToolCall] = []
        for theirs, name, text in answer.calls:
            arguments = _arguments(name, text)
            if name == FINISH:
                said = arguments.get("answer")
                return _end(answer, calls, Stop.DONE, None if said is None else str(said))
            if name == GIVE_UP:
                return _end(answer, calls, Stop.INFEASIBLE, str(arguments.get("reason", "")))
            # Ids of our own: models repeat theirs, and a repeated id is not carried out.
            call = ToolCall(uuid.uuid4().hex, name, arguments)
            self._asked[call.id] = theirs
            calls.append(call)
        return Decision(answer.text, tuple(calls), usage=answer.usage)


def _end(answer: Completion, calls: list[ToolCall], stop: Stop, said: str | None) -> Decision:
    return Decision(answer.text, tuple(calls), stop, said, answer.usage)


def _arguments(name: str, text: str) -> dict[str, Any]:
    try:
        arguments = json.loads(text)
    except json.JSONDecodeError as error:
        raise Malformed(f"the arguments of {name} are not JSON ({error}).") from None
    if not isinstance(arguments, dict):
        raise Malformed(f"the arguments of {name} are not an object.")
    return arguments


def _function(tool: ToolSpec) -> Mapping[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def _as_message(answer: Completion) -> Message:
    # Some vendors refuse an empty text, others a message with neither text nor calls.
    text = answer.text or (None if answer.calls else "(no answer)")
    message: Message = {"role": "assistant", "content": text}
    if answer.calls:
        message["tool_calls"] = [
            {"id": id, "type": "function", "function": {"name": name, "arguments": text}}
            for id, name, text in answer.calls
        ]
    return message


def _data_url(png: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


def _image(url: str) -> Message:
    return {"type": "image_url", "image_url": {"url": url}}
