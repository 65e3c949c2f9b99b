"""Pictures that should look like another: the whole of it, by structure or pixel by pixel."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from PIL import Image, ImageChops
from pydantic import Field

from ambidex.evaluators import Score
from ambidex.evaluators.osworld import AnyScore, Value
from ambidex.evaluators.osworld.answers import is_there
from ambidex.evaluators.osworld.pictures.pictures import WINDOW, on_white, picture, structure
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric

Share = Annotated[float, Field(ge=0, le=1)]
SAME = 0.9
"""Structural similarity from which two pictures count as the same."""
MARGIN = 0.01
"""By this much a picture must be nearer than the reference, to be worth anything."""
SEEN = (
    "Transparency counts as it is shown, on white: upstream drops transparency, so what lies under"
    " transparent pixels decides, and a background that was not removed can pass."
)


@metric(
    repairs=(
        "1 from a similarity of 0.9 on, else 0: upstream never draws a line, so an unrelated"
        " picture earns part of the score and a good copy hardly ever all of it, and a picture"
        " turned to its opposite less than nothing.",
        SEEN,
    )
)
def compare_images(
    result: Value, expected: Path, *, reference_base_result: Share | None = None, strict: bool
) -> Score:
    """Structural similarity in grey, at the size of the narrower picture; a fraction.

    `reference_base_result` is what a picture has that the task was not done to: it is worth 0, and
    what lies above it is stretched to 0…1.
    """
    one, other = (
        (on_white(each) if strict else each).convert("L")
        for each in map(picture, (result, expected))
    )
    size = min(one.size, other.size)
    if min(size) < WINDOW:
        raise UpstreamRaisesError("the pictures are smaller than what is compared at a time")
    one, other = (side.resize(size, Image.Resampling.LANCZOS) for side in (one, other))
    found = structure(one, other)
    reason = f"similarity {found:.3f}"
    base = reference_base_result
    if base is not None and (found < base + MARGIN or base == 1):
        return Score(0.0, f"{reason}, no nearer than the reference ({base})")
    if strict:
        return Score(float(found >= SAME), f"{reason}, {SAME} is asked")
    worth = found if base is None else (found - base) / (1 - base)
    return AnyScore(worth, reason)


@metric(
    repairs=(
        "Both lists are of one length: upstream looks at pairs as long as the shorter list lasts.",
        "Colours of pictures with transparency are compared: where there is transparency,"
        " upstream looks at it alone, so any two opaque pictures are the same.",
    )
)
def compare_image_list(result: Value, expected: Value, *, strict: bool) -> Score:
    """Each picture is, pixel by pixel, the expected one of its place, in that one's size and mode.

    One picture may be given instead of a list.
    """
    if not strict and isinstance(result, list) is not isinstance(expected, list):
        raise UpstreamRaisesError("one picture cannot be compared with several")
    ones = result if isinstance(result, list) else [result]
    others = expected if isinstance(expected, list) else [expected]
    if strict and len(ones) != len(others):
        return Score(0.0, f"{len(ones)} pictures instead of {len(others)}")
    for place, (one, other) in enumerate(zip(ones, others, strict=False), 1):
        if one is None or other is None:
            return Score(0.0, f"picture {place} was not collected")
        target = picture(other)
        actual = picture(one)
        if actual.size != target.size:
            actual = actual.resize(target.size, None if strict else Image.Resampling.LANCZOS)
        if actual.mode != target.mode:
            actual = actual.convert(target.mode)
        if strict and target.mode == "P":  # numbers of a palette mean nothing without it
            actual, target = actual.convert("RGBA"), target.convert("RGBA")
        try:
            difference = ImageChops.difference(actual, target)
        except ValueError as error:
            raise UpstreamRaisesError(
                f"pictures of the mode {target.mode} cannot be compared"
            ) from error
        if difference.getbbox(alpha_only=not strict):
            return Score(0.0, f"picture {place} differs")
    return Score(1.0, f"all {len(ones)} pictures are the same")


@metric(repairs=(SEEN,))
def check_structure_sim(result: Value, expected: Path, *, strict: bool) -> Score:
    """The picture has the size of the expected one and a structural similarity of 0.9 or more."""
    return like(picture(result), picture(expected), strict=strict)


@metric(repairs=(SEEN,))
def check_file_exists_and_structure_sim(result: Value, expected: Path, *, strict: bool) -> Score:
    """The picture was exported, and is in size and structure (0.9) the expected one."""
    if not is_there(result):
        return Score(0.0, "the picture was not exported")
    return like(picture(result), picture(expected), strict=strict)


@metric(repairs=(SEEN,))
def check_structure_sim_with_threshold(
    result: Value, expected: Path, *, ssim_threshold: Share = 0.85, strict: bool
) -> Score:
    """The picture, scaled to the size of the expected one, has at least this similarity to it."""
    one, other = picture(result), picture(expected)
    if one.size != other.size:
        one = one.resize(other.size, Image.Resampling.LANCZOS)
    least = WINDOW if strict else min(WINDOW, (min(other.size) - 1) // 2 * 2 + 1)
    return like(one, other, ssim_threshold, window=least, strict=strict)


@metric(
    repairs=(
        SEEN,
        "The visible part has the shape (width to height) of the expected picture, to within 2 %:"
        " upstream stretches the visible part to fit, so a squeezed picture passes.",
    )
)
def check_structure_sim_resized(result: Value, expected: Path, *, strict: bool) -> Score:
    """What is visible of the picture, scaled to the size of the expected one, looks like it."""
    one, other = picture(result), picture(expected)
    veiled = one.has_transparency_data
    if veiled:
        box = one.convert("RGBA").getchannel("A").getbbox()
        if box is None:
            return Score(0.0, "the picture is transparent all over")
        one = one.convert("RGBA").crop(box)
    if strict and abs(one.width / one.height / (other.width / other.height) - 1) > 0.02:
        return Score(0.0, f"{one.width}x{one.height} has another shape than the expected picture")
    # Upstream scales a picture with a palette as it is stored.
    actual = (on_white(one, strict=strict) if strict or veiled else one).resize(other.size)
    return like(actual, other, strict=strict)


@metric(repairs=(SEEN,))
def check_image_mirror(result: Value, expected: Path, *, strict: bool) -> Score:
    """The picture is the expected one with left and right exchanged (similarity 0.99 or more)."""
    turned = picture(result).transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return like(turned, picture(expected), 0.99, strict=strict)


@metric(
    repairs=(
        SEEN,
        "Without a picture to compare with the palette alone counts: upstream gives 0.",
    )
)
def check_palette_and_structure_sim(
    result: Value, expected: Path | None = None, *, strict: bool
) -> Score:
    """The picture has a palette, and looks like the expected one (0.9) if there is one."""
    one = picture(result)
    if expected is None and not strict:
        return Score(0.0, "there is no picture to compare with")
    if one.mode != "P":
        return Score(0.0, f"the picture has no palette, its mode is {one.mode}")
    if expected is None:
        return Score(1.0, "the picture has a palette")
    return like(one, picture(expected), strict=strict)


def like(
    one: Image.Image,
    other: Image.Image,
    least: float = SAME,
    *,
    window: int = WINDOW,
    strict: bool = True,
) -> Score:
    """Whether two pictures of one size have this structural similarity."""
    if one.size != other.size:
        sizes = (f"{side.width}x{side.height}" for side in (one, other))
        return Score(0.0, f"{' is not '.join(sizes)}")
    found = structure(on_white(one, strict=strict), on_white(other, strict=strict), window=window)
    return Score(float(found >= least), f"similarity {found:.3f}, {least} is asked")
