"""Tools for the volume of the session's sound server (PulseAudio or PipeWire), through pactl."""

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
    """Volume of the default output: of its loudest channel, if they differ."""

    percent: int
    muted: bool
    output: str


def pactl(*words: str) -> str:
    """Run pactl and return its output; `ToolError` with its message if it fails."""
    result = commands.run(["pactl", *words], ANSWERS_WITHIN, env={"LC_ALL": "C.UTF-8"})
    if result.code:
        reason = result.errors.strip() or f"pactl exited with status {result.code}"
        raise ToolError(f"The sound server reported an error: {reason}.", code="no_sound")
    return result.output


def volume() -> Volume:
    """The current volume."""
    percent = max(int(level) for level in PERCENT.findall(pactl("get-sink-volume", OUTPUT)))
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
    current = volume()
    if current.percent != percent or (mute is not None and current.muted != mute):
        raise ToolError(
            f"The sound server kept the volume at {current.percent} %.", code="no_sound"
        )
    return current
