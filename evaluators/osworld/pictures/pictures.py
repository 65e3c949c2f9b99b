"""Bounded reading of pictures, and two measures on a pair: structural similarity and difference.

`structure` is scikit-image's structural similarity with windows of 7 pixels; `differ` is the mean
squared difference of pixel values from 0 to 1.
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from skimage.metrics import structural_similarity

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.bounded import open_picture
from ambidex.evaluators.evidence import BROKEN
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.given import read_bytes

__all__ = ["differ", "head", "on_white", "picture", "structure", "window_dump"]

FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF", "PPM")
MOST_PIXELS = 25_000_000
WINDOW = 7
"""Side of the comparison window in pixels; smaller pictures cannot be compared."""


def picture(value: Value) -> Image.Image:
    """Decode the (first) picture of a file, in its own mode."""
    source = read_bytes(value)
    try:
        with open_picture(source, formats=FORMATS, pixels=MOST_PIXELS) as opened:
            opened.load()
            return opened.copy()
    except (*BROKEN, Image.DecompressionBombError, struct.error) as error:
        raise UnreadableError(f"not a readable picture: {error}") from error


def head(value: Value) -> tuple[tuple[int, int], str, bool]:
    """Size and mode of a picture and whether it declares transparent colours, from its header; the
    rest of the file may be missing."""
    try:
        with open_picture(read_bytes(value), formats=FORMATS, pixels=MOST_PIXELS) as opened:
            return opened.size, opened.mode, "transparency" in opened.info
    except (*BROKEN, Image.DecompressionBombError, struct.error) as error:
        raise UnreadableError(f"not a readable picture: {error}") from error


def on_white(image: Image.Image, *, strict: bool = True) -> Image.Image:
    """Convert to RGB, with transparency shown on white or, without `strict`, ignored."""
    if not image.has_transparency_data:
        return image.convert("RGB")
    actual = image.convert("RGBA")
    if not strict:
        return actual.convert("RGB")
    return Image.alpha_composite(Image.new("RGBA", actual.size, "white"), actual).convert("RGB")


def structure(one: Image.Image, other: Image.Image, *, window: int = WINDOW) -> float:
    """Structural similarity of two RGB or grey pictures, 1 for identical ones; 0 if their sizes
    differ or one is smaller than the window."""
    if one.size != other.size or min(one.size) < window:
        return 0.0
    channels = 2 if one.mode == "RGB" else None
    return float(
        structural_similarity(  # type: ignore[no-untyped-call]
            np.asarray(one), np.asarray(other), win_size=window, channel_axis=channels
        )
    )


def differ(one: Image.Image, other: Image.Image) -> float:
    """Mean squared difference of two RGB pictures, the second scaled to the size of the first."""
    if one.size != other.size:
        other = other.resize(one.size, Image.Resampling.LANCZOS)
    first = np.asarray(one, dtype=np.float32) / 255
    return float(np.mean((first - np.asarray(other, dtype=np.float32) / 255) ** 2))


def window_dump(source: bytes) -> Image.Image | None:
    """Decode an X window dump (`xwd`) in true colour; `None` for another format."""
    if len(source) < 100:
        return None
    head = struct.unpack(">25I", source[:100])
    size, version, layout, width, height, order, bits, line = (
        head[index] for index in (0, 1, 2, 4, 5, 7, 11, 12)
    )
    if version != 7 or layout != 2 or not 100 <= size <= len(source):
        return None
    _check_size(width, height)
    start, end = size + 12 * head[19], size + 12 * head[19] + line * height
    if bits not in (24, 32) or line * 8 < width * bits or end > len(source) or not width * height:
        raise UnreadableError(
            "not a readable window dump: it does not have 24 or 32 bits, or is truncated"
        )
    rows = np.frombuffer(source, np.uint8, line * height, start).reshape(height, line)
    pixels = rows[:, : width * bits // 8].reshape(height, width, bits // 8)
    # Red is the third byte from the low end, so it comes last in little-endian pixels.
    colours: NDArray[np.uint8] = pixels[..., 2::-1] if order == 0 else pixels[..., -3:]
    return Image.fromarray(np.ascontiguousarray(colours))


def _check_size(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise UnreadableError(f"the picture has more than {MOST_PIXELS} pixels")
