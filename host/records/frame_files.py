"""Frames on disk, stored once per hash; a frame similar to the last whole one becomes a patch.

`<hash>.png` is a whole frame. `<hash>.patch.png` is the changed region of a frame, transparent
where pixels are unchanged, to be pasted over another frame. PNG text chunks say which frame
(`over`, a hash) and where (`at`, x,y).
"""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from ambidex.host import Frame

__all__ = ["FrameWriter", "Pixels", "difference", "frame_url", "read_frame", "read_frame_png"]

MOST_CHANGED = 0.5
"""Fraction of pixels beyond which no patch is tried: it would never be smaller than the frame."""
MOST_BYTES = 0.4
"""Fraction of the whole frame's bytes beyond which a patch is not worth opening a second file."""

QUALITY = 82
"""Of the lossy pictures in pages."""

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class BaseFrame:
    """The last frame that was stored whole; patches refer to it."""

    name: str
    pixels: Pixels
    size: int
    """Bytes."""


class FrameWriter:
    """Stores the frames of one episode in a directory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._stored: set[str] = set()
        self._base: BaseFrame | None = None

    def add(self, frame: Frame) -> str:
        """Store the frame, if it is new, and return its hash."""
        if frame.hash not in self._stored:
            width, height = frame.size
            pixels = np.frombuffer(frame.rgb, np.uint8).reshape(height, width, 3)
            if not self._write_patch(frame.hash, pixels):
                content = _png(Image.fromarray(pixels))
                self._write(f"{frame.hash}.png", content)
                self._base = BaseFrame(frame.hash, pixels, len(content))
            self._stored.add(frame.hash)
        return frame.hash

    def _write_patch(self, name: str, pixels: Pixels) -> bool:
        """Store the frame as a patch and return True, or return False if that is not worthwhile."""
        base = self._base
        if base is None or base.pixels.shape != pixels.shape:
            return False
        change = difference(base.pixels, pixels)
        if change is None or change[0] > MOST_CHANGED:
            return False
        box = change[1]
        info = PngInfo()
        info.add_text("over", base.name)
        info.add_text("at", f"{box[0]},{box[1]}")
        content = _png(_patch(base.pixels, pixels, box), info)
        if len(content) > MOST_BYTES * base.size:
            return False
        self._write(f"{name}.patch.png", content)
        return True

    def _write(self, name: str, content: bytes) -> None:
        # Atomic, so that concurrent readers never see half a file.
        partial = self._folder / f".{name}"
        partial.write_bytes(content)
        partial.rename(self._folder / name)


def _png(picture: Image.Image, info: PngInfo | None = None) -> bytes:
    target = io.BytesIO()
    picture.save(target, "PNG", pnginfo=info)
    return target.getvalue()


def read_frame(folder: Path, name: str) -> Image.Image:
    """Read the frame with that hash; `FileNotFoundError` names the missing file."""
    whole = folder / f"{name}.png"
    if whole.exists():
        with Image.open(whole) as picture:
            return picture.convert("RGB")
    with Image.open(folder / f"{name}.patch.png") as patch:
        patch.load()
        chunks = patch.info
        frame = read_frame(folder, chunks["over"])
        left, top = map(int, chunks["at"].split(","))
        changed = patch.convert("RGBA")
        frame.paste(changed.convert("RGB"), (left, top), mask=changed.getchannel("A"))
        return frame


def read_frame_png(folder: Path, name: str) -> bytes:
    """Read the frame with that hash as PNG bytes."""
    whole = folder / f"{name}.png"
    if whole.exists():
        return whole.read_bytes()
    target = io.BytesIO()
    read_frame(folder, name).save(target, "PNG", compress_level=1)
    return target.getvalue()


def frame_url(folder: Path, name: str) -> str:
    """A frame as a data URL, in a lossy format that takes little space."""
    target = io.BytesIO()
    read_frame(folder, name).save(target, "WEBP", quality=QUALITY)
    return f"data:image/webp;base64,{base64.b64encode(target.getvalue()).decode()}"


def difference(one: Pixels, other: Pixels) -> tuple[float, tuple[int, int, int, int]] | None:
    """The fraction of pixels in which two pictures of the same size differ, and their bounding box
    (left, top, right, bottom); None if the pictures are equal."""
    differ = np.any(one != other, axis=2)
    rows, columns = np.flatnonzero(differ.any(axis=1)), np.flatnonzero(differ.any(axis=0))
    if not rows.size:
        return None
    box = int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1
    return float(differ.mean()), box


def _patch(before: Pixels, after: Pixels, box: tuple[int, int, int, int]) -> Image.Image:
    left, top, right, bottom = box
    old, new = (pixels[top:bottom, left:right] for pixels in (before, after))
    changed = np.any(old != new, axis=2, keepdims=True)
    alpha = np.where(changed, np.uint8(255), np.uint8(0))
    return Image.fromarray(np.concatenate([new * changed, alpha], axis=2).astype(np.uint8), "RGBA")
