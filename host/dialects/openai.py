"""OpenAI's responses with its own computer tool; our other tools and the two endings stand beside
it as functions.

Nothing is stored with the vendor: the whole conversation is sent each time, the model's own items
as they came. Every call is answered by an output item; a computer call's output is the new
screenshot and can be nothing else.
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
    Observation,
    Request,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.openai_actions import computer_tool, is_preview, made
from ambidex.host.dialects.reading import Given, gui_tools
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

__all__ = ["OpenAI"]

Item = dict[str, Any]
CALLS = ("computer_call", "function_call")


class OpenAI:
    """Keeps the whole conversation; the pictures of the last `images` observations only."""

    def __init__(self, briefing: Briefing, config: ModelConfig) -> None:
        self._briefing = briefing
        self._config = config
        self._preview = is_preview(config.name)
        self._view = View.of(config)
        self._screen = (0, 0)
        self._items: list[Item] = []
        self._seen: list[list[Item]] = []
        """The items of each observation that hold pictures."""
        self._asked: list[tuple[Item, list[ToolCall]]] = []
        """The calls of the last answer, each of which has to be answered, and what they became."""
        self._wrong = ""

    def request(self, observation: Observation) -> Request:
        """See `Dialect`."""
        self._screen = observation.screenshot.size
        items = self._reported(observation)
        self._items += items
        self._seen.append(items)
        for old in self._seen[: -self._config.images]:
            _forget_pictures(old)
        body = {
            "instructions": self._instructions(observation),
            "input": list(self._items),
            "tools": self._offered(observation),
            "truncation": "auto",
            "store": False,
            "include": ["reasoning.encrypted_content"],
        }
        return Request("responses", body)

    def decision(self, answer: Mapping[str, Any]) -> Decision:
        """See `Dialect`."""
        output = [_remembered(item) for item in answer["output"]]
        calls = [item for item in output if item.get("type") in CALLS]
        self._asked = [(item, []) for item in calls]
        # Reasoning that led to nothing is refused when it is sent back.
        while output and output[-1].get("type") == "reasoning":
            output.pop()
        self._items += output
        said, refusal = _said(output)
        if answer.get("status") == "incomplete":
            why = (answer.get("incomplete_details") or {}).get("reason")
            raise MalformedReplyError(
                CUT if why != "content_filter" else "it was stopped by a filter."
            )
        if refusal:
            raise MalformedReplyError(f"it is a refusal: {refusal}")
        if not calls:
            raise MalformedReplyError("it has no function call and no computer call.")
        return self._read(said)

    def correct(self, reason: str) -> None:
        """See `Dialect`."""
        self._wrong = prompt("correction", reason=reason)

    def _instructions(self, observation: Observation) -> str:
        width, height = self._view.extent(self._screen)
        apps = {tool.app for tool in observation.tools}
        return prompt(
            "system",
            width=width,
            height=height,
            gui=GUI in apps,
            native=True,
            tools=bool(apps - {GUI}),
            steps=self._briefing.limits.steps,
        )

    def _offered(self, observation: Observation) -> list[Item]:
        extent = self._view.extent(self._screen)
        computer = computer_tool(self._preview, extent)
        return [
            *([computer] if gui_tools(observation.tools) else []),
            *(_function(tool) for tool in observation.tools if tool.app != GUI),
            *({"type": "function", **each, "strict": False} for each in ENDINGS),
        ]

    def _reported(self, observation: Observation) -> list[Item]:
        wrong, self._wrong = self._wrong, ""
        screen = data_url(self._view.png(observation.screenshot))
        results = {result.call: result for result in observation.results}
        items: list[Item] = []
        beside: list[str] = []
        """What is said in a message, because an output that is a picture cannot say it."""
        for item, calls in self._asked:
            answers = [results[call.id] for call in calls if call.id in results]
            if item["type"] == "computer_call":
                items.append(_screenshot(item, screen))
                failed = [each for each in answers if each.error]
                beside += [result_text(each, self._config.results) for each in failed]
            else:
                items.append(self._output(item, answers, wrong))
        if not self._items:
            beside.append(self._briefing.instruction)
        pictured = any(item["type"] == "computer_call_output" for item in items)
        if pictured:
            beside += observation.notes
        if wrong and all(item["type"] == "computer_call_output" for item in items):
            beside.append(wrong)
        content = [{"type": "input_text", "text": text} for text in beside]
        if not pictured:
            content += [
                {"type": "input_text", "text": screen_now(observation)},
                self._picture(screen),
            ]
        if content:
            items.append({"role": "user", "content": content})
        return items

    def _output(self, call: Item, answers: list[ToolResult], wrong: str) -> Item:
        texts = [result_text(each, self._config.results) for each in answers]
        text = wrong or "\n".join(texts)
        pictures = [self._picture(url) for each in answers for url in each.images]
        output = [{"type": "input_text", "text": text}, *pictures] if pictures else text
        return {"type": "function_call_output", "call_id": call["call_id"], "output": output}

    def _picture(self, url: str) -> Item:
        # Coordinates are those of the picture as it is sent only where it is not made smaller.
        detail = "auto" if self._preview else "original"
        return {"type": "input_image", "image_url": url, "detail": detail}

    def _read(self, thought: str) -> Decision:
        done: list[ToolCall] = []
        for item, calls in self._asked:
            if item["type"] == "computer_call":
                for check in item.get("pending_safety_checks") or ():
                    thought += f"\n[acknowledged: {check.get('code')}: {check.get('message')}]"
                wanted = [each for action in _actions(item) for each in made(action)]
            else:
                name = str(item.get("name") or "")
                arguments = parsed(name, item.get("arguments") or "{}")
                if end := ending(name, arguments):
                    return Decision(thought.strip(), tuple(done), end.stop, end.answer)
                wanted = [(name, arguments)]
            calls += [self._view.call(new_call(*each), self._screen) for each in wanted]
            done += calls
        return Decision(thought.strip(), tuple(done))


def _actions(item: Item) -> list[Given]:
    actions = item.get("actions") or [each for each in [item.get("action")] if each]
    if not actions:
        raise MalformedReplyError("it has a computer call without an action.")
    found = []
    for action in actions:
        rest = dict(action)
        found.append(Given(str(rest.pop("type", None)), rest))
    return found


def _said(output: list[Item]) -> tuple[str, str]:
    """Text and refusal."""
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


def _remembered(item: Mapping[str, Any]) -> Item:
    # What the vendor left out comes as null, which it does not take back.
    kept = {name: value for name, value in item.items() if value is not None}
    if kept.get("type") == "message":
        kept["content"] = [
            {name: value for name, value in part.items() if value is not None}
            for part in kept["content"]
        ]
    return kept


def _screenshot(call: Item, url: str) -> Item:
    output = {"type": "computer_screenshot", "image_url": url}
    item = {"type": "computer_call_output", "call_id": call["call_id"], "output": output}
    if checks := call.get("pending_safety_checks"):
        item["acknowledged_safety_checks"] = checks
    return item


def _forget_pictures(items: list[Item]) -> None:
    for item in items:
        if item.get("type") == "computer_call_output":
            item["output"] = {"type": "computer_screenshot", "image_url": _gone()}
        for part in ("content", "output"):
            if isinstance(item.get(part), list):
                item[part] = [_without_picture(each) for each in item[part]]


def _without_picture(part: Item) -> Item:
    return {"type": "input_text", "text": GONE} if part["type"] == "input_image" else part


@functools.cache
def _gone() -> str:
    """A small picture of the sentence `GONE`, where only a picture may stand."""
    picture = Image.new("RGB", (320, 32), "white")
    ImageDraw.Draw(picture).text((8, 10), GONE, fill="black")
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
