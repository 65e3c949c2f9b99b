"""Tracking changes of the keyboard layout, and waiting until the desktop has handled them.

Programs with desktop-wide shortcuts (Ctrl+Alt+T) release and grab them again after every change.
To programs the layout also changes when the keys come from another device than before: a person's
keyboard, ours, or the first one of a session.
"""

from __future__ import annotations

import time

from Xlib import X
from Xlib.display import Display

__all__ = ["LayoutChanges"]

SETTLES = 1.0
"""Seconds that programs get to react to a change; none of them reports when it is done."""


class LayoutChanges:
    """Watches layout changes on a connection of its own: X does not report them to users of XKB."""

    def __init__(self, name: str) -> None:
        self._display = Display(name)
        self._last = -SETTLES

    def note(self) -> None:
        """Record a change now if one was reported since the last call."""
        self._display.sync()
        while self._display.pending_events():
            if self._display.next_event().type == X.MappingNotify:
                self._last = time.monotonic()

    def settle(self) -> None:
        """Wait until the desktop's shortcuts work again after the last change."""
        self.note()
        time.sleep(max(0.0, self._last + SETTLES - time.monotonic()))
