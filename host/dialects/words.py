"""Shared by the dialects: functions that end an episode, calls with ids, results as text."""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Mapping
from typing import Any

from ambidex.host import GUI, Decision, Observation, Stop, ToolCall, ToolResult
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.models.prompts import prompt
from ambidex.host.models.viewport import View

__all__ = [
    "ENDINGS",
    "REMOVED_SCREENSHOT",
    "TRUNCATED",
    "caption",
    "new_call",
    "parse_arguments",
    "parse_object",
    "read_ending",
    "refuse_deep",
    "result_text",
    "system_prompt",
]

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
"""The functions that end an episode; they are offered along with the tools."""

DEEPEST = 64
"""Maximum nesting of a model's arguments. No tool takes as many levels, and serialising each takes
several levels of Python's stack."""

REMOVED_SCREENSHOT = "[an earlier screenshot, no longer shown]"
TRUNCATED = "it was cut off at the length limit."


def read_ending(name: str, arguments: Mapping[str, Any]) -> Decision | None:
    """The decision if this is a call of one of `ENDINGS`; None for any other call."""
    if name == FINISH:
        answer = arguments.get("answer")
        return Decision(stop=Stop.DONE, answer=None if answer is None else str(answer))
    if name == GIVE_UP:
        return Decision(stop=Stop.INFEASIBLE, answer=str(arguments.get("reason", "")))
    return None


def new_call(name: str, arguments: Mapping[str, Any]) -> ToolCall:
    """A call with a new id: models reuse theirs, and a repeated id is not carried out.
    `MalformedReplyError` if the arguments are nested too deep."""
    refuse_deep(f"the arguments of {name} are", arguments)
    return ToolCall(uuid.uuid4().hex, name, dict(arguments))


def parse_arguments(name: str, text: str) -> dict[str, Any]:
    """Parse the arguments that a model wrote as JSON; `MalformedReplyError` if they are not an
    object."""
    return parse_object(f"the arguments of {name} are", text or "{}")


def parse_object(what: str, text: str) -> dict[str, Any]:
    """Parse a JSON object. `what` is subject and verb of the error ("the arguments of f are"),
    which is raised as `MalformedReplyError`."""
    try:
        # By default Python also accepts NaN and numbers beyond the range of a float.
        value = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise MalformedReplyError(f"{what} not JSON ({error}).") from None
    refuse_deep(what, value)
    if not isinstance(value, dict):
        raise MalformedReplyError(f"{what} not an object.")
    return value


def refuse_deep(what: str, value: object) -> None:
    """`MalformedReplyError` if the value is nested too deep. `what` is subject and verb of the
    error ("the arguments of f are")."""
    level = [value]
    for _ in range(DEEPEST + 1):
        inner: list[object] = []
        for item in level:
            if isinstance(item, Mapping):
                inner += item.values()
            elif isinstance(item, list | tuple):
                inner += item
        if not inner:
            return
        level = inner
    raise MalformedReplyError(f"{what} nested more than {DEEPEST} levels deep.")


def result_text(result: ToolResult, budget: int) -> str:
    """A result as a model reads it, cut with a note if longer than `budget` characters."""
    text = f"ERROR {result.error}: {result.text}" if result.error else result.text or "done"
    if len(text) <= budget:
        return text
    return f"{text[:budget]}\n[cut: {len(text) - budget} of {len(text)} characters are not shown]"


def caption(observation: Observation) -> list[str]:
    """The text before the screenshot, with the observation's notes; empty if there is neither."""
    lines = [*observation.notes, *(["The screen now:"] if observation.screenshot else [])]
    return ["\n".join(lines)] if lines else []


def system_prompt(observation: Observation, view: View, steps: int, *, native: bool) -> str:
    """The system prompt of dialects with function calls. `native`: the vendor has a computer tool
    of its own."""
    width, height = view.extent(observation.screen)
    apps = {tool.app for tool in observation.tools}
    return prompt(
        "system",
        screen=observation.screenshot is not None,
        width=width,
        height=height,
        gui=GUI in apps,
        native=native,
        tools=bool(apps - {GUI}),
        steps=steps,
    )


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number
