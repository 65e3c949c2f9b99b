"""Single pictures: how large they are, what stands where in them, and what is written in them."""

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
from ambidex.evaluators.osworld.given import held
from ambidex.evaluators.osworld.pictures.pictures import head, on_white, picture, window_dump
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.values import shown, verdict

Array = NDArray[np.uint8]
DARK = 128
NEAR = 0.05
"""A place counts within this share of the picture's size."""
ALIKE = str.maketrans("LI1|0", "llllO")
"""Letters that look alike on a screen and that any reader takes for each other: l, L, I, 1, |."""


class Size(TypedDict):
    """What a picture should measure, in pixels; a side that is not named does not count."""

    width: NotRequired[Any]
    height: NotRequired[Any]
    ignore_transparent: NotRequired[Any]


class Weight(TypedDict):
    """What a file may weigh."""

    max_size: Annotated[float, Strict()] | bool


class Text(TypedDict):
    """What should be written in a picture."""

    type: Literal["text"]
    text: str


@metric(
    repairs=(
        "The visible part counts only where the task says so: upstream looks at it in every picture"
        " that names a transparent colour.",
        "The picture can be read: upstream reads its head alone.",
    )
)
def check_image_size(result: Value, expected: Size, *, strict: bool) -> Score:
    """The picture is this wide and high; with `ignore_transparent`, its visible part is."""
    ignored = bool(expected.get("ignore_transparent"))
    (width, height), mode, named = head(result)
    if strict:
        actual = picture(result)
        cropped = ignored and actual.has_transparency_data
    else:
        cropped = (ignored and mode in {"RGBA", "LA"}) or named
    if cropped:
        image = picture(result)
        box = image.convert("RGBA").getchannel("A").getbbox() or (0, 0, 0, 0)
        width, height = box[2] - box[0], box[3] - box[1]
    asked = ("width", width, expected.get("width")), ("height", height, expected.get("height"))
    wrong = [
        f"{name} is {actual}, not {target}"
        for name, actual, target in asked
        if target is not None and actual != target
    ]
    return verdict(wrong, f"the picture is {width}x{height}")


@metric(
    repairs=(
        "The file is a readable picture: upstream looks at the number of bytes alone, so an empty"
        " file is a well compressed picture.",
    )
)
def check_image_file_size(result: Value, expected: Weight, *, strict: bool) -> Score:
    """The file has fewer bytes than `max_size`."""
    size, most = len(held(result)), expected["max_size"]
    if strict:
        picture(result)
    wrong = [] if size < most else [f"{size} bytes, not below {most}"]
    return verdict(wrong, f"{size} bytes, below {most}")


@metric(
    repairs=(
        "The triangle is all that has not the commonest colour: upstream takes the second rarest"
        " colour, which with two colours is the background itself, always near the middle, and"
        " with smooth edges is a shade of the edge.",
    )
)
def check_triangle_position(result: Value, *, strict: bool) -> Score:
    """The middle of the triangle is within 5 % of the middle of the picture, both ways."""
    image = picture(result)
    pixels: Array = np.asarray(on_white(image) if strict else image)
    if pixels.ndim != 3:
        raise UpstreamRaisesError("a picture of one channel has no colours to count")
    colours, where, counts = np.unique(
        pixels.reshape(-1, pixels.shape[2]), axis=0, return_inverse=True, return_counts=True
    )
    if len(colours) < 2:
        if not strict:
            raise UpstreamRaisesError("the picture has one colour, there is no second rarest")
        return Score(0.0, "the picture has one colour: there is no triangle")
    by_count = np.argsort(counts)
    drawn = where != by_count[-1] if strict else where == by_count[1]
    middle = np.argwhere(drawn.reshape(pixels.shape[:2])).mean(axis=0)
    height, width = pixels.shape[:2]
    at = (float(middle[1]) / width, float(middle[0]) / height)
    reason = f"its middle is at {at[0]:.1%} of the width and {at[1]:.1%} of the height"
    if not strict:
        sides = np.array([height, width])
        near = bool(np.all(np.abs(middle - sides / 2) < NEAR * sides))
        return Score(float(near), reason)
    return Score(float(all(abs(each - 0.5) < NEAR for each in at)), reason)


