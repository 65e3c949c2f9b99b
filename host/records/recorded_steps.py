"""Recorded episodes, read back: a line of a trajectory as the step that it was."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ambidex.host import Decision, Exchange, Frame, Stop, ToolCall, ToolResult, Usage
from ambidex.host.records.frame_files import read_frame
from ambidex.host.records.orders import written
from ambidex.host.records.trajectory import FRAMES, Seconds, Step, read_trajectory

__all__ = ["done_in", "frame_of", "step_of"]


def done_in(trial: Path) -> dict[int, str]:
    """What was done in each step of a trial, in words."""
    return {
        line["number"]: "; ".join(
            written(call["name"], call["arguments"]) for call in line["decision"]["calls"]
        )
        or line["decision"]["stop"]
        or "nothing"
        for line in read_trajectory(trial)
        if line["kind"] == "step"
    }


def step_of(trial: Path, line: Mapping[str, Any]) -> Step:
    """The step of a line of kind `step`, with the pictures that tools returned."""
    said = dict(line)
    return Step(
        number=said["number"],
        before=said["before"],
        decision=_decision(said["decision"]),
        apps=said["apps"],
        offered=said["offered"],
        results=[_result(trial, result) for result in said["results"]],
        after=said["after"],
        still=said["still"],
        seconds=Seconds(**said["seconds"]),
        focused=said.get("focused", ""),
        notes=tuple(said.get("notes", ())),
        kept=said.get("kept", ""),
    )


def frame_of(trial: Path, name: str) -> Frame:
    """The frame of that hash; `FileNotFoundError` where it is gone, `ValueError` where what is
    stored is another picture."""
    picture = read_frame(trial / FRAMES, name)
    frame = Frame.of(picture.size, picture.tobytes())
    if frame.hash != name:
        raise ValueError(f"the picture {name} in {trial / FRAMES} is damaged")
    return frame


def _decision(said: Mapping[str, Any]) -> Decision:
    return Decision(
        thought=said["thought"],
        calls=tuple(ToolCall(**call) for call in said["calls"]),
        stop=Stop(said["stop"]) if said["stop"] else None,
        answer=said["answer"],
        exchanges=tuple(_exchange(each) for each in said["exchanges"]),
        malformed=said["malformed"],
    )


def _exchange(said: Mapping[str, Any]) -> Exchange:
    return Exchange(said["model"], said["answer"], Usage(**said["usage"]), said["seconds"])


def _result(trial: Path, said: Mapping[str, Any]) -> ToolResult:
    images = tuple(_url(trial / FRAMES / name) for name in said["images"])
    return ToolResult(said["call"], said["text"], said["error"], said["value"], images)


def _url(picture: Path) -> str:
    content = base64.b64encode(picture.read_bytes()).decode()
    return f"data:image/{picture.suffix[1:]};base64,{content}"
