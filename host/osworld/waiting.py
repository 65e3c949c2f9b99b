"""Waiting for what a pause is for: windows that were asked for, programs that were ended, files
that are being written, a screen on which something still happens. A pause that a task names is no
more than a bound, and never less than what the thing itself may take."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ambidex.host.client.guest import Guest
from ambidex.host.osworld.questions import QuestionRefusedError, ask

__all__ = ["Waiting"]

STILL = 5.0
"""Seconds in which a screen that moves comes to rest, or does not at all; a program that is at work
is given more."""
MAPPED = 60.0
"""Seconds for a program to show its window."""
GONE = 20.0
"""Seconds for a program to end that was told to."""
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
"""Programs that show a window, and what its class may begin with or hold."""


class Waiting:
    """Waits for what is pending. With `literal` it sleeps instead, where a task says so."""

    def __init__(self, guest: Guest, *, literal: bool, written: Sequence[str] = ()) -> None:
        self._guest = guest
        self.literal = literal
        self._written = list(written)
        self.expected: list[str] = []
        """Programs that were started and are to show a window."""

    def started(self, program: str) -> None:
        """A program was started that may show a window."""
        if program in WINDOWED:
            self.expected.append(program)

    def ended(self, program: str) -> str:
        """A program was told to end: what follows finds it gone, so a new one is not taken for
        it."""
        if self.literal or self._holds("wait_until_gone", GONE, name=program):
            return f"{program} was told to end"
        return f"{program} did not end within {GONE:g} s"

    def pause(self, seconds: float) -> str:
        """What a task's pause is here; says what was waited for."""
        if self.literal:
            time.sleep(seconds)
            return f"slept {seconds:g} s"
        return self.settled(seconds)

    def saved(self) -> str:
        """Return when every office has written what it was told to save of the files that are
        judged; says if one has not."""
        if not self._written or self._holds("wait_until_saved", paths=self._written):
            return ""
        return f"a document was not saved within {WRITTEN:g} s"

    def settled(self, seconds: float = STILL) -> str:
        """Return when nothing is pending and the screen is still, or at the bounds; says how it
        went."""
        said = self._windows()
        if self._written and not self._holds("wait_until_written", paths=self._written):
            said.append("a file was still being written")
        frame = self._guest.screenshot(settle=max(seconds, STILL))
        said.append("the screen was still" if frame.still else "the screen was not still")
        return "; ".join(said)

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
            classes = [each["class"].lower() for each in ask(self._guest, "windows")]
            if any(name in seen for name in WINDOWED[program] for seen in classes):
                return True
            if time.monotonic() > end:
                return False
            time.sleep(0.25)  # between looks at a condition with a bound

    def _holds(self, do: str, within: float = WRITTEN, **given: object) -> bool:
        try:
            return bool(ask(self._guest, do, takes=within, within=within, **given))
        except QuestionRefusedError:
            return False
