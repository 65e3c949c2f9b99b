"""Shutting down programs on behalf of a step: preparation, and waiting for their exit."""

from __future__ import annotations

import re

from ambidex.host.client.guest import Guest
from ambidex.host.osworld.questions import ask
from ambidex.host.osworld.waiting import Waiting

__all__ = ["end_browser", "prepare_shutdown", "wait_for_exit"]

ENDING = re.compile(r"^(?:pkill|killall)\s+(?:-\S+\s+)*([\w.-]+)$")
INSTEAD = {"chrome": "chromium"}
"""Programs that tasks end by name, and their replacements in our images."""
BROWSERS = ("chrome", "chromium", "google-chrome")
CLOSES = 10.0
"""Seconds for a browser to write its pending data and exit."""


def prepare_shutdown(guest: Guest, words: str) -> str:
    """The program that this command ends, if any. A browser is closed first, so that it has written
    its pending data (upstream waits 20 s after every episode for that)."""
    match = ENDING.match(words.strip())
    program = match[1] if match else ""
    if program in BROWSERS:
        end_browser(guest)
    return program


def end_browser(guest: Guest) -> None:
    """Close the browser, if one runs, so that its profile is complete on disk."""
    ask(guest, "end_browser", takes=CLOSES, within=CLOSES)


def wait_for_exit(guest: Guest, waiting: Waiting, program: str) -> str:
    """Wait until an ended program has exited; also ends its replacement in our images."""
    if other := INSTEAD.get(program):
        guest.run(["pkill", other])
        waiting.wait_for_exit(other)
    return waiting.wait_for_exit(program)
