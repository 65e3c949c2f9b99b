"""The one GUI function of OSWorld-MCP's prompt, `computer_use`, with its eleven actions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ambidex.host import Decision, Stop
from ambidex.host.dialects.reading import Given, Made, Pointer, named

__all__ = ["ACTIONS", "NAME", "actions_of", "computer_use", "made", "terminated"]

NAME = "computer_use"
TERMINATE = "terminate"

ACTIONS: Mapping[str, tuple[str, str]] = {
    "key": ("computer_key", "press `keys` together and release them"),
    "type": ("computer_type", "type `text` into what has the keyboard"),
    "mouse_move": ("computer_move", "move the pointer to `coordinate`"),
    "click": ("computer_click", "left button at `coordinate`"),
    "drag": ("computer_drag", "left button down at `coordinate`, up at `coordinate2`"),
    "right_click": ("computer_right_click", "right button at `coordinate`"),
    "middle_click": ("computer_middle_click", "middle button at `coordinate`"),
    "double_click": ("computer_double_click", "left button twice at `coordinate`"),
    "scroll": ("computer_scroll", "turn the wheel by `pixels`, where the pointer is"),
    "wait": ("computer_wait", "do nothing for `time` seconds, 30 at most"),
    TERMINATE: ("", "end the task, with `status`"),
}
"""The guest's tool behind each action, and what it does."""

POINT = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
ARGUMENTS: Mapping[str, tuple[tuple[str, ...], Mapping[str, Any]]] = {
    "keys": (("key",), {"type": "array", "items": {"type": "string"}}),
    "text": (("type",), {"type": "string"}),
    "clear": (("type",), {"type": "integer", "description": "1: replaces the text that is there"}),
    "enter": (("type",), {"type": "integer", "description": "1: presses enter at the end"}),
    "coordinate": (
        ("mouse_move", "click", "drag", "right_click", "middle_click", "double_click", "scroll"),
        {**POINT, "description": "[x, y] on the newest screenshot"},
    ),
    "coordinate2": (("drag",), {**POINT, "description": "[x, y] where the button goes up"}),
    "pixels": (
        ("scroll",),
        {"type": "integer", "minimum": -5, "maximum": 5, "description": "positive is up"},
    ),
    "time": (("wait",), {"type": "number", "description": "seconds"}),
    "status": ((TERMINATE,), {"type": "string", "enum": ["success", "failure"]}),
    "answer": (
        (TERMINATE,),
        {"type": "string", "description": "what the task asks for, if it asks for something"},
    ),
}
"""Which actions take an argument, and its schema."""

CLICKS = ("mouse_move", "click", "right_click", "middle_click", "double_click")


def actions_of(tools: Collection[str]) -> list[str]:
    """The actions that these GUI tools can carry out; the task can always be ended."""
    return [action for action, (tool, _) in ACTIONS.items() if not tool or tool in tools]


def computer_use(actions: Collection[str]) -> dict[str, Any]:
    """The function, with those actions."""
    said = "; ".join(f"{action}: {ACTIONS[action][1]}" for action in actions)
    properties: dict[str, Any] = {
        "action": {"type": "string", "enum": list(actions), "description": said}
    }
    for name, (takers, schema) in ARGUMENTS.items():
        if set(takers) & set(actions):
            properties[name] = schema
    return {
        "name": NAME,
        "description": "Mouse, keyboard and the end of the task.",
        "parameters": {"type": "object", "properties": properties, "required": ["action"]},
    }


def terminated(given: Given) -> Decision:
    """The end that the action `terminate` is."""
    status = given.one_of("status", ("success", "failure"))
    answer = given.take("answer", "a text", str, int, float)
    given.end()
    stop = Stop.DONE if status == "success" else Stop.INFEASIBLE
    return Decision(stop=stop, answer=None if answer is None else str(answer))


def made(action: str, given: Given, pointer: Pointer, extent: tuple[int, int]) -> list[Made]:
    """The calls that an action is, in their order."""
    tool = ACTIONS[action][0]
    match action:
        case "key":
            calls: list[Made] = [(tool, {"keys": named(given.texts("keys"))})]
        case "type":
            calls = _typed(tool, given)
        case "drag":
            start, end = given.point("coordinate"), given.point("coordinate2")
            pointer.put(end)
            calls = [(tool, {"x": start[0], "y": start[1], "to_x": end[0], "to_y": end[1]})]
        case "scroll":
            at = pointer.over(given.maybe_point("coordinate"), extent)
            calls = [(tool, {**at, "dy": -given.number("pixels")})]
        case "wait":
            calls = [(tool, {"seconds": given.number("time")})]
        case _:
            calls = [(tool, pointer.at(given.point("coordinate"), action))]
    given.end()
    return calls


def _typed(tool: str, given: Given) -> list[Made]:
    text = given.text("text")
    clear = given.take("clear", "0 or 1", int, float, bool)
    enter = given.take("enter", "0 or 1", int, float, bool)
    calls: list[Made] = []
    if clear:
        calls.append(("computer_key", {"keys": ["ctrl", "a"]}))
    if text:
        calls.append((tool, {"text": text}))
    elif clear:
        calls.append(("computer_key", {"keys": ["delete"]}))
    if enter:
        calls.append(("computer_key", {"keys": ["enter"]}))
    return calls
