"""The prompt of OSWorld-MCP (appendix B), reworded: functions as JSON lines in the system prompt,
one call in tags, and a single user message that is rebuilt at every step.

There is no conversation. The model sees only its earlier conclusions, the results of its calls and
the last screenshots.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ambidex.host import GUI, Briefing, Decision, Form, Observation, Request
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.functions import image_part
from ambidex.host.dialects.paper_actions import (
    NAME,
    available_actions,
    computer_use,
    read_termination,
    to_calls,
)
from ambidex.host.dialects.reading import Arguments, Pointer, gui_tools
from ambidex.host.dialects.words import TRUNCATED, new_call, parse_object, result_text
from ambidex.host.models.prompts import prompt
from ambidex.host.models.viewport import View
from ambidex.host.records.config import ModelConfig

__all__ = ["Paper"]

THINKING = re.compile(r"<thinking>(.*?)</thinking>", re.DOTALL)
CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
CONCLUSION = re.compile(r"<conclusion>(.*?)</conclusion>", re.DOTALL)
FENCED = re.compile(r"```(?:json)?\s*(.*?)\s*```", re.DOTALL)


@dataclass(frozen=True)
class PastStep:
    """What the model is shown of an earlier step."""

    conclusion: str
    results: tuple[str, ...] = ()


class Paper:
    """Keeps the conclusions, results and images of earlier steps."""

    form: Form = "chat"

    def __init__(self, briefing: Briefing, config: ModelConfig) -> None:
        self._briefing = briefing
        self._config = config
        self._view = View.of(config)
        self._screen = (0, 0)
        self._pointer = Pointer()
        self._actions: list[str] = []
        self._history: list[PastStep] = []
        self._images: list[list[str]] = []
        """Images of each step as data URLs, the screenshot last if there is one."""
        self._called: dict[str, str] = {}
        """Name of the called function by our id, for the calls of the last step."""
        self._conclusion = ""
        self._correction = ""

    def request(self, observation: Observation) -> Request:
        """See `Dialect`."""
        self._screen = observation.screen
        self._pointer.begin()
        self._report(observation)
        self._actions = available_actions(gui_tools(observation.tools))
        content = [{"type": "text", "text": self._user_prompt(observation)}]
        count = len(self._images)
        shown = "The screen" if observation.screenshot else "Images"
        for step in range(max(0, count - self._config.images), count):
            if not self._images[step]:
                continue
            when = "now" if step == count - 1 else f"at step {step + 1}"
            content.append({"type": "text", "text": f"{shown} {when}:"})
            content += map(image_part, self._images[step])
        messages = [
            {"role": "system", "content": self._system_prompt(observation)},
            {"role": "user", "content": content},
        ]
        return Request(self.form, {"messages": messages})

    def decision(self, answer: Mapping[str, Any]) -> Decision:
        """See `Dialect`."""
        choice = answer["choices"][0]
        message = choice["message"]
        if choice.get("finish_reason") == "length":
            raise MalformedReplyError(TRUNCATED)
        if refusal := message.get("refusal"):
            raise MalformedReplyError(f"it is a refusal: {refusal}")
        return self._read(message.get("content") or "")

    def correct(self, reason: str) -> None:
        """See `Dialect`."""
        self._pointer.undo()
        self._called = {}
        self._correction = reason

    def _report(self, observation: Observation) -> None:
        """Add the last step to the history, and the new images."""
        if self._correction:
            note = f"(an answer that could not be carried out: {self._correction})"
            self._history.append(PastStep(note))
        elif self._images:
            # The next screenshot shows the result of a GUI action.
            results = tuple(
                result_text(result, self._config.results)
                for result in observation.results
                if result.error or self._called.get(result.call) != NAME
            )
            self._history.append(PastStep(self._conclusion, results))
        self._history += [PastStep(f"({note})") for note in observation.notes]
        images = [url for result in observation.results for url in result.images]
        self._images.append([*images, *self._view.urls(observation.screenshot)])

    def _user_prompt(self, observation: Observation) -> str:
        correction, self._correction = self._correction, ""
        return prompt(
            "paper_user",
            screen=observation.screenshot is not None,
            instruction=self._briefing.instruction,
            history=self._history,
            correction=correction,
        )

    def _system_prompt(self, observation: Observation) -> str:
        width, height = self._view.extent(self._screen)
        others = [tool for tool in observation.tools if tool.app != GUI]
        functions = [
            computer_use(self._actions),
            *(
                {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
                for tool in others
            ),
        ]
        lines = [json.dumps({"type": "function", "function": function}) for function in functions]
        return prompt(
            "paper_system",
            screen=observation.screenshot is not None,
            functions=lines,
            width=width,
            height=height,
            gui=len(self._actions) > 1,
            tools=bool(others),
            steps=self._briefing.limits.steps,
        )

    def _read(self, text: str) -> Decision:
        thought = " ".join(part.strip() for part in THINKING.findall(text))
        rest = THINKING.sub("", text)
        calls = CALL.findall(rest)
        if len(calls) != 1 or rest.count("<tool_call>") != 1:
            count = rest.count("<tool_call>")
            problem = "is not closed by </tool_call>" if count == 1 else f"has {count}"
            raise MalformedReplyError(f"it needs exactly one <tool_call>, but {problem}.")
        source = calls[0].strip()
        if fenced := FENCED.fullmatch(source):
            source = fenced[1]
        call = parse_object("the content of <tool_call> is", source)
        name, values = call.get("name"), call.get("arguments", {})
        if not isinstance(name, str) or not name or not isinstance(values, dict):
            raise MalformedReplyError(
                "the content of <tool_call> needs a `name` and an object `arguments`."
            )
        conclusions = CONCLUSION.findall(rest)
        # Without a conclusion the call itself is recorded; otherwise the step would be forgotten.
        self._conclusion = conclusions[-1].strip() if conclusions else f"called {source}"
        self._called = {}
        if name == NAME:
            return self._read_action(thought, values)
        decided = self._view.call(new_call(name, values), self._screen)
        self._called[decided.id] = name
        return Decision(thought, (decided,))

    def _read_action(self, thought: str, values: Mapping[str, Any]) -> Decision:
        action = values.get("action")
        if action not in self._actions:
            allowed = ", ".join(self._actions)
            raise MalformedReplyError(f"{NAME} has no action {action!r} here. It has {allowed}.")
        rest = {name: value for name, value in values.items() if name != "action"}
        arguments = Arguments(str(action), rest)
        if action == "terminate":
            end = read_termination(arguments)
            return Decision(thought, (), end.stop, end.answer)
        extent = self._view.extent(self._screen)
        calls = [
            self._view.call(new_call(*call), self._screen)
            for call in to_calls(str(action), arguments, self._pointer, extent)
        ]
        self._called = {call.id: NAME for call in calls}
        return Decision(thought, tuple(calls))


DIALECT = Paper
