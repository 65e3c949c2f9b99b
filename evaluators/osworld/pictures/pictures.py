"""Pictures of the guest, and the two questions asked of a pair: the same structure, the same light.

*Structure* is the structural similarity of scikit-image in windows of 7 pixels; *light* the mean
squared difference of pixels between 0 and 1.
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
from ambidex.evaluators.osworld.given import held

__all__ = ["differ", "head", "on_white", "picture", "structure", "window_dump"]

FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF", "PPM")
MOST_PIXELS = 25_000_000
WINDOW = 7
"""Pixels on each side of what is compared at a time; a smaller picture cannot be compared."""


def picture(given: Value) -> Image.Image:
    """The (first) picture of a file, decoded; its mode is that of the file."""
    source = held(given)
    try:
        with open_picture(source, formats=FORMATS, pixels=MOST_PIXELS) as opened:
            opened.load()
            return opened.copy()
    except (*BROKEN, Image.DecompressionBombError, struct.error) as error:
        raise UnreadableError(f"no readable picture: {error}") from error


def head(given: Value) -> tuple[tuple[int, int], str, bool]:
    """Size and mode of a picture, and whether it names transparent colours, as its head says; the
    rest may be cut off."""
    try:
        with open_picture(held(given), formats=FORMATS, pixels=MOST_PIXELS) as opened:
            return opened.size, opened.mode, "transparency" in opened.info
    except (*BROKEN, Image.DecompressionBombError, struct.error) as error:
        raise UnreadableError(f"no readable picture: {error}") from error


def on_white(image: Image.Image, *, strict: bool = True) -> Image.Image:
    """RGB pixels: with transparency as a viewer shows it, or (not strict) as if there were none."""
    if not image.has_transparency_data:
        return image.convert("RGB")
    actual = image.convert("RGBA")
    if not strict:
        return actual.convert("RGB")
    return Image.alpha_composite(Image.new("RGBA", actual.size, "white"), actual).convert("RGB")


def structure(one: Image.Image, other: Image.Image, *, window: int = WINDOW) -> float:
    """Structural similarity of two RGB or grey pictures, 1 for the same; 0 where their sizes differ
    or one is too small to have a structure."""
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
    """The picture of an X window dump of true colours (`xwd`); `None` for another format."""
    if len(source) < 100:
        return None
    head = struct.unpack(">25I", source[:100])
    size, version, layout, width, height, order, bits, line = (
        head[each] for each in (0, 1, 2, 4, 5, 7, 11, 12)
    )
    if version != 7 or layout != 2 or not 100 <= size <= len(source):
        return None
    _bounded(width, height)
    start, end = size + 12 * head[19], size + 12 * head[19] + line * height
    if bits not in (24, 32) or line * 8 < width * bits or end > len(source) or not width * height:
        raise UnreadableError("no readable window dump: not of 24 or 32 bits, or cut off")
    rows = np.frombuffer(source, np.uint8, line * height, start).reshape(height, line)
    pixels = rows[:, : width * bits // 8].reshape(height, width, bits // 8)
    # Red is in the highest of the three lower bytes: last in memory where the low byte is first.
    colours: NDArray[np.uint8] = pixels[..., 2::-1] if order == 0 else pixels[..., -3:]
    return Image.fromarray(np.ascontiguousarray(colours))


def _bounded(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise UnreadableError(f"a picture of more than {MOST_PIXELS} pixels")
