"""The two versions of OpenAI's computer tool, and its actions. Sources: the types of OpenAI's SDK
(`ComputerAction`) and its guide "Computer use"."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.reading import Arguments, GuiCall, guest_keys, held_keys

__all__ = ["ACTIONS", "BUTTONS", "computer_tool", "is_preview", "to_calls"]

ACTIONS: Mapping[str, str] = {
    "click": "computer_click",
    "double_click": "computer_double_click",
    "drag": "computer_drag",
    "keypress": "computer_key",
    "move": "computer_move",
    "screenshot": "",
    "scroll": "computer_scroll",
    "type": "computer_type",
    "wait": "computer_wait",
}
"""The guest's tool behind each action; empty for the one that only views the screen."""

BUTTONS: Mapping[str, str] = {
    "left": "computer_click",
    "right": "computer_right_click",
    "wheel": "computer_middle_click",
    "back": "",
    "forward": "",
}
"""The guest's tool behind each mouse button; empty for the two that it does not have."""

PIXELS_PER_CLICK = 100
"""What a browser scrolls per click of the wheel."""
PAUSE = 2
"""Seconds of a wait, which has no duration of its own."""


def is_preview(model: str) -> bool:
    """Whether the model takes the first version of the tool."""
    return model.rpartition("/")[2].startswith("computer-use-preview")


def computer_tool(preview: bool, size: tuple[int, int]) -> dict[str, Any]:
    """The definition of the tool. Its actions cannot be restricted."""
    if not preview:
        return {"type": "computer"}
    return {
        "type": "computer_use_preview",
        "display_width": size[0],
        "display_height": size[1],
        "environment": "linux",
    }


def to_calls(arguments: Arguments) -> list[GuiCall]:
    """Convert an action to calls, in order; none for a screenshot."""
    action = arguments.action
    if action not in ACTIONS:
        raise MalformedReplyError(f"the computer tool has no action {action!r}.")
    tool = ACTIONS[action]
    match action:
        case "screenshot":
            calls: list[GuiCall] = []
        case "click":
            button = arguments.one_of("button", tuple(BUTTONS))
            if not BUTTONS[button]:
                raise MalformedReplyError(
                    f"the mouse here has no {button} button; use the keyboard."
                )
            calls = [(BUTTONS[button], {**_point(arguments), **_held_keys(arguments)})]
        case "double_click":
            calls = [(tool, {**_point(arguments), **_held_keys(arguments)})]
        case "move":
            calls = [(tool, _point(arguments))]
        case "drag":
            calls = _drag(tool, arguments)
        case "scroll":
            across, down = arguments.number("scroll_x"), arguments.number("scroll_y")
            clicks = {"dx": _clicks(across), "dy": _clicks(down)}
            calls = [(tool, {**_point(arguments), **clicks, **_held_keys(arguments)})]
        case "keypress":
            calls = [(tool, {"keys": guest_keys(arguments.texts("keys"))})]
        case "type":
            calls = [(tool, {"text": arguments.text("text")})]
        case _:
            calls = [(tool, {"seconds": PAUSE})]
    arguments.end()
    return calls


def _drag(tool: str, arguments: Arguments) -> list[GuiCall]:
    path = arguments.need("path", "a list of points", list)
    points = []
    for item in path:
        if not isinstance(item, dict):
            raise MalformedReplyError("`path` of drag must be a list of points {x, y}.")
        point = Arguments("a point of `path`", item)
        points.append(_point(point))
        point.end()
    if len(points) < 2:
        raise MalformedReplyError("`path` of drag needs at least two points.")
    keys = _held_keys(arguments)
    first, *between, last = points
    if not between:
        ends = {**first, "to_x": last["x"], "to_y": last["y"]}
        return [(tool, {**ends, **keys})]
    if keys:
        raise MalformedReplyError("drag can hold keys only on a path of two points.")
    moves: list[GuiCall] = [("computer_move", point) for point in between]
    return [("computer_mouse_down", first), *moves, ("computer_mouse_up", last)]


def _point(arguments: Arguments) -> dict[str, Any]:
    return {"x": arguments.number("x"), "y": arguments.number("y")}


def _held_keys(arguments: Arguments) -> dict[str, list[str]]:
    return held_keys(arguments.maybe_texts("keys"))


def _clicks(pixels: float) -> int:
    # At least one click, however small the distance.
    clicks = max(1, round(abs(pixels) / PIXELS_PER_CLICK)) if pixels else 0
    return int(math.copysign(clicks, pixels))
