"""A block of Python in each answer: calls of pyautogui's functions and of the offered tools. It is
parsed and never executed (see `pyautogui_reading`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from ambidex.host import GUI, Briefing, Decision, Observation, Request, ToolSpec
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.functions import forget_images, image
from ambidex.host.dialects.pyautogui_calls import SIGNATURES
from ambidex.host.dialects.pyautogui_reading import read
from ambidex.host.dialects.reading import Pointer, gui_tools
from ambidex.host.dialects.words import CUT, new_call, result_text, screen_now
from ambidex.host.models.prompts import prompt
from ambidex.host.models.viewport import View, data_url
from ambidex.host.records.config import ModelConfig

__all__ = ["PyAutoGUI", "signature"]

Message = dict[str, Any]

BLOCK = re.compile(r"```(?:python|py)?[ \t]*\n?(.*?)```", re.DOTALL)
OWN = ("computer_window_list", "computer_activate_window", "computer_cursor_position")
"""GUI tools that pyautogui has no function for."""
TYPES = {
    "string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list",
    "object": "dict", "null": "None",
}  # fmt: skip


class PyAutoGUI:
    """Keeps the whole conversation; of its pictures only the last `images`."""

    def __init__(self, briefing: Briefing, config: ModelConfig) -> None:
        self._briefing = briefing
        self._config = config
        self._view = View.of(config)
        self._screen = (0, 0)
        self._pointer = Pointer()
        self._tools: dict[str, ToolSpec] = {}
        self._messages: list[Message] = []
        self._called: dict[str, str] = {}
        """Names of the last answer's calls, by our ids."""
        self._wrong = ""

    def request(self, observation: Observation) -> Request:
        """See `Dialect`."""
        self._screen = observation.screenshot.size
        self._pointer.begin()
        self._tools = {
            name: tool for tool in observation.tools for name in (tool.name, *tool.aliases)
        }
        self._messages.append({"role": "user", "content": self._reported(observation)})
        forget_images(self._messages, self._config.images)
        system = {"role": "system", "content": self._system(observation)}
        return Request("chat", {"messages": [system, *self._messages]})

    def decision(self, answer: Mapping[str, Any]) -> Decision:
        """See `Dialect`."""
        choice = answer["choices"][0]
        message = choice["message"]
        text = message.get("content") or ""
        self._messages.append({"role": "assistant", "content": text or "(no answer)"})
        if choice.get("finish_reason") == "length":
            raise MalformedReplyError(CUT)
        if refusal := message.get("refusal"):
            raise MalformedReplyError(f"it is a refusal: {refusal}")
        blocks = BLOCK.findall(text)
        if len(blocks) != 1:
            raise MalformedReplyError(
                f"it needs exactly one block of code between ```, and has {len(blocks)}."
            )
        extent = self._view.extent(self._screen)
        found = read(blocks[0].strip(), self._tools, self._pointer, extent)
        calls = tuple(self._view.call(new_call(*each), self._screen) for each in found.calls)
        self._called = {call.id: call.name for call in calls}
        thought = BLOCK.sub("", text).strip()
        end = found.end or Decision()
        return Decision(thought, calls, end.stop, end.answer)

    def correct(self, reason: str) -> None:
        """See `Dialect`."""
        self._pointer.undo()
        self._called = {}
        self._wrong = prompt("pyautogui_correction", reason=reason)

    def _reported(self, observation: Observation) -> list[Message]:
        said = [self._wrong] if self._wrong else []
        self._wrong = ""
        if not self._messages:
            said.append(self._briefing.instruction)
        pictures: list[str] = []
        for result in observation.results:
            name = self._called[result.call]
            # Of a GUI action that returns nothing the next picture says everything.
            if result.text or result.error or not name.startswith(f"{GUI}_"):
                said.append(f"{name}: {result_text(result, self._config.results)}")
            pictures += result.images
        pictures.append(data_url(self._view.png(observation.screenshot)))
        said.append(screen_now(observation))
        return [{"type": "text", "text": "\n".join(said)}, *map(image, pictures)]

    def _system(self, observation: Observation) -> str:
        width, height = self._view.extent(self._screen)
        hands = gui_tools(observation.tools)
        functions = [text for tool, text in SIGNATURES if tool in hands]
        tools = [tool for tool in observation.tools if tool.app != GUI or tool.name in OWN]
        return prompt(
            "pyautogui_system",
            width=width,
            height=height,
            functions=functions,
            tools=[{"signature": signature(each), "says": _says(each)} for each in tools],
            example="pyautogui.click(120, 48)" if functions else "DONE",
            wait="computer_wait" in hands,
            steps=self._briefing.limits.steps,
        )


def signature(tool: ToolSpec) -> str:
    """A tool as a function of Python, its arguments by name only."""
    required: Collection[str] = tool.parameters.get("required", ())
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    parameters = []
    for name, schema in properties.items():
        kind = _type(schema)
        default = "" if name in required else f" = {schema.get('default')!r}"
        parameters.append((f"{name}: {kind}" if kind else name) + default)
    return f"{tool.name}({', '.join(parameters)})"


def _type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(repr(each) for each in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(_type(each) for each in schema["anyOf"])
    kinds = schema.get("type", [])
    kind = " | ".join(TYPES[each] for each in ([kinds] if isinstance(kinds, str) else kinds))
    inside = _type(schema["items"]) if kind == "list" and schema.get("items") else ""
    return f"list[{inside}]" if inside else kind


def _says(tool: ToolSpec) -> str:
    return " ".join(tool.description.partition("\n\n")[0].split())


DIALECT = PyAutoGUI
