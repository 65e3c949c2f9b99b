"""When the keyboard's layout changed last, and a wait until the desktop has got over it.

Whoever has shortcuts for the whole desktop (Ctrl+Alt+T) lets go of them and takes them again after
every change. The layout changes too, as programs see it, when another device has the keys than
before: a person's, ours, or the first of a session.
"""

from __future__ import annotations

import time

from Xlib import X
from Xlib.display import Display

__all__ = ["LayoutChanges"]

SETTLES = 1.0
"""Seconds within which programs have answered a change, of which none says when."""


class LayoutChanges:
    """Hears of the changes on a connection of its own: one that speaks XKB is not told by X."""

    def __init__(self, name: str) -> None:
        self._display = Display(name)
        self._last = -SETTLES

    def note(self) -> None:
        """What has come in since is a change of now."""
        self._display.sync()
        while self._display.pending_events():
            if self._display.next_event().type == X.MappingNotify:
                self._last = time.monotonic()

    def settle(self) -> None:
        """Return when the desktop's own shortcuts are heard."""
        self.note()
        time.sleep(max(0.0, self._last + SETTLES - time.monotonic()))
