"""Tracking changes of the keyboard layout, and waiting until the desktop has handled them.

Programs with desktop-wide shortcuts (Ctrl+Alt+T) release and grab them again after every change.
To programs the layout also changes when the keys come from another device than before: a person's
keyboard, ours, or the first one of a session.
"""

from __future__ import annotations

import os

from Xlib import X

from ambidex.mcp_tools.display import x11
from ambidex.mcp_tools.display.idle import wait_until_idle

__all__ = ["LayoutChanges"]

HANDLED_WITHIN = 3.0
"""Seconds that the desktop's programs get to react to a change."""


class LayoutChanges:
    """Watches layout changes on a connection of its own: X does not report them to users of XKB."""

    def __init__(self, name: str) -> None:
        self._display = x11.open_display(name)
        self._pending = False

    def note(self) -> None:
        """Record whether a change was reported since the last call."""
        self._display.sync()
        while self._display.pending_events():
            if self._display.next_event().type == X.MappingNotify:
                self._pending = True

    def settle(self) -> None:
        """Wait until the desktop's programs have handled the changes so far: their shortcuts work
        again."""
        self.note()
        if not self._pending:
            return
        programs = {x11.owner(window) for window in x11.program_windows(self._display)}
        desktop = x11.clients(self._display) - programs - {os.getpid()}
        wait_until_idle(self._display, desktop, HANDLED_WITHIN)
        self._pending = False
