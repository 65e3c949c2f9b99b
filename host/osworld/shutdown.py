"""Programs that a step tells to end: what goes before, and what is waited for."""

from __future__ import annotations

import re

from ambidex.host.client.guest import Guest
from ambidex.host.osworld.questions import ask
from ambidex.host.osworld.waiting import Waiting

__all__ = ["about_to_end", "end_browser", "ended"]

ENDING = re.compile(r"^(?:pkill|killall)\s+(?:-\S+\s+)*([\w.-]+)$")
INSTEAD = {"chrome": "chromium"}
"""Programs that tasks end by their names, and what stands for them where the image has it."""
BROWSERS = ("chrome", "chromium", "google-chrome")
CLOSES = 10.0
"""Seconds for a browser to write what it has put off, and end."""


def about_to_end(guest: Guest, words: str) -> str:
    """The program that this command tells to end, if any; a browser has written by then what it put
    off. Upstream's 20 s after every episode see to that."""
    found = ENDING.match(words.strip())
    program = found[1] if found else ""
    if program in BROWSERS:
        end_browser(guest)
    return program


def end_browser(guest: Guest) -> None:
    """End the browser, if one runs, so that its profile says all that it knows."""
    ask(guest, "end_browser", takes=CLOSES, within=CLOSES)


def ended(guest: Guest, waiting: Waiting, program: str) -> str:
    """A program was told to end: so is the one that has its place in our images."""
    if other := INSTEAD.get(program):
        guest.run(["pkill", other])
        waiting.ended(other)
    return waiting.ended(program)
