"""Answers are a block of Python: calls of pyautogui's functions and of the tools on offer. It is
parsed and never executed (see `pyautogui_reading`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from ambidex.host import GUI, Briefing, Decision, Form, Observation, Request, ToolSpec
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.functions import image_part, remove_images
from ambidex.host.dialects.pyautogui_calls import SIGNATURES
from ambidex.host.dialects.pyautogui_reading import parse_block
from ambidex.host.dialects.reading import Pointer, gui_tools
from ambidex.host.dialects.words import TRUNCATED, caption, new_call, result_text
from ambidex.host.models.prompts import prompt
from ambidex.host.models.viewport import View
from ambidex.host.records.config import ModelConfig

__all__ = ["PyAutoGUI", "signature"]

Message = dict[str, Any]

BLOCK = re.compile(r"```(?:python|py)?[ \t]*\n?(.*?)```", re.DOTALL)
OWN = ("computer_window_list", "computer_activate_window", "computer_cursor_position")
"""GUI tools without an equivalent in pyautogui; they are offered under their own names."""
TYPES = {
    "string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list",
    "object": "dict", "null": "None",
}  # fmt: skip


class PyAutoGUI:
    """Keeps the whole conversation, but only its last `images` images."""

    form: Form = "chat"

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
        self._correction = ""

    def request(self, observation: Observation) -> Request:
        """See `Dialect`."""
        self._screen = observation.screen
        self._pointer.begin()
        self._tools = {
            name: tool for tool in observation.tools for name in (tool.name, *tool.aliases)
        }
        self._messages.append({"role": "user", "content": self._report(observation)})
        remove_images(self._messages, self._config.images)
        system = {"role": "system", "content": self._system_prompt(observation)}
        return Request(self.form, {"messages": [system, *self._messages]})

    def decision(self, answer: Mapping[str, Any]) -> Decision:
        """See `Dialect`."""
        choice = answer["choices"][0]
        message = choice["message"]
        text = message.get("content") or ""
        self._messages.append({"role": "assistant", "content": text or "(no answer)"})
        if choice.get("finish_reason") == "length":
            raise MalformedReplyError(TRUNCATED)
        if refusal := message.get("refusal"):
            raise MalformedReplyError(f"it is a refusal: {refusal}")
        blocks = BLOCK.findall(text)
        if len(blocks) != 1:
            raise MalformedReplyError(
                f"it needs exactly one block of code between ```, but has {len(blocks)}."
            )
        extent = self._view.extent(self._screen)
        block = parse_block(blocks[0].strip(), self._tools, self._pointer, extent)
        calls = tuple(self._view.call(new_call(*call), self._screen) for call in block.calls)
        self._called = {call.id: call.name for call in calls}
        thought = BLOCK.sub("", text).strip()
        end = block.end or Decision()
        return Decision(thought, calls, end.stop, end.answer)

    def correct(self, reason: str) -> None:
        """See `Dialect`."""
        self._pointer.undo()
        self._called = {}
        self._correction = prompt("pyautogui_correction", reason=reason)

    def _report(self, observation: Observation) -> list[Message]:
        """The content of the next user message: correction, results and screenshot."""
        lines = [self._correction] if self._correction else []
        self._correction = ""
        if not self._messages:
            lines.append(self._briefing.instruction)
        images: list[str] = []
        for result in observation.results:
            name = self._called[result.call]
            # The next screenshot shows the result of a GUI action that returns nothing.
            if result.text or result.error or not name.startswith(f"{GUI}_"):
                lines.append(f"{name}: {result_text(result, self._config.results)}")
            images += result.images
        images += self._view.urls(observation.screenshot)
        lines += caption(observation)
        text = "\n".join(lines) or "(nothing was called)"
        return [{"type": "text", "text": text}, *map(image_part, images)]

    def _system_prompt(self, observation: Observation) -> str:
        width, height = self._view.extent(self._screen)
        gui = gui_tools(observation.tools)
        functions = [text for tool, text in SIGNATURES if tool in gui]
        tools = [tool for tool in observation.tools if tool.app != GUI or tool.name in OWN]
        return prompt(
            "pyautogui_system",
            screen=observation.screenshot is not None,
            width=width,
            height=height,
            functions=functions,
            tools=[{"signature": signature(tool), "summary": _summary(tool)} for tool in tools],
            example="pyautogui.click(120, 48)" if functions else "DONE",
            wait="computer_wait" in gui,
            steps=self._briefing.limits.steps,
        )


def signature(tool: ToolSpec) -> str:
    """A tool's signature in Python; its arguments are passed by name only."""
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
        return " | ".join(repr(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(_type(option) for option in schema["anyOf"])
    names = schema.get("type", [])
    kind = " | ".join(TYPES[name] for name in ([names] if isinstance(names, str) else names))
    items = _type(schema["items"]) if kind == "list" and schema.get("items") else ""
    return f"list[{items}]" if items else kind


def _summary(tool: ToolSpec) -> str:
    return " ".join(tool.description.partition("\n\n")[0].split())


DIALECT = PyAutoGUI
