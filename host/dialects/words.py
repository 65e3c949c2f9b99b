"""What the dialects have in common: the two endings, results as text, ids."""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Mapping
from typing import Any

from ambidex.host import Decision, Observation, Stop, ToolCall, ToolResult
from ambidex.host.dialects import MalformedReplyError

__all__ = [
    "CUT",
    "ENDINGS",
    "GONE",
    "ending",
    "new_call",
    "parsed",
    "parsed_object",
    "refuse_deep",
    "result_text",
    "screen_now",
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
"""The functions that end an episode, beside the tools."""

DEEPEST = 64
"""Levels that a model's arguments may have one in another: no tool takes as many, and what writes
them down needs several levels of Python's stack for each."""

GONE = "[an earlier screenshot, no longer shown]"
CUT = "it was cut off at the limit of its length."


def ending(name: str, arguments: Mapping[str, Any]) -> Decision | None:
    """The decision that a call of one of `ENDINGS` is; None for every other call."""
    if name == FINISH:
        said = arguments.get("answer")
        return Decision(stop=Stop.DONE, answer=None if said is None else str(said))
    if name == GIVE_UP:
        return Decision(stop=Stop.INFEASIBLE, answer=str(arguments.get("reason", "")))
    return None


def new_call(name: str, arguments: Mapping[str, Any]) -> ToolCall:
    """A call with an id of our own: models repeat theirs, and a repeated id is not carried out.
    `MalformedReplyError` where the arguments nest too deep."""
    refuse_deep(f"the arguments of {name} are", arguments)
    return ToolCall(uuid.uuid4().hex, name, dict(arguments))


def parsed(name: str, text: str) -> dict[str, Any]:
    """The arguments that a model wrote as JSON text; `MalformedReplyError` where they are no
    object."""
    return parsed_object(f"the arguments of {name} are", text or "{}")


def parsed_object(what: str, text: str) -> dict[str, Any]:
    """The JSON object in a text; `MalformedReplyError` says that `what` ("the arguments of f are")
    not one where there is none."""
    try:
        # Python would also take NaN and numbers that no float holds.
        found = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise MalformedReplyError(f"{what} not JSON ({error}).") from None
    refuse_deep(what, found)
    if not isinstance(found, dict):
        raise MalformedReplyError(f"{what} not an object.")
    return found


def refuse_deep(what: str, value: object) -> None:
    """`MalformedReplyError` says that `what` ("the arguments of f are") nested too deep."""
    level = [value]
    for _ in range(DEEPEST + 1):
        inner: list[object] = []
        for each in level:
            if isinstance(each, Mapping):
                inner += each.values()
            elif isinstance(each, list | tuple):
                inner += each
        if not inner:
            return
        level = inner
    raise MalformedReplyError(f"{what} nested more than {DEEPEST} levels deep.")


def result_text(result: ToolResult, budget: int) -> str:
    """What a model reads of a result; beyond `budget` characters it is cut, and says so."""
    text = f"ERROR {result.error}: {result.text}" if result.error else result.text or "done"
    if len(text) <= budget:
        return text
    return f"{text[:budget]}\n[cut: {len(text) - budget} of {len(text)} characters are not shown]"


def screen_now(observation: Observation) -> str:
    """What stands before the picture of the screen."""
    return "\n".join([*observation.notes, "The screen now:"])


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no number")
    return number
