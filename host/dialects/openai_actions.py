"""OpenAI's computer tool, in two versions, and its actions. Facts: the types of OpenAI's SDK
(`ComputerAction`) and its guide "Computer use"."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.reading import Given, Made, held, named

__all__ = ["ACTIONS", "BUTTONS", "computer_tool", "is_preview", "made"]

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
"""The guest's tool behind each action; none for the one that only looks."""

BUTTONS: Mapping[str, str] = {
    "left": "computer_click",
    "right": "computer_right_click",
    "wheel": "computer_middle_click",
    "back": "",
    "forward": "",
}
"""The guest's tool behind each button of a click; it has none for the last two."""

PIXELS_A_CLICK = 100
"""Of the wheel: what a browser scrolls by one click of it."""
PAUSE = 2
"""Seconds of a wait, which has no length of its own."""


def is_preview(model: str) -> bool:
    """Whether a model has the first version of the tool."""
    return model.rpartition("/")[2].startswith("computer-use-preview")


def computer_tool(preview: bool, size: tuple[int, int]) -> dict[str, Any]:
    """The tool as it is offered; it cannot be narrowed."""
    if not preview:
        return {"type": "computer"}
    return {
        "type": "computer_use_preview",
        "display_width": size[0],
        "display_height": size[1],
        "environment": "linux",
    }


def made(given: Given) -> list[Made]:
    """The calls that an action is, in their order; none for a screenshot."""
    action = given.action
    if action not in ACTIONS:
        raise MalformedReplyError(f"the computer tool has no action {action!r}.")
    tool = ACTIONS[action]
    match action:
        case "screenshot":
            calls: list[Made] = []
        case "click":
            button = given.one_of("button", tuple(BUTTONS))
            if not BUTTONS[button]:
                raise MalformedReplyError(
                    f"the mouse here has no {button} button; use the keyboard."
                )
            calls = [(BUTTONS[button], {**_point(given), **_held(given)})]
        case "double_click":
            calls = [(tool, {**_point(given), **_held(given)})]
        case "move":
            calls = [(tool, _point(given))]
        case "drag":
            calls = _dragged(tool, given)
        case "scroll":
            across, down = given.number("scroll_x"), given.number("scroll_y")
            turned = {"dx": _clicks(across), "dy": _clicks(down)}
            calls = [(tool, {**_point(given), **turned, **_held(given)})]
        case "keypress":
            calls = [(tool, {"keys": named(given.texts("keys"))})]
        case "type":
            calls = [(tool, {"text": given.text("text")})]
        case _:
            calls = [(tool, {"seconds": PAUSE})]
    given.end()
    return calls


def _dragged(tool: str, given: Given) -> list[Made]:
    path = given.need("path", "a list of points", list)
    points = []
    for each in path:
        if not isinstance(each, dict):
            raise MalformedReplyError("`path` of drag has to be a list of points {x, y}.")
        point = Given("a point of `path`", each)
        points.append(_point(point))
        point.end()
    if len(points) < 2:
        raise MalformedReplyError("`path` of drag needs at least two points.")
    keys = _held(given)
    first, *between, last = points
    if not between:
        ends = {**first, "to_x": last["x"], "to_y": last["y"]}
        return [(tool, {**ends, **keys})]
    if keys:
        raise MalformedReplyError("drag can hold keys only along a path of two points.")
    moves: list[Made] = [("computer_move", point) for point in between]
    return [("computer_mouse_down", first), *moves, ("computer_mouse_up", last)]


def _point(given: Given) -> dict[str, Any]:
    return {"x": given.number("x"), "y": given.number("y")}


def _held(given: Given) -> dict[str, list[str]]:
    return held(given.maybe_texts("keys"))


def _clicks(pixels: float) -> int:
    # However little was wanted, something has to move.
    clicks = max(1, round(abs(pixels) / PIXELS_A_CLICK)) if pixels else 0
    return int(math.copysign(clicks, pixels))
