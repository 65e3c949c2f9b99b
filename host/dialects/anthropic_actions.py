"""The three versions of Anthropic's computer tool: which model takes which, and their actions.

The actions are the same in all versions. In the toolset each action is a tool of its own; in the
two earlier versions it is a value of `action`. Sources: Anthropic's page "Computer use tool" and
the types of its SDK (`BetaComputerMemberName`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from ambidex.host.dialects.reading import Arguments, GuiCall, Pointer, held_keys, parse_chord

__all__ = [
    "ACTIONS",
    "TOOLSET",
    "TOOL_NAME",
    "VIEW_ACTIONS",
    "computer_tool",
    "to_call",
    "version_of",
]

TOOL_NAME = "computer"
"""Name of the earlier versions' tool, and of the toolset in its calls."""
TOOLSET = "computer_toolset_20260801"

VERSIONS = (
    (r"3-7|(opus|sonnet)-4(-0|-1|-2025|@|$)|(sonnet|haiku)-4-5", "computer_20250124"),
    (r"opus-4-[567]|sonnet-4-6|mythos-preview", "computer_20251124"),
)
"""Pattern in a model's name, and the newest version that it takes. All other models take the
toolset; models since 5.5 take nothing else."""

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
"""The guest's tool behind each action; empty for those that only view the screen."""

VIEW_ACTIONS = ("screenshot", "zoom")

WHEEL = {"up": ("dy", -1), "down": ("dy", 1), "left": ("dx", -1), "right": ("dx", 1)}


def version_of(model: str) -> str:
    """The type of the computer tool to offer to a model."""
    for pattern, version in VERSIONS:
        if re.search(pattern, model):
            return version
    return TOOLSET


def computer_tool(version: str, size: tuple[int, int], tools: Collection[str]) -> dict[str, Any]:
    """The definition of the computer tool for a guest with these GUI tools. Only the toolset can
    disable single actions."""
    if version != TOOLSET:
        tool = {
            "type": version,
            "name": TOOL_NAME,
            "display_width_px": size[0],
            "display_height_px": size[1],
        }
        return tool | ({"enable_zoom": True} if version == "computer_20251124" else {})
    without = [action for action, tool in ACTIONS.items() if tool and tool not in tools]
    configs = {action: {"enabled": False} for action in without}
    return {"type": version} | ({"configs": configs} if configs else {})


def to_call(arguments: Arguments, pointer: Pointer, extent: tuple[int, int]) -> GuiCall:
    """Convert an action to a call; not for `VIEW_ACTIONS`."""
    action = arguments.action
    tool = ACTIONS[action]
    match action:
        case "key":
            values: dict[str, Any] = {"keys": parse_chord(arguments.text("text"))}
            if (times := arguments.maybe_number("repeat")) is not None:
                values["times"] = times
        case "hold_key":
            values = {
                "keys": parse_chord(arguments.text("text")),
                "seconds": arguments.number("duration"),
            }
        case "type":
            values = {"text": arguments.text("text")}
        case "wait":
            values = {"seconds": arguments.number("duration")}
        case "cursor_position":
            values = {}
        case "mouse_move":
            values = pointer.at(arguments.point("coordinate"), action)
        case "left_mouse_down" | "left_mouse_up":
            values = pointer.at(arguments.maybe_point("coordinate"), action)
        case "left_click_drag":
            start, end = arguments.point("start_coordinate"), arguments.point("coordinate")
            pointer.put(end)
            values = {"x": start[0], "y": start[1], "to_x": end[0], "to_y": end[1]}
            values |= _modifiers(arguments)
        case "scroll":
            direction = arguments.one_of("scroll_direction", tuple(WHEEL))
            axis, sign = WHEEL[direction]
            at = pointer.over(arguments.maybe_point("coordinate"), extent)
            values = {**at, axis: sign * arguments.number("scroll_amount"), **_modifiers(arguments)}
        case _:
            at = pointer.at(arguments.maybe_point("coordinate"), action)
            values = {**at, **_modifiers(arguments)}
    arguments.end()
    return tool, values


def _modifiers(arguments: Arguments) -> dict[str, list[str]]:
    text = arguments.take("text", "keys such as ctrl+shift", str)
    return held_keys(parse_chord(text)) if text else {}
