"""Load steps and frames of recorded episodes from a trial's directory."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ambidex.host import Decision, Exchange, Frame, Stop, ToolCall, ToolResult, Usage
from ambidex.host.records.frame_files import read_frame
from ambidex.host.records.orders import written
from ambidex.host.records.trajectory import FRAMES, ExecutedTool, Seconds, Step, read_trajectory

__all__ = ["data_url", "describe_steps", "load_frame", "load_step"]


def describe_steps(trial: Path) -> dict[int, str]:
    """By step number, the calls of the step as text, or how the agent stopped."""
    return {
        line["number"]: "; ".join(
            written(call["name"], call["arguments"]) for call in line["decision"]["calls"]
        )
        or line["decision"]["stop"]
        or "nothing"
        for line in read_trajectory(trial)
        if line["kind"] == "step"
    }


def load_step(trial: Path, line: Mapping[str, Any]) -> Step:
    """The step in a trajectory line of kind `step`, with the images that tools returned."""
    return Step(
        number=line["number"],
        before=line["before"],
        decision=_decision(line["decision"]),
        apps=line["apps"],
        offered=line["offered"],
        results=[_result(trial, result) for result in line["results"]],
        after=line["after"],
        still=line["still"],
        seconds=Seconds(**line["seconds"]),
        focused=line.get("focused", ""),
        notes=tuple(line.get("notes", ())),
        kept=line.get("kept", ""),
        executed=[tool and ExecutedTool(**tool) for tool in line.get("executed", ())],
    )


def load_frame(trial: Path, name: str) -> Frame:
    """The frame with that hash; `FileNotFoundError` if it is missing, `ValueError` if the stored
    pixels have another hash."""
    picture = read_frame(trial / FRAMES, name)
    frame = Frame.of(picture.size, picture.tobytes())
    if frame.hash != name:
        raise ValueError(f"the frame {name} in {trial / FRAMES} is damaged")
    return frame


def _decision(record: Mapping[str, Any]) -> Decision:
    return Decision(
        thought=record["thought"],
        calls=tuple(ToolCall(**call) for call in record["calls"]),
        stop=Stop(record["stop"]) if record["stop"] else None,
        answer=record["answer"],
        exchanges=tuple(_exchange(exchange) for exchange in record["exchanges"]),
        malformed=record["malformed"],
    )


def _exchange(record: Mapping[str, Any]) -> Exchange:
    usage = Usage(**{"reasoning_tokens": None, **record["usage"]})  # older records lack them
    return Exchange(record["model"], record["answer"], usage, record["seconds"])


def _result(trial: Path, record: Mapping[str, Any]) -> ToolResult:
    images = tuple(data_url(trial / FRAMES / name) for name in record["images"])
    return ToolResult(record["call"], record["text"], record["error"], record["value"], images)


def data_url(picture: Path) -> str:
    """An image file as a data URL."""
    content = base64.b64encode(picture.read_bytes()).decode()
    return f"data:image/{picture.suffix[1:]};base64,{content}"
