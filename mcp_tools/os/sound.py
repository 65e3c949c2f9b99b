"""The volume of the session's sound server, PulseAudio or PipeWire, by its own pactl."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError, commands
from ambidex.mcp_tools.os import app

__all__ = ["app"]

OUTPUT = "@DEFAULT_SINK@"
ANSWERS_WITHIN = 15.0
PERCENT = re.compile(r"(\d+)%")


@dataclass(frozen=True)
class Volume:
    """How loud the default output is; of channels that differ, the loudest counts."""

    percent: int
    muted: bool
    output: str


def pactl(*words: str) -> str:
    """What pactl says; `ToolError` in its words if there is no sound server."""
    ran = commands.run(["pactl", *words], ANSWERS_WITHIN, env={"LC_ALL": "C.UTF-8"})
    if ran.code:
        said = ran.errors.strip() or f"pactl ended with {ran.code}"
        raise ToolError(f"The sound server does not obey: {said}.", code="no_sound")
    return ran.output


def volume() -> Volume:
    """The volume now."""
    percent = max(int(each) for each in PERCENT.findall(pactl("get-sink-volume", OUTPUT)))
    muted = pactl("get-sink-mute", OUTPUT).strip().endswith("yes")
    return Volume(percent, muted, pactl("get-default-sink").strip())


@app.tool(reads_only=True, timeout=60)
def get_volume() -> Volume:
    """Get the system volume: how loud the computer's sound (speakers) is in percent, and whether it
    is muted.
    """
    return volume()


@app.tool(timeout=90)
def set_volume(
    percent: Annotated[
        int, Field(ge=0, le=150, description="100 is full volume; more is amplified and distorted")
    ],
    mute: Annotated[
        Optional[bool], Field(description="true mutes, false unmutes; default: unchanged")
    ] = None,
) -> Volume:
    """Set the system volume of the speakers (default output), louder or quieter, or mute and unmute
    the computer's sound. Muted sound stays muted unless mute=false. Returns the new volume.
    """
    pactl("set-sink-volume", OUTPUT, f"{percent}%")
    if mute is not None:
        pactl("set-sink-mute", OUTPUT, str(int(mute)))
    now = volume()
    if now.percent != percent or (mute is not None and now.muted != mute):
        raise ToolError(f"The sound server left it at {now.percent} %.", code="no_sound")
    return now
