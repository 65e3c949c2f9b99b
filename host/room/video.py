"""Videos (MP4) of episodes: for each step the screen before it, with the calls drawn on it, and the
screen after it; below, the calls as text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ambidex.host.errors import UsageError
from ambidex.host.records.frame_files import read_frame
from ambidex.host.records.orders import written
from ambidex.host.records.trajectory import FRAMES
from ambidex.host.room.live_trajectory import LiveTrajectory

__all__ = ["write_shots", "write_video"]

WIDTH = 1280
WORDS = 64
"""Height of the caption below the screen, in pixels."""
RATE = 10
"""Frames per second."""
BEFORE, AFTER = 1.0, 0.8
"""Seconds for which the screens before and after a step are shown."""
MARK, INK, PAPER = (255, 46, 99), (230, 235, 240), (17, 22, 28)
HUMAN = (230, 160, 218)


def write_video(trial: Path, path: Path) -> None:
    """Write the video of a trial. `FileNotFoundError` if it has no trajectory, `UsageError` if it
    has no screenshots."""
    trajectory = LiveTrajectory(trial)
    if not trajectory.read():
        raise FileNotFoundError(f"not a trial directory (it has no trajectory): {trial}")
    if not any(line.get("before") for line in trajectory.steps):
        raise UsageError(
            f"no video can be made of {trial}: it has no screenshots", hint="Use --html."
        )
    write_shots(_shots(trajectory), path)


def write_shots(shots: Iterable[tuple[Image.Image, float]], path: Path) -> None:
    """Write a video of pictures with their durations in seconds; all are scaled to the size of the
    first. `FileNotFoundError` if there are none."""
    with av.open(str(path), "w", format="mp4", options={"movflags": "faststart"}) as video:
        stream, now = None, 0
        for picture, seconds in shots:
            if stream is None:
                stream = video.add_stream("libx264", rate=RATE, options={"crf": "24"})
                # yuv420p halves the colour resolution and needs even sizes.
                stream.width, stream.height = picture.width // 2 * 2, picture.height // 2 * 2
                stream.pix_fmt = "yuv420p"
            pixels = np.asarray(picture.convert("RGB").resize((stream.width, stream.height)))
            for _ in range(round(seconds * RATE)):
                frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
                frame.pts, frame.time_base = now, Fraction(1, RATE)
                now += 1
                video.mux(stream.encode(frame))
        if stream is None:
            raise FileNotFoundError("the trial has no screenshots to make a video of")
        video.mux(stream.encode())


def _shots(trajectory: LiveTrajectory) -> Iterator[tuple[Image.Image, float]]:
    frames = trajectory.folder / FRAMES
    for line in trajectory.steps:
        if line["kind"] != "step":
            continue
        words = _words(line)
        yield _shot(read_frame(frames, line["before"]), words, line, marks=True), BEFORE
        if line["after"]:
            yield _shot(read_frame(frames, line["after"]), words, line, marks=False), AFTER


def _shot(screen: Image.Image, words: str, line: dict[str, Any], marks: bool) -> Image.Image:
    scale = WIDTH / screen.width
    small = screen.resize((WIDTH, round(screen.height * scale) // 2 * 2), Image.Resampling.LANCZOS)
    shot = Image.new("RGB", (WIDTH, small.height + WORDS), PAPER)
    shot.paste(small, (0, 0))
    drawing = ImageDraw.Draw(shot)
    for call in line["calls"] if marks else ():
        _mark(drawing, call["arguments"], scale)
    head = f"{line['number']}  {'person  ' if line['actor'] == 'human' else ''}"
    font = ImageFont.load_default(20)
    colour = HUMAN if line["actor"] == "human" else INK
    while words and drawing.textlength(head + words, font) > WIDTH - 40:
        words = f"{words[: max(0, len(words) - 8)].rstrip(' …')} …" if len(words) > 8 else ""
    drawing.text((20, small.height + WORDS // 2), head + words, colour, font, anchor="lm")
    return shot


def _mark(drawing: ImageDraw.ImageDraw, arguments: dict[str, Any], scale: float) -> None:
    if not all(isinstance(arguments.get(name), int | float) for name in ("x", "y")):
        return
    x, y = arguments["x"] * scale, arguments["y"] * scale
    drawing.ellipse((x - 16, y - 16, x + 16, y + 16), outline=MARK, width=4)
    drawing.ellipse((x - 3, y - 3, x + 3, y + 3), fill=MARK)
    dx, dy = arguments.get("dx") or 0, arguments.get("dy") or 0
    if "to_x" in arguments:
        end = arguments["to_x"] * scale, arguments["to_y"] * scale
    elif dx or dy:
        end = x + 60 * (dx > 0) - 60 * (dx < 0), y + 60 * (dy > 0) - 60 * (dy < 0)
    else:
        return
    drawing.line((x, y, *end), MARK, 4)
    angle = math.atan2(end[1] - y, end[0] - x)
    for turn in (-2.6, 2.6):
        tip = end[0] + math.cos(angle + turn) * 18, end[1] + math.sin(angle + turn) * 18
        drawing.line((*end, *tip), MARK, 4)


def _words(line: dict[str, Any]) -> str:
    calls = [written(call["name"], call["arguments"]) for call in line["calls"]]
    return "; ".join([*calls, *([f"ends: {line['stop']}"] if line["stop"] else [])]) or "nothing"
