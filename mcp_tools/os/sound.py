"""The volume of the session's sound server, PulseAudio or PipeWire, by its own pactl."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Optional

from pydantic import Field

from mcp_tools import ToolError, commands
from mcp_tools.os import app

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
    """See how loud the sound is, in percent, and whether it is muted."""
    return volume()


@app.tool(timeout=90)
def set_volume(
    percent: Annotated[
        int, Field(ge=0, le=150, description="100 is the full volume; more is amplified, distorted")
    ],
    mute: Annotated[
        Optional[bool], Field(description="silence it or not; left as it is if left out")
    ] = None,
) -> Volume:
    """Set the sound volume of the default output. Muted sound stays muted unless mute=false is
    given. Returns the volume as it is then.
    """
    pactl("set-sink-volume", OUTPUT, f"{percent}%")
    if mute is not None:
        pactl("set-sink-mute", OUTPUT, str(int(mute)))
    now = volume()
    if now.percent != percent or (mute is not None and now.muted != mute):
        raise ToolError(f"The sound server left it at {now.percent} %.", code="no_sound")
    return now
