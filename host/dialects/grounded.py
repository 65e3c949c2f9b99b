"""Two models: a planner that describes what to hit, and a grounder that locates it."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ambidex.host import GUI, Decision, Exchange, Model, Observation, Request, ToolCall, ToolSpec
from ambidex.host.dialects import Dialect, MalformedReplyError
from ambidex.host.dialects.functions import image_part
from ambidex.host.models.prompts import prompt
from ambidex.host.models.viewport import POINTS, View, data_url
from ambidex.host.records.config import ModelConfig

__all__ = ["Grounded"]

TARGETS = ("target", "to_target")
"""The planner's arguments that replace each point of `POINTS`."""

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class Grounded:
    """A dialect in which GUI tools take descriptions instead of points. The grounder is asked for
    each point, in a request of its own."""

    def __init__(self, planner: Dialect, grounder_config: ModelConfig, grounder: Model) -> None:
        self.form = planner.form
        self._planner = planner
        self._view = View.of(grounder_config)
        self._grounder = grounder
        self._observation: Observation | None = None

    def request(self, observation: Observation) -> Request:
        """See `Dialect`."""
        self._observation = observation
        tools = tuple(
            _with_targets(tool) if tool.app == GUI else tool for tool in observation.tools
        )
        return self._planner.request(replace(observation, tools=tools))

    def decision(self, answer: Mapping[str, Any]) -> Decision:
        """See `Dialect`."""
        decision = self._planner.decision(answer)
        exchanges: list[Exchange] = []
        calls = tuple(self._ground(call, exchanges) for call in decision.calls)
        return replace(decision, calls=calls, exchanges=(*decision.exchanges, *exchanges))

    def correct(self, reason: str) -> None:
        """See `Dialect`."""
        self._planner.correct(reason)

    def _ground(self, call: ToolCall, exchanges: list[Exchange]) -> ToolCall:
        if not call.name.startswith(f"{GUI}_"):
            return call
        arguments = dict(call.arguments)
        if {name for point in POINTS for name in point} & arguments.keys():
            reason = f"{call.name} takes no coordinates here: describe the target instead."
            raise MalformedReplyError(reason, tuple(exchanges))
        for target, (x_name, y_name) in zip(TARGETS, POINTS, strict=True):
            if target in arguments:
                description = str(arguments.pop(target))
                arguments[x_name], arguments[y_name] = self._locate(description, exchanges)
        return replace(call, arguments=arguments)

    def _locate(self, description: str, exchanges: list[Exchange]) -> tuple[int, int]:
        """Ask the grounder for the point that a description refers to."""
        assert self._observation is not None
        frame = self._observation.screenshot
        if frame is None:
            raise MalformedReplyError("there is no screen here.", tuple(exchanges))
        width, height = self._view.extent(frame.size)
        question = prompt("grounding", target=description, width=width, height=height)
        content = [
            {"type": "text", "text": question},
            image_part(data_url(self._view.png(frame))),
        ]
        began = time.monotonic()
        body = {"messages": [{"role": "user", "content": content}]}
        answer = self._grounder.ask(Request("chat", body))
        seconds = time.monotonic() - began
        exchanges.append(Exchange(self._grounder.name, answer.body, answer.usage, seconds))
        text = answer.body["choices"][0]["message"].get("content") or ""
        numbers = [float(number) for number in NUMBER.findall(text)]
        if len(numbers) != 2:
            reason = f"{description!r} was not found on the screen."
            raise MalformedReplyError(reason, tuple(exchanges))
        return self._view.on_screen(numbers[0], numbers[1], frame.size)


def _with_targets(tool: ToolSpec) -> ToolSpec:
    """A GUI tool whose point parameters are replaced by descriptions of targets."""
    parameters = dict(tool.parameters)
    properties, required = dict(parameters["properties"]), list(parameters.get("required", ()))
    for target, point in zip(TARGETS, POINTS, strict=True):
        if not all(name in properties for name in point):
            continue
        for name in point:
            del properties[name]
        required = [target, *(name for name in required if name not in point)]
        description = "the target, described so that nothing else on the screen matches"
        properties = {target: {"type": "string", "description": description}, **properties}
    return replace(tool, parameters={**parameters, "properties": properties, "required": required})
