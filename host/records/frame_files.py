"""Frames on disk: each once, by its hash, and of a frame that differs little from the last whole
one only what differs.

`<hash>.png` is a whole frame. `<hash>.patch.png` is a part of one, transparent where nothing has
changed, to be laid over another; which one and where is in the file itself, as text chunks `over`
(a hash) and `at` (x,y).
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from ambidex.host import Frame

__all__ = ["Pictures", "Pixels", "difference", "png_of", "read_frame"]

MUCH = 0.5
"""Part of the pixels that may differ at most in a patch: with more it is never the smaller one."""
LARGE = 0.4
"""Part of a whole frame's bytes beyond which a patch is not worth a second picture to be opened."""

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class Whole:
    """The last frame that was stored whole: what patches are laid over."""

    name: str
    pixels: Pixels
    size: int
    """Bytes."""


class Pictures:
    """Stores the frames of one episode in a directory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._stored: set[str] = set()
        self._whole: Whole | None = None

    def add(self, frame: Frame) -> str:
        """Store the frame, if it is new, and return its hash."""
        if frame.hash not in self._stored:
            width, height = frame.size
            pixels = np.frombuffer(frame.rgb, np.uint8).reshape(height, width, 3)
            if not self._patched(frame.hash, pixels):
                content = _png(Image.fromarray(pixels))
                self._write(f"{frame.hash}.png", content)
                self._whole = Whole(frame.hash, pixels, len(content))
            self._stored.add(frame.hash)
        return frame.hash

    def _patched(self, name: str, pixels: Pixels) -> bool:
        whole = self._whole
        if whole is None or whole.pixels.shape != pixels.shape:
            return False
        found = difference(whole.pixels, pixels)
        if found is None or found[0] > MUCH:
            return False
        info = PngInfo()
        info.add_text("over", whole.name)
        info.add_text("at", f"{found[1][0]},{found[1][1]}")
        content = _png(_changed(whole.pixels, pixels, found[1]), info)
        if len(content) > LARGE * whole.size:
            return False
        self._write(f"{name}.patch.png", content)
        return True

    def _write(self, name: str, content: bytes) -> None:
        # Whole or absent: whoever reads beside us must not find half a picture.
        partial = self._folder / f".{name}"
        partial.write_bytes(content)
        partial.rename(self._folder / name)


def _png(picture: Image.Image, info: PngInfo | None = None) -> bytes:
    target = io.BytesIO()
    picture.save(target, "PNG", pnginfo=info)
    return target.getvalue()


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
        changed = patch.convert("RGBA")
        below.paste(changed.convert("RGB"), (left, top), mask=changed.getchannel("A"))
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


def _changed(before: Pixels, after: Pixels, box: tuple[int, int, int, int]) -> Image.Image:
    left, top, right, bottom = box
    old, new = (each[top:bottom, left:right] for each in (before, after))
    kept = np.any(old != new, axis=2, keepdims=True)
    opaque = np.where(kept, np.uint8(255), np.uint8(0))
    return Image.fromarray(np.concatenate([new * kept, opaque], axis=2).astype(np.uint8), "RGBA")