@metric(
    repairs=(
        "Transparent pixels are not dark: upstream drops transparency, and what lies under it is"
        " often black, so a picture without any text at the left can pass.",
    )
)
def check_textbox_on_leftside(result: Value, *, strict: bool) -> Score:
    """The first dark pixel from the left is within the first 5 % of the width."""
    actual = picture(result)
    grey: Array = np.asarray((on_white(actual) if strict else actual).convert("L"))
    columns = np.flatnonzero((grey < DARK).any(axis=0))
    width = grey.shape[1]
    first = int(columns[0]) if len(columns) else width
    wrong = [] if first < width * NEAR else [f"the first dark column is {first} of {width}"]
    return verdict(wrong, f"dark from column {first} of {width} on")


@metric(
    repairs=(
        "Pixels are addressed by row and column, and both pictures have one size: upstream takes"
        " the column for the row, which looks at the wrong pixels and ends outside the picture"
        " unless it is square.",
    )
)
def check_green_background(result: Value, expected: Path, *, strict: bool) -> Score:
    """Wherever the expected picture is not black, green is the largest part of the colour."""
    image, mask = picture(result), picture(expected)
    if strict:
        if image.size != mask.size:
            return Score(0.0, f"the picture is {image.size}, not {mask.size} (width, height)")
        actual, where = np.asarray(on_white(image)), np.asarray(mask.convert("RGB"))
        wrong = int(np.count_nonzero(where.any(axis=2) & ~_green(actual)))
        return Score(float(not wrong), f"{wrong} pixels of the background are not green")
    actual, where = np.asarray(image), np.asarray(mask)
    if where.ndim == 3 and not where[..., :3].any():
        actual = where  # a picture that is all black names no pixel of the other
    if min(actual.ndim, where.ndim) < 3 or min(actual.shape[2], where.shape[2]) < 3:
        raise UpstreamRaisesError("a picture has no three colours")
    return _green_by_column(actual, where)


@metric(
    repairs=(
        "The text stands there as words: upstream finds a text inside words too, so a picture"
        " with `tools` in it shows the command `ls`.",
    )
)
def compare_image_text(result: Value, expected: Text, *, strict: bool) -> Score:
    """The text can be read in the picture, which may be an X window dump.

    It is read with tesseract; upstream reads with another program, so the two may part where a
    letter is unclear. Letters that look alike (l, L, I, 1, |; O, 0) count as one.
    """
    image = window_dump(held(result)) or on_white(picture(result))
    read, target = (each.translate(ALIKE) for each in (_read(image), expected["text"]))
    found = (
        re.search(rf"(?<!\w){re.escape(target)}(?!\w)", read) is not None
        if strict
        else target in read
    )
    return Score(float(found), f"the picture says {shown(read)}, {shown(target)} is asked")


def _read(image: Image.Image) -> str:
    grey = image.convert("L")
    if float(np.asarray(grey).mean()) < DARK:  # light on dark: a terminal
        grey = ImageOps.invert(grey)
    # Letters of a screen are small for a reader of print.
    scale = min(3.0, 4000 / max(grey.size))
    grey = grey.resize((max(1, int(grey.width * scale)), max(1, int(grey.height * scale))))
    return " ".join(text_in(grey).split())


def _green(pixels: Array) -> NDArray[np.bool_]:
    red, green, blue = (pixels[..., each] for each in range(3))
    return (green > red) & (green > blue)


def _green_by_column(actual: Array, where: Array) -> Score:
    """Upstream's walk: the index of a column taken for that of a row, to the first failure."""
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
        raise UpstreamRaisesError("the pixels looked at lie outside the picture")
    return Score(
        float(not len(first)), "a pixel of the background is not green" if len(first) else "green"
    )
