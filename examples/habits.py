"""An agent with a habit, for docs/time-travel.md: it does one task of the demo suite, partly by
hand, and makes a typing error.

    ambidex run tasks/demo --tasks gnome-evening --agent examples.habits:Habits --checkpoint every

It changes three settings, the second one by hand if it can choose: it opens the dialog to run a
command, waits, and types the command, with an error. Given a hint to use tools, it uses tools. It
needs no model and no key, and its scores say nothing about any model.
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
class SettingChange:
    """One setting to change."""

    tool: str
    arguments: Mapping[str, Any]
    typed: str
    """The same by hand: the arguments of `gsettings set`."""
    by_hand: bool = False
    """Whether the agent's habit is to do it by hand."""


CHANGES = (
    SettingChange(
        "gnome_set_dark_style", {"enable": True}, f"{INTERFACE} color-scheme prefer-dark"
    ),
    # The typing error: the task asks for 1.25.
    SettingChange(
        "os_change_text_scale", {"new_scale": 1.25}, f"{INTERFACE} text-scaling-factor 1.52", True
    ),
    SettingChange("os_set_do_not_disturb", {"enable": True}, f"{NOTIFICATIONS} show-banners false"),
)


class Habits:
    """The agent. Its decisions depend only on its observations, so its steps can be forked."""

    def __init__(self, briefing: Briefing) -> None:
        self._left = list(CHANGES)
        self._by_hand: list[tuple[str, dict[str, Any]]] = []
        """The remaining calls by hand for the current setting."""
        self._hinted = False

    def step(self, observation: Observation) -> Decision:
        """The next call for the current setting."""
        self._hinted |= any("tool" in note for note in observation.notes)
        if not self._left:
            return Decision("That is all.", stop=Stop.DONE)
        change, offered = self._left[0], {tool.name for tool in observation.tools}
        if change.tool in offered and (
            "computer_type" not in offered or self._prefers_tool(change)
        ):
            self._left.pop(0)
            self._by_hand = []
            return _call("There is a tool for this.", change.tool, change.arguments)
        self._by_hand = self._by_hand or [
            ("computer_key", {"keys": ["alt", "f2"]}),
            ("computer_wait", {"seconds": 30, "window": "Run Application"}),
            ("computer_type", {"text": f"gsettings set {change.typed}\n"}),
        ]
        call = self._by_hand.pop(0)
        if not self._by_hand:
            self._left.pop(0)
        return _call("I do this by hand.", *call)

    def _prefers_tool(self, change: SettingChange) -> bool:
        return self._hinted or not change.by_hand


def _call(thought: str, name: str, arguments: Mapping[str, Any]) -> Decision:
    return Decision(thought, (ToolCall(uuid.uuid4().hex, name, arguments),))
