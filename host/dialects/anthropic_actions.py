"""Anthropic's computer tool, in three versions: which model has which, and what its actions are.

The actions are the same in all of them. In the toolset each is a tool of its own; in the earlier
two they are values of `action`. Facts: Anthropic's page "Computer use tool" and the types of its
SDK (`BetaComputerMemberName`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from ambidex.host.dialects.reading import Given, Made, Pointer, chord, held

__all__ = ["ACTIONS", "FAMILY", "LOOKS", "TOOLSET", "computer_tool", "made", "version_of"]

FAMILY = "computer"
"""The earlier tool's name, and the toolset's in its calls."""
TOOLSET = "computer_toolset_20260801"

VERSIONS = (
    (r"3-7|(opus|sonnet)-4(-0|-1|-2025|@|$)|(sonnet|haiku)-4-5", "computer_20250124"),
    (r"opus-4-[567]|sonnet-4-6|mythos-preview", "computer_20251124"),
)
"""Models by a part of their name, and the newest version that they take; any other model takes the
toolset, and models since 5.5 nothing else."""

ACTIONS: Mapping[str, str] = {
    "key": "computer_key",
    "hold_key": "computer_hold_key",
    "type": "computer_type",
    "cursor_position": "computer_cursor_position",
    "mouse_move": "computer_move",
    "left_mouse_down": "computer_mouse_down",
    "left_mouse_up": "computer_mouse_up",
    "left_click": "computer_click",
    "left_click_drag": "computer_drag",
    "right_click": "computer_right_click",
    "middle_click": "computer_middle_click",
    "double_click": "computer_double_click",
    "triple_click": "computer_triple_click",
    "scroll": "computer_scroll",
    "wait": "computer_wait",
    "screenshot": "",
    "zoom": "",
}
"""The guest's tool behind each action; none for those that only look."""

LOOKS = ("screenshot", "zoom")

WHEEL = {"up": ("dy", -1), "down": ("dy", 1), "left": ("dx", -1), "right": ("dx", 1)}


def version_of(model: str) -> str:
    """The type of the computer tool for a model."""
    for pattern, version in VERSIONS:
        if re.search(pattern, model):
            return version
    return TOOLSET


def computer_tool(version: str, size: tuple[int, int], tools: Collection[str]) -> dict[str, Any]:
    """The tool as it is offered where the guest has these GUI tools. Only the toolset can leave
    actions out."""
    if version != TOOLSET:
        tool = {
            "type": version,
            "name": FAMILY,
            "display_width_px": size[0],
            "display_height_px": size[1],
        }
        return tool | ({"enable_zoom": True} if version == "computer_20251124" else {})
    without = [action for action, tool in ACTIONS.items() if tool and tool not in tools]
    configs = {action: {"enabled": False} for action in without}
    return {"type": version} | ({"configs": configs} if configs else {})


def made(given: Given, pointer: Pointer, extent: tuple[int, int]) -> Made:
    """The call that an action is; not for those that only look."""
    action = given.action
    tool = ACTIONS[action]
    match action:
        case "key":
            arguments: dict[str, Any] = {"keys": chord(given.text("text"))}
            if (times := given.maybe_number("repeat")) is not None:
                arguments["times"] = times
        case "hold_key":
            arguments = {"keys": chord(given.text("text")), "seconds": given.number("duration")}
        case "type":
            arguments = {"text": given.text("text")}
        case "wait":
            arguments = {"seconds": given.number("duration")}
        case "cursor_position":
            arguments = {}
        case "mouse_move":
            arguments = pointer.at(given.point("coordinate"), action)
        case "left_mouse_down" | "left_mouse_up":
            arguments = pointer.at(given.maybe_point("coordinate"), action)
        case "left_click_drag":
            start, end = given.point("start_coordinate"), given.point("coordinate")
            pointer.put(end)
            arguments = {"x": start[0], "y": start[1], "to_x": end[0], "to_y": end[1]}
            arguments |= _modifiers(given)
        case "scroll":
            direction = given.one_of("scroll_direction", tuple(WHEEL))
            axis, sign = WHEEL[direction]
            at = pointer.over(given.maybe_point("coordinate"), extent)
            arguments = {**at, axis: sign * given.number("scroll_amount"), **_modifiers(given)}
        case _:
            at = pointer.at(given.maybe_point("coordinate"), action)
            arguments = {**at, **_modifiers(given)}
    given.end()
    return tool, arguments


def _modifiers(given: Given) -> dict[str, list[str]]:
    text = given.take("text", "keys such as ctrl+shift", str)
    return held(chord(text)) if text else {}
