"""Metrics on single pictures: size, positions of objects, and text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps
from pydantic import Strict
from typing_extensions import TypedDict

from ambidex.evaluators import Score
from ambidex.evaluators.ocr import text_in
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.given import read_bytes
from ambidex.evaluators.osworld.pictures.pictures import head, on_white, picture, window_dump
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.values import shown, verdict

Array = NDArray[np.uint8]
DARK = 128
TOLERANCE = 0.05
"""Tolerance of positions as a share of the picture's size."""
LOOKALIKES = str.maketrans("LI1|0", "llllO")
"""Letters that look alike on a screen and that text recognition confuses: l, L, I, 1, |; O, 0."""


class Size(TypedDict):
    """The expected size in pixels; a dimension that is not given does not count."""

    width: NotRequired[Any]
    height: NotRequired[Any]
    ignore_transparent: NotRequired[Any]


class Weight(TypedDict):
    """The maximum size of a file in bytes."""

    max_size: Annotated[float, Strict()] | bool


class Text(TypedDict):
    """The text that a picture should show."""

    type: Literal["text"]
    text: str


@metric(
    repairs=(
        "The visible part counts only if the task says so: upstream measures the visible part of"
        " every picture that declares a transparent colour.",
        "The picture must be readable: upstream reads only the header.",
    )
)
def check_image_size(result: Value, expected: Size, *, strict: bool) -> Score:
    """The picture has this width and height; with `ignore_transparent`, its visible part has."""
    ignored = bool(expected.get("ignore_transparent"))
    (width, height), mode, declares_transparency = head(result)
    if strict:
        actual = picture(result)
        cropped = ignored and actual.has_transparency_data
    else:
        cropped = (ignored and mode in {"RGBA", "LA"}) or declares_transparency
    if cropped:
        image = picture(result)
        box = image.convert("RGBA").getchannel("A").getbbox() or (0, 0, 0, 0)
        width, height = box[2] - box[0], box[3] - box[1]
    dimensions = ("width", width, expected.get("width")), ("height", height, expected.get("height"))
    wrong = [
        f"{name} is {actual}, not {target}"
        for name, actual, target in dimensions
        if target is not None and actual != target
    ]
    return verdict(wrong, f"the picture is {width}x{height}")


@metric(
    repairs=(
        "The file must be a readable picture: upstream checks only the number of bytes, so that an"
        " empty file passes as a well compressed picture.",
    )
)
def check_image_file_size(result: Value, expected: Weight, *, strict: bool) -> Score:
    """The file has fewer bytes than `max_size`."""
    size, most = len(read_bytes(result)), expected["max_size"]
    if strict:
        picture(result)
    wrong = [] if size < most else [f"{size} bytes, not below {most}"]
    return verdict(wrong, f"{size} bytes, below {most}")


@metric(
    repairs=(
        "The triangle is everything but the commonest colour: upstream takes the second rarest"
        " colour, which is the background itself if there are two colours (always near the"
        " middle), and a shade of the edge if edges are smooth.",
    )
)
def check_triangle_position(result: Value, *, strict: bool) -> Score:
    """The centre of the triangle is within 5 % of the centre of the picture in both directions."""
    image = picture(result)
    pixels: Array = np.asarray(on_white(image) if strict else image)
    if pixels.ndim != 3:
        raise UpstreamRaisesError("a picture with one channel has no colours to count")
    colours, where, counts = np.unique(
        pixels.reshape(-1, pixels.shape[2]), axis=0, return_inverse=True, return_counts=True
    )
    if len(colours) < 2:
        if not strict:
            raise UpstreamRaisesError("the picture has only one colour, so no second rarest one")
        return Score(0.0, "the picture has only one colour, so no triangle")
    by_count = np.argsort(counts)
    drawn = where != by_count[-1] if strict else where == by_count[1]
    middle = np.argwhere(drawn.reshape(pixels.shape[:2])).mean(axis=0)
    height, width = pixels.shape[:2]
    at = (float(middle[1]) / width, float(middle[0]) / height)
    reason = f"its centre is at {at[0]:.1%} of the width and {at[1]:.1%} of the height"
    if not strict:
        sides = np.array([height, width])
        near = bool(np.all(np.abs(middle - sides / 2) < TOLERANCE * sides))
        return Score(float(near), reason)
    return Score(float(all(abs(position - 0.5) < TOLERANCE for position in at)), reason)


