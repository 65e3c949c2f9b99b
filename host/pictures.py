"""Frames on disk: each once, by its hash, and of a frame that differs little from the one before
only what differs.

`<hash>.png` is a whole frame. `<hash>.patch.png` is a part of one, to be laid over another; which
one and where is in the file itself, as text chunks `over` (a hash) and `at` (x,y).
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from host import Frame

__all__ = ["Pictures", "Pixels", "difference", "png_of", "read_frame"]

CHAIN = 24
"""Patches over patches at most, so that a frame deep in an episode opens quickly."""
MUCH = 0.5
"""Part of the screen beyond which a patch saves nothing worth its chain."""

Pixels = NDArray[np.uint8]


class Pictures:
    """Stores the frames of one episode in a directory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._depths: dict[str, int] = {}
        """Patches that lie under each frame that is stored."""
        self._last: tuple[str, Pixels] | None = None

    def add(self, frame: Frame) -> str:
        """Store the frame, if it is new, and return its hash."""
        if self._last is not None and self._last[0] == frame.hash:
            return frame.hash
        width, height = frame.size
        pixels = np.frombuffer(frame.rgb, np.uint8).reshape(height, width, 3)
        if frame.hash not in self._depths:
            self._store(frame.hash, pixels)
        self._last = frame.hash, pixels
        return frame.hash

    def _store(self, name: str, pixels: Pixels) -> None:
        depth, box = 0, (0, 0, pixels.shape[1], pixels.shape[0])
        info = None
        if self._last is not None:
            over, before = self._last
            part = _patch(before, pixels)
            if part is not None and self._depths[over] < CHAIN:
                depth, box = self._depths[over] + 1, part
                info = PngInfo()
                info.add_text("over", over)
                info.add_text("at", f"{box[0]},{box[1]}")
        left, top, right, bottom = box
        picture = Image.fromarray(pixels[top:bottom, left:right])
        kind = "patch.png" if depth else "png"
        # Whole or absent: whoever reads beside us must not find half a picture.
        target = self._folder / f"{name}.{kind}"
        whole = target.with_name(f".{target.name}")
        picture.save(whole, "PNG", pnginfo=info)
        whole.rename(target)
        self._depths[name] = depth


def read_frame(folder: Path, name: str) -> Image.Image:
    """The whole frame of that hash; `FileNotFoundError` names what is missing."""
    whole = folder / f"{name}.png"
    if whole.exists():
        with Image.open(whole) as picture:
            return picture.convert("RGB")
    with Image.open(folder / f"{name}.patch.png") as patch:
        patch.load()
        said = patch.info
        below = read_frame(folder, said["over"])
        left, top = map(int, said["at"].split(","))
        below.paste(patch.convert("RGB"), (left, top))
        return below


def png_of(folder: Path, name: str) -> bytes:
    """The same as PNG."""
    whole = folder / f"{name}.png"
    if whole.exists():
        return whole.read_bytes()
    target = io.BytesIO()
    read_frame(folder, name).save(target, "PNG", compress_level=1)
    return target.getvalue()


def difference(one: Pixels, other: Pixels) -> tuple[float, tuple[int, int, int, int]] | None:
    """The part of the pixels in which two pictures of one size differ, and the box (left, top,
    right, bottom) around them; None where they are the same."""
    differ = np.any(one != other, axis=2)
    rows, columns = np.flatnonzero(differ.any(axis=1)), np.flatnonzero(differ.any(axis=0))
    if not rows.size:
        return None
    box = int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1
    return float(differ.mean()), box


def _patch(one: Pixels, other: Pixels) -> tuple[int, int, int, int] | None:
    """The box to be laid over the one to make it the other; None where that saves nothing."""
    if one.shape != other.shape or (found := difference(one, other)) is None:
        return None
    left, top, right, bottom = found[1]
    small = (right - left) * (bottom - top) <= MUCH * one.shape[0] * one.shape[1]
    return found[1] if small else None
