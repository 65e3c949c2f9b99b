"""Waiting for conditions in place of a task's pauses: windows to open, programs to exit,
files to be written, a screen to settle. A pause in a task is only a bound, raised to
the time that the condition itself may take."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ambidex.host.client.guest import Guest
from ambidex.host.osworld.questions import QuestionRefusedError, ask

__all__ = ["Waiting"]

STILL = 5.0
"""Seconds within which a changing screen settles, if it settles at all; busy programs get more."""
MAPPED = 60.0
"""Seconds for a program to show its window."""
GONE = 20.0
"""Seconds for a program to exit after it was told to."""
WRITTEN = 20.0
"""Seconds for a file to be written."""
WINDOWED = {
    "code": ("code", "chromium", "google-chrome", "chrome"),
    "gedit": ("gedit",),
    "gimp": ("gimp",),
    "gnome-terminal": ("gnome-terminal",),
    "google-chrome": ("google-chrome", "chrome", "chromium"),
    "chromium": ("chromium", "chrome"),
    "libreoffice": ("libreoffice", "soffice"),
    "soffice": ("libreoffice", "soffice"),
    "nautilus": ("nautilus",),
    "thunderbird": ("thunderbird", "mail"),
    "vlc": ("vlc",),
}
"""Programs that open a window, and substrings of the window's class."""


class Waiting:
    """Waits for pending conditions. With `literal`, a task's pauses are plain sleeps instead."""

    def __init__(self, guest: Guest, *, literal: bool, written: Sequence[str] = ()) -> None:
        self._guest = guest
        self.literal = literal
        self._written = list(written)
        self.expected: list[str] = []
        """Programs that were started and whose window is still expected."""

    def started(self, program: str) -> None:
        """Note that a program was started, which may open a window."""
        if program in WINDOWED:
            self.expected.append(program)

    def wait_for_exit(self, program: str) -> str:
        """Wait until a program that was told to end has exited, so that a later instance is not
        mistaken for it; returns the outcome."""
        if self.literal or self._holds("wait_until_gone", GONE, name=program):
            return f"{program} was told to end"
        return f"{program} did not end within {GONE:g} s"

    def pause(self, seconds: float) -> str:
        """Run a task's pause; returns what was waited for."""
        if self.literal:
            time.sleep(seconds)
            return f"slept {seconds:g} s"
        return self.settled(seconds)

    def saved(self) -> str:
        """Wait until LibreOffice has written the judged files that it was told to save; returns an
        error message, or an empty text."""
        if not self._written or self._holds("wait_until_saved", paths=self._written):
            return ""
        return f"a document was not saved within {WRITTEN:g} s"

    def settled(self, seconds: float = STILL) -> str:
        """Wait until nothing is pending and the screen is still, within the bounds; returns the
        outcome."""
        outcomes = self._windows()
        if self._written and not self._holds("wait_until_written", paths=self._written):
            outcomes.append("a file was still being written")
        frame = self._guest.screenshot(settle=max(seconds, STILL))
        outcomes.append("the screen was still" if frame.still else "the screen was not still")
        return "; ".join(outcomes)

    def _windows(self) -> list[str]:
        programs, self.expected = self.expected, []
        return [
            f"{program} showed no window within {MAPPED:g} s"
            for program in programs
            if not self._mapped(program)
        ]

    def _mapped(self, program: str) -> bool:
        end = time.monotonic() + MAPPED
        while True:
            classes = [window["class"].lower() for window in ask(self._guest, "windows")]
            if any(name in cls for name in WINDOWED[program] for cls in classes):
                return True
            if time.monotonic() > end:
                return False
            time.sleep(0.25)  # polling interval of a bounded wait

    def _holds(self, do: str, within: float = WRITTEN, **arguments: object) -> bool:
        try:
            return bool(ask(self._guest, do, takes=within, within=within, **arguments))
        except QuestionRefusedError:
            return False
