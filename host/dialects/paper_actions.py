"""`computer_use`, the one GUI function of OSWorld-MCP's prompt, with its eleven actions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ambidex.host import Decision, Stop
from ambidex.host.dialects.reading import Arguments, GuiCall, Pointer, guest_keys

__all__ = [
    "ACTIONS",
    "NAME",
    "available_actions",
    "computer_use",
    "read_termination",
    "to_calls",
]

NAME = "computer_use"
TERMINATE = "terminate"

ACTIONS: Mapping[str, tuple[str, str]] = {
    "key": ("computer_key", "press `keys` together and release them"),
    "type": ("computer_type", "type `text` into the focused element"),
    "mouse_move": ("computer_move", "move the pointer to `coordinate`"),
    "click": ("computer_click", "left button at `coordinate`"),
    "drag": ("computer_drag", "left button down at `coordinate`, up at `coordinate2`"),
    "right_click": ("computer_right_click", "right button at `coordinate`"),
    "middle_click": ("computer_middle_click", "middle button at `coordinate`"),
    "double_click": ("computer_double_click", "left button twice at `coordinate`"),
    "scroll": ("computer_scroll", "turn the wheel by `pixels` at the pointer"),
    "wait": ("computer_wait", "do nothing for `time` seconds, 30 at most"),
    TERMINATE: ("", "end the task, with `status`"),
}
"""The guest's tool behind each action, and the action's description."""

POINT = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
ARGUMENTS: Mapping[str, tuple[tuple[str, ...], Mapping[str, Any]]] = {
    "keys": (("key",), {"type": "array", "items": {"type": "string"}}),
    "text": (("type",), {"type": "string"}),
    "clear": (("type",), {"type": "integer", "description": "1: replace the existing text"}),
    "enter": (("type",), {"type": "integer", "description": "1: press enter at the end"}),
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
        {"type": "string", "description": "the answer, if the task asks for one"},
    ),
}
"""For each argument, the actions that take it, and its schema."""

CLICKS = ("mouse_move", "click", "right_click", "middle_click", "double_click")


def available_actions(tools: Collection[str]) -> list[str]:
    """The actions that these GUI tools can carry out. `terminate` is always available."""
    return [action for action, (tool, _) in ACTIONS.items() if not tool or tool in tools]


def computer_use(actions: Collection[str]) -> dict[str, Any]:
    """The definition of the function with these actions."""
    description = "; ".join(f"{action}: {ACTIONS[action][1]}" for action in actions)
    properties: dict[str, Any] = {
        "action": {"type": "string", "enum": list(actions), "description": description}
    }
    for name, (users, schema) in ARGUMENTS.items():
        if set(users) & set(actions):
            properties[name] = schema
    return {
        "name": NAME,
        "description": "Mouse, keyboard and the end of the task."
        if len(actions) > 1
        else "The end of the task.",
        "parameters": {"type": "object", "properties": properties, "required": ["action"]},
    }


def read_termination(arguments: Arguments) -> Decision:
    """Read the action `terminate` as the end of the episode."""
    status = arguments.one_of("status", ("success", "failure"))
    answer = arguments.take("answer", "a text", str, int, float)
    arguments.end()
    stop = Stop.DONE if status == "success" else Stop.INFEASIBLE
    return Decision(stop=stop, answer=None if answer is None else str(answer))


def to_calls(
    action: str, arguments: Arguments, pointer: Pointer, extent: tuple[int, int]
) -> list[GuiCall]:
    """Convert an action to calls, in order."""
    tool = ACTIONS[action][0]
    match action:
        case "key":
            calls: list[GuiCall] = [(tool, {"keys": guest_keys(arguments.texts("keys"))})]
        case "type":
            calls = _type(tool, arguments)
        case "drag":
            start, end = arguments.point("coordinate"), arguments.point("coordinate2")
            pointer.put(end)
            calls = [(tool, {"x": start[0], "y": start[1], "to_x": end[0], "to_y": end[1]})]
        case "scroll":
            at = pointer.over(arguments.maybe_point("coordinate"), extent)
            calls = [(tool, {**at, "dy": -arguments.number("pixels")})]
        case "wait":
            calls = [(tool, {"seconds": arguments.number("time")})]
        case _:
            calls = [(tool, pointer.at(arguments.point("coordinate"), action))]
    arguments.end()
    return calls


def _type(tool: str, arguments: Arguments) -> list[GuiCall]:
    text = arguments.text("text")
    clear = arguments.take("clear", "0 or 1", int, float, bool)
    enter = arguments.take("enter", "0 or 1", int, float, bool)
    calls: list[GuiCall] = []
    if clear:
        calls.append(("computer_key", {"keys": ["ctrl", "a"]}))
    if text:
        calls.append((tool, {"text": text}))
    elif clear:
        calls.append(("computer_key", {"keys": ["delete"]}))
    if enter:
        calls.append(("computer_key", {"keys": ["enter"]}))
    return calls
