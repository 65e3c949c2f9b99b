"""The prompt of OSWorld-MCP (appendix B), in our words: functions as JSON lines in the system
prompt, one call in tags, and a user message made anew at every step from the conclusions so far.

The model is given no conversation: what it concluded, what its calls returned and the last
screenshots are all it has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ambidex.host import GUI, Briefing, Decision, Observation, Request
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.functions import image
from ambidex.host.dialects.paper_actions import NAME, actions_of, computer_use, made, terminated
from ambidex.host.dialects.reading import Given, Pointer, gui_tools
from ambidex.host.dialects.words import CUT, new_call, parsed_object, result_text
from ambidex.host.models.prompts import prompt
from ambidex.host.models.viewport import View, data_url
from ambidex.host.records.config import ModelConfig

__all__ = ["Paper"]

THINKING = re.compile(r"<thinking>(.*?)</thinking>", re.DOTALL)
CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
CONCLUSION = re.compile(r"<conclusion>(.*?)</conclusion>", re.DOTALL)
FENCED = re.compile(r"```(?:json)?\s*(.*?)\s*```", re.DOTALL)


@dataclass(frozen=True)
class Step:
    """What the model is told of an earlier step."""

    conclusion: str
    results: tuple[str, ...] = ()


class Paper:
    """Keeps conclusions, results and the pictures that are still shown."""

    def __init__(self, briefing: Briefing, config: ModelConfig) -> None:
        self._briefing = briefing
        self._config = config
        self._view = View.of(config)
        self._screen = (0, 0)
        self._pointer = Pointer()
        self._actions: list[str] = []
        self._history: list[Step] = []
        self._pictures: list[list[str]] = []
        """By step, as data URLs; the screenshot is the last of each."""
        self._called: dict[str, str] = {}
        """Our ids of the last step's calls, with the names of what was called."""
        self._conclusion = ""
        self._wrong = ""

    def request(self, observation: Observation) -> Request:
        """See `Dialect`."""
        self._screen = observation.screenshot.size
        self._pointer.begin()
        self._report(observation)
        self._actions = actions_of(gui_tools(observation.tools))
        content = [{"type": "text", "text": self._said()}]
        now = len(self._pictures)
        for step in range(max(0, now - self._config.images), now):
            when = "now" if step == now - 1 else f"at step {step + 1}"
            content.append({"type": "text", "text": f"The screen {when}:"})
            content += map(image, self._pictures[step])
        messages = [
            {"role": "system", "content": self._system(observation)},
            {"role": "user", "content": content},
        ]
        return Request("chat", {"messages": messages})

    def decision(self, answer: Mapping[str, Any]) -> Decision:
        """See `Dialect`."""
        choice = answer["choices"][0]
        message = choice["message"]
        if choice.get("finish_reason") == "length":
            raise MalformedReplyError(CUT)
        if refusal := message.get("refusal"):
            raise MalformedReplyError(f"it is a refusal: {refusal}")
        return self._read(message.get("content") or "")

    def correct(self, reason: str) -> None:
        """See `Dialect`."""
        self._pointer.undo()
        self._called = {}
        self._wrong = reason

    def _report(self, observation: Observation) -> None:
        if self._wrong:
            self._history.append(Step(f"(an answer that could not be carried out: {self._wrong})"))
        elif self._pictures:
            # A GUI action returns nothing that the next screenshot does not show.
            results = tuple(
                result_text(result, self._config.results)
                for result in observation.results
                if result.error or self._called.get(result.call) != NAME
            )
            self._history.append(Step(self._conclusion, results))
        self._history += [Step(f"({note})") for note in observation.notes]
        pictures = [url for result in observation.results for url in result.images]
        screenshot = data_url(self._view.png(observation.screenshot))
        self._pictures.append([*pictures, screenshot])

    def _said(self) -> str:
        wrong, self._wrong = self._wrong, ""
        return prompt(
            "paper_user",
            instruction=self._briefing.instruction,
            history=self._history,
            wrong=wrong,
        )

    def _system(self, observation: Observation) -> str:
        width, height = self._view.extent(self._screen)
        others = [tool for tool in observation.tools if tool.app != GUI]
        functions = [
            computer_use(self._actions),
            *(
                {"name": each.name, "description": each.description, "parameters": each.parameters}
                for each in others
            ),
        ]
        lines = [json.dumps({"type": "function", "function": each}) for each in functions]
        return prompt(
            "paper_system",
            functions=lines,
            width=width,
            height=height,
            gui=len(self._actions) > 1,
            tools=bool(others),
            steps=self._briefing.limits.steps,
        )

    def _read(self, text: str) -> Decision:
        thought = " ".join(each.strip() for each in THINKING.findall(text))
        rest = THINKING.sub("", text)
        calls = CALL.findall(rest)
        if len(calls) != 1 or rest.count("<tool_call>") != 1:
            found = rest.count("<tool_call>")
            lacks = "it is not closed by </tool_call>" if found == 1 else f"it has {found}"
            raise MalformedReplyError(f"it needs exactly one <tool_call>, and {lacks}.")
        inside = calls[0].strip()
        if fenced := FENCED.fullmatch(inside):
            inside = fenced[1]
        call = parsed_object("what is in <tool_call> is", inside)
        name, arguments = call.get("name"), call.get("arguments", {})
        if not isinstance(name, str) or not name or not isinstance(arguments, dict):
            raise MalformedReplyError(
                "what is in <tool_call> needs a `name` and an object `arguments`."
            )
        concluded = CONCLUSION.findall(rest)
        # Without a conclusion the call stands for itself, or the step would be forgotten.
        self._conclusion = concluded[-1].strip() if concluded else f"called {inside}"
        self._called = {}
        if name == NAME:
            return self._act(thought, arguments)
        made_call = self._view.call(new_call(name, arguments), self._screen)
        self._called[made_call.id] = name
        return Decision(thought, (made_call,))

    def _act(self, thought: str, arguments: Mapping[str, Any]) -> Decision:
        action = arguments.get("action")
        if action not in self._actions:
            allowed = ", ".join(self._actions)
            raise MalformedReplyError(f"{NAME} has no action {action!r} here. It has {allowed}.")
        rest = {name: value for name, value in arguments.items() if name != "action"}
        given = Given(str(action), rest)
        if action == "terminate":
            end = terminated(given)
            return Decision(thought, (), end.stop, end.answer)
        extent = self._view.extent(self._screen)
        calls = [
            self._view.call(new_call(*each), self._screen)
            for each in made(str(action), given, self._pointer, extent)
        ]
        self._called = {call.id: NAME for call in calls}
        return Decision(thought, tuple(calls))


DIALECT = Paper
