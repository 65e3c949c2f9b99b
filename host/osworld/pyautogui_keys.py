"""Replaces Python commands that only move the mouse and press keys (`python -c "import pyautogui;
..."`) by calls of the guest's own tools. After each call the screen settles, so that no key is
typed before the dialog that it is meant for has opened."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from ambidex.host import ToolCall, ToolSpec
from ambidex.host.client.guest import Guest
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.pyautogui_reading import parse_block
from ambidex.host.dialects.reading import GuiCall, Pointer
from ambidex.host.osworld.waiting import Waiting

__all__ = ["calls_of", "play"]

PYTHON = ("python", "python3")
WAIT = "computer_wait"
SAVE = ["ctrl", "s"]


def calls_of(
    argv: Sequence[str], tools: Mapping[str, ToolSpec], extent: tuple[int, int]
) -> list[GuiCall] | None:
    """The calls equivalent to a command; None if it is not such a command."""
    if len(argv) != 3 or argv[0] not in PYTHON or argv[1] != "-c" or "pyautogui" not in argv[2]:
        return None
    pointer = Pointer()
    # The pointer's position is unknown, and clicks without a position need one: assume the centre.
    pointer.put((extent[0] // 2, extent[1] // 2))
    try:
        return parse_block(argv[2].strip(), tools, pointer, extent).calls
    except MalformedReplyError:
        return None


def play(guest: Guest, calls: Sequence[GuiCall], waiting: Waiting) -> list[str]:
    """Make the calls and return their errors. A failed call does not stop the following ones."""
    errors = []
    for name, arguments in calls:
        if name == WAIT:
            waiting.pause(float(arguments["seconds"]))
            continue
        result = guest.call(ToolCall(uuid.uuid4().hex, name, arguments))
        if result.error:
            errors.append(f"{name}: {result.text}")
        waiting.settled()
        if arguments.get("keys") == SAVE and (unsaved := waiting.saved()):
            errors.append(unsaved)
    return errors
