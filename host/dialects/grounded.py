"""Two models: one says what to do and describes where, the other finds that on the screen."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ambidex.host import GUI, Decision, Exchange, Model, Observation, Request, ToolCall, ToolSpec
from ambidex.host.dialects import Dialect, MalformedReplyError
from ambidex.host.dialects.functions import image
from ambidex.host.models.prompts import prompt
from ambidex.host.models.viewport import POINTS, View, data_url
from ambidex.host.records.config import ModelConfig

__all__ = ["Grounded"]

TARGETS = ("target", "to_target")
"""What the planner gives in the place of each point of `POINTS`."""

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class Grounded:
    """A dialect in which GUI tools take a description where they take a point; the second model is
    asked for the point, a request each."""

    def __init__(self, planner: Dialect, asked: ModelConfig, grounder: Model) -> None:
        self._planner = planner
        self._view = View.of(asked)
        self._grounder = grounder
        self._seen: Observation | None = None

    def request(self, observation: Observation) -> Request:
        """See `Dialect`."""
        self._seen = observation
        tools = tuple(_described(tool) if tool.app == GUI else tool for tool in observation.tools)
        return self._planner.request(replace(observation, tools=tools))

    def decision(self, answer: Mapping[str, Any]) -> Decision:
        """See `Dialect`."""
        decision = self._planner.decision(answer)
        exchanges: list[Exchange] = []
        calls = tuple(self._grounded(call, exchanges) for call in decision.calls)
        return replace(decision, calls=calls, exchanges=(*decision.exchanges, *exchanges))

    def correct(self, reason: str) -> None:
        """See `Dialect`."""
        self._planner.correct(reason)

    def _grounded(self, call: ToolCall, exchanges: list[Exchange]) -> ToolCall:
        if not call.name.startswith(f"{GUI}_"):
            return call
        arguments = dict(call.arguments)
        if {name for point in POINTS for name in point} & arguments.keys():
            reason = f"{call.name} takes no coordinates here: describe what is to be hit."
            raise MalformedReplyError(reason, tuple(exchanges))
        for target, (across, down) in zip(TARGETS, POINTS, strict=True):
            if target in arguments:
                description = str(arguments.pop(target))
                arguments[across], arguments[down] = self._point(description, exchanges)
        return replace(call, arguments=arguments)

    def _point(self, description: str, exchanges: list[Exchange]) -> tuple[int, int]:
        assert self._seen is not None
        frame = self._seen.screenshot
        width, height = self._view.extent(frame.size)
        question = prompt("grounding", target=description, width=width, height=height)
        content = [
            {"type": "text", "text": question},
            image(data_url(self._view.png(frame))),
        ]
        began = time.monotonic()
        body = {"messages": [{"role": "user", "content": content}]}
        answer = self._grounder.ask(Request("chat", body))
        seconds = time.monotonic() - began
        exchanges.append(Exchange(self._grounder.name, answer.body, answer.usage, seconds))
        said = answer.body["choices"][0]["message"].get("content") or ""
        numbers = [float(each) for each in NUMBER.findall(said)]
        if len(numbers) != 2:
            reason = f"the point of {description!r} was not found on the screen."
            raise MalformedReplyError(reason, tuple(exchanges))
        return self._view.on_screen(numbers[0], numbers[1], frame.size)


def _described(tool: ToolSpec) -> ToolSpec:
    parameters = dict(tool.parameters)
    properties, required = dict(parameters["properties"]), list(parameters.get("required", ()))
    for target, point in zip(TARGETS, POINTS, strict=True):
        if not all(name in properties for name in point):
            continue
        for name in point:
            del properties[name]
        required = [target, *(name for name in required if name not in point)]
        said = "what is to be hit, so that nothing else on the screen fits the description"
        properties = {target: {"type": "string", "description": said}, **properties}
    return replace(tool, parameters={**parameters, "properties": properties, "required": required})