@metric(
    repairs=(
        "Transparent pixels are not dark: upstream drops transparency, and the pixels under it are"
        " often black, so that a picture without text at the left can pass.",
    )
)
def check_textbox_on_leftside(result: Value, *, strict: bool) -> Score:
    """The first dark pixel from the left is within the first 5 % of the width."""
    actual = picture(result)
    grey: Array = np.asarray((on_white(actual) if strict else actual).convert("L"))
    columns = np.flatnonzero((grey < DARK).any(axis=0))
    width = grey.shape[1]
    first = int(columns[0]) if len(columns) else width
    wrong = [] if first < width * TOLERANCE else [f"the first dark column is {first} of {width}"]
    return verdict(wrong, f"the first dark column is {first} of {width}")


@metric(
    repairs=(
        "Pixels are addressed by row and column, and both pictures must have the same size:"
        " upstream swaps row and column, which checks the wrong pixels and runs outside the picture"
        " unless it is square.",
    )
)
def check_green_background(result: Value, expected: Path, *, strict: bool) -> Score:
    """Wherever the expected picture is not black, green is the largest colour component."""
    image, mask = picture(result), picture(expected)
    if strict:
        if image.size != mask.size:
            return Score(0.0, f"the picture is {image.size}, not {mask.size} (width, height)")
        actual, where = np.asarray(on_white(image)), np.asarray(mask.convert("RGB"))
        wrong = int(np.count_nonzero(where.any(axis=2) & ~_green(actual)))
        return Score(float(not wrong), f"{wrong} pixels of the background are not green")
    actual, where = np.asarray(image), np.asarray(mask)
    if where.ndim == 3 and not where[..., :3].any():
        actual = where  # a black picture selects no pixel of the other
    if min(actual.ndim, where.ndim) < 3 or min(actual.shape[2], where.shape[2]) < 3:
        raise UpstreamRaisesError("a picture does not have three colour channels")
    return _green_by_column(actual, where)


@metric(
    repairs=(
        "The text must occur as whole words: upstream also finds the text inside words, so that a "
        "picture with `tools` in it shows the command `ls`.",
    )
)
def compare_image_text(result: Value, expected: Text, *, strict: bool) -> Score:
    """The picture, which may be an X window dump, shows the text.

    It is recognised with tesseract. Upstream uses another program, so results may differ if a
    letter is unclear. Letters that look alike (l, L, I, 1, |; O, 0) count as the same.
    """
    image = window_dump(read_bytes(result)) or on_white(picture(result))
    read, target = (source.translate(LOOKALIKES) for source in (_read(image), expected["text"]))
    occurs = (
        re.search(rf"(?<!\w){re.escape(target)}(?!\w)", read) is not None
        if strict
        else target in read
    )
    return Score(float(occurs), f"the picture shows {shown(read)}; expected {shown(target)}")


def _read(image: Image.Image) -> str:
    grey = image.convert("L")
    if float(np.asarray(grey).mean()) < DARK:  # light on dark: a terminal
        grey = ImageOps.invert(grey)
    # Letters on a screen are small for text recognition.
    scale = min(3.0, 4000 / max(grey.size))
    grey = grey.resize((max(1, int(grey.width * scale)), max(1, int(grey.height * scale))))
    return " ".join(text_in(grey).split())


def _green(pixels: Array) -> NDArray[np.bool_]:
    red, green, blue = (pixels[..., channel] for channel in range(3))
    return (green > red) & (green > blue)


def _green_by_column(actual: Array, where: Array) -> Score:
    """Upstream's loop with row and column swapped, up to the first failure."""
    height, width = where.shape[:2]
    side = min(height, width)
    common = min(side, actual.shape[0]), min(side, actual.shape[1])
    right, wrong, outside = 0, 1, 2
    met = np.full((width, height), outside, dtype=np.uint8)
    background = np.asarray(where[:side, :side, :3].any(axis=2))
    met[:side, :side] = np.where(background, outside, right)
    within = background[: common[0], : common[1]]
    green = _green(actual[: common[0], : common[1]])
    met[: common[0], : common[1]] = np.where(within & ~green, wrong, right)
    first = np.flatnonzero(met)
    if len(first) and met.flat[first[0]] == outside:
        raise UpstreamRaisesError("the checked pixels are outside the picture")
    return Score(
        float(not len(first)), "a pixel of the background is not green" if len(first) else "green"
    )
