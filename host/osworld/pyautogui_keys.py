"""Python commands that only move the mouse and press keys (`python -c "import pyautogui; ..."`), as
calls of the guest's own tools: after each the screen comes to rest, so that no key is typed ahead
of the dialog that it is meant for."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from ambidex.host import ToolCall, ToolSpec
from ambidex.host.client.guest import Guest
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.pyautogui_reading import parse_block
from ambidex.host.dialects.reading import GuiCall, Pointer
from ambidex.host.osworld.waiting import Waiting

__all__ = ["play", "played"]

PYTHON = ("python", "python3")
WAIT = "computer_wait"
SAVE = ["ctrl", "s"]


def played(
    argv: Sequence[str], tools: Mapping[str, ToolSpec], extent: tuple[int, int]
) -> list[GuiCall] | None:
    """The calls that a command comes to; None where it is something else."""
    if len(argv) != 3 or argv[0] not in PYTHON or argv[1] != "-c" or "pyautogui" not in argv[2]:
        return None
    pointer = Pointer()
    # Where it was is not known, and a press of the button without a place is one where it is.
    pointer.put((extent[0] // 2, extent[1] // 2))
    try:
        return parse_block(argv[2].strip(), tools, pointer, extent).calls
    except MalformedReplyError:
        return None


def play(guest: Guest, calls: Sequence[GuiCall], waiting: Waiting) -> list[str]:
    """Make the calls; what went wrong with one is said, and the others follow, as keys do."""
    said = []
    for name, arguments in calls:
        if name == WAIT:
            waiting.pause(float(arguments["seconds"]))
            continue
        result = guest.call(ToolCall(uuid.uuid4().hex, name, arguments))
        if result.error:
            said.append(f"{name}: {result.text}")
        waiting.settled()
        if arguments.get("keys") == SAVE and (unsaved := waiting.saved()):
            said.append(unsaved)
    return said
