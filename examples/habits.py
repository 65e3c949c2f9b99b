"""An agent with a habit, for docs/time-travel.md: it plays one task of the demo suite, partly by
hand, and slips.

    ambidex run tasks/demo --tasks gnome-evening --agent examples.habits:Habits --checkpoint every

It changes three settings, the second one by hand where it may choose: it asks for a command to run,
waits, and types the command, with a slip. Told to use tools, it uses tools. It needs no model and
no key, and what it scores says nothing about any.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ambidex.host import Briefing, Decision, Observation, Stop, ToolCall

__all__ = ["Habits"]

INTERFACE, NOTIFICATIONS = "org.gnome.desktop.interface", "org.gnome.desktop.notifications"


@dataclass(frozen=True)
class Wish:
    """One setting that is to be changed."""

    tool: str
    given: Mapping[str, Any]
    typed: str
    """The same by hand, as a command."""
    by_hand: bool = False
    """Its habit, where it may choose."""


WISHES = (
    Wish("gnome_set_dark_style", {"enable": True}, f"{INTERFACE} color-scheme prefer-dark"),
    # The slip: it is asked for 1.25.
    Wish(
        "os_change_text_scale", {"new_scale": 1.25}, f"{INTERFACE} text-scaling-factor 1.52", True
    ),
    Wish("os_set_do_not_disturb", {"enable": True}, f"{NOTIFICATIONS} show-banners false"),
)


class Habits:
    """See above. What it decides follows from what it has seen, so one can go on from its steps."""

    def __init__(self, briefing: Briefing) -> None:
        self._left = list(WISHES)
        self._by_hand: list[tuple[str, dict[str, Any]]] = []
        """What is left to do by hand for the first wish that is left."""
        self._told = False

    def step(self, observation: Observation) -> Decision:
        """The next thing for the next wish."""
        self._told |= any("tool" in note for note in observation.notes)
        if not self._left:
            return Decision("That is all.", stop=Stop.DONE)
        wish, offered = self._left[0], {tool.name for tool in observation.tools}
        if wish.tool in offered and ("computer_type" not in offered or self._prefers_tool(wish)):
            self._left.pop(0)
            self._by_hand = []
            return _call("There is a tool for this.", wish.tool, wish.given)
        self._by_hand = self._by_hand or [
            ("computer_key", {"keys": ["alt", "f2"]}),
            ("computer_wait", {"seconds": 30, "window": "Run Application"}),
            ("computer_type", {"text": f"gsettings set {wish.typed}\n"}),
        ]
        call = self._by_hand.pop(0)
        if not self._by_hand:
            self._left.pop(0)
        return _call("I do this by hand.", *call)

    def _prefers_tool(self, wish: Wish) -> bool:
        return self._told or not wish.by_hand


def _call(thought: str, name: str, given: Mapping[str, Any]) -> Decision:
    return Decision(thought, (ToolCall(uuid.uuid4().hex, name, given),))
