"""Metrics that compare whole pictures, by structure or pixel by pixel."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from PIL import Image, ImageChops
from pydantic import Field

from ambidex.evaluators import Score
from ambidex.evaluators.osworld import UnboundedScore, Value
from ambidex.evaluators.osworld.answers import is_there
from ambidex.evaluators.osworld.pictures.pictures import WINDOW, on_white, picture, structure
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric

Share = Annotated[float, Field(ge=0, le=1)]
SAME = 0.9
"""Minimum structural similarity of two pictures that count as the same."""
MARGIN = 0.01
"""A picture must exceed the reference's similarity by this much to score above 0."""
AS_DISPLAYED = (
    "Transparent pixels count as displayed on white: upstream drops transparency, so that the"
    " hidden pixels decide, and a background that was not removed can pass."
)


@metric(
    repairs=(
        "The score is 1 from a similarity of 0.9, else 0: upstream has no threshold, so that an"
        " unrelated picture earns part of the score, a good copy hardly ever all of it, and an"
        " inverted picture less than 0.",
        AS_DISPLAYED,
    )
)
def compare_images(
    result: Value, expected: Path, *, reference_base_result: Share | None = None, strict: bool
) -> Score:
    """The structural similarity in grey, at the size of the narrower picture.

    `reference_base_result` is the similarity of the unedited picture: it scores 0, and the range
    above it is mapped to 0…1.
    """
    one, other = (
        (on_white(image) if strict else image).convert("L")
        for image in map(picture, (result, expected))
    )
    size = min(one.size, other.size)
    if min(size) < WINDOW:
        raise UpstreamRaisesError("the pictures are smaller than the comparison window")
    one, other = (side.resize(size, Image.Resampling.LANCZOS) for side in (one, other))
    similarity = structure(one, other)
    reason = f"similarity {similarity:.3f}"
    base = reference_base_result
    if base is not None and (similarity < base + MARGIN or base == 1):
        return Score(0.0, f"{reason}, not above the reference ({base})")
    if strict:
        return Score(float(similarity >= SAME), f"{reason}, at least {SAME} expected")
    score = similarity if base is None else (similarity - base) / (1 - base)
    return UnboundedScore(score, reason)


@metric(
    repairs=(
        "Both lists must have the same length: upstream stops at the end of the shorter one.",
        "The colours of pictures with an alpha channel are compared: upstream compares only the"
        " alpha channel, so that any two opaque pictures are the same.",
    )
)
def compare_image_list(result: Value, expected: Value, *, strict: bool) -> Score:
    """Each picture equals its counterpart pixel by pixel, after conversion to its size and mode.

    A single picture may be given instead of a list.
    """
    if not strict and isinstance(result, list) is not isinstance(expected, list):
        raise UpstreamRaisesError("one picture cannot be compared with a list")
    ones = result if isinstance(result, list) else [result]
    others = expected if isinstance(expected, list) else [expected]
    if strict and len(ones) != len(others):
        return Score(0.0, f"there are {len(ones)} pictures, not {len(others)}")
    for place, (one, other) in enumerate(zip(ones, others, strict=False), 1):
        if one is None or other is None:
            return Score(0.0, f"picture {place} was not collected")
        target = picture(other)
        actual = picture(one)
        if actual.size != target.size:
            actual = actual.resize(target.size, None if strict else Image.Resampling.LANCZOS)
        if actual.mode != target.mode:
            actual = actual.convert(target.mode)
        if strict and target.mode == "P":  # palette indices are not comparable
            actual, target = actual.convert("RGBA"), target.convert("RGBA")
        try:
            difference = ImageChops.difference(actual, target)
        except ValueError as error:
            raise UpstreamRaisesError(
                f"pictures in mode {target.mode} cannot be compared"
            ) from error
        if difference.getbbox(alpha_only=not strict):
            return Score(0.0, f"picture {place} differs")
    return Score(1.0, f"all {len(ones)} pictures are the same")


@metric(repairs=(AS_DISPLAYED,))
def check_structure_sim(result: Value, expected: Path, *, strict: bool) -> Score:
    """The picture has the size of the expected one and a structural similarity of 0.9 or more."""
    return like(picture(result), picture(expected), strict=strict)


@metric(repairs=(AS_DISPLAYED,))
def check_file_exists_and_structure_sim(result: Value, expected: Path, *, strict: bool) -> Score:
    """The picture was exported, with the size of the expected one and a similarity of 0.9 or
    more."""
    if not is_there(result):
        return Score(0.0, "the picture was not exported")
    return like(picture(result), picture(expected), strict=strict)


@metric(repairs=(AS_DISPLAYED,))
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
        AS_DISPLAYED,
        "The visible part must have the aspect ratio of the expected picture, to within 2 %:"
        " upstream stretches the visible part to fit, so that a squeezed picture passes.",
    )
)
def check_structure_sim_resized(result: Value, expected: Path, *, strict: bool) -> Score:
    """The visible part of the picture, scaled to the size of the expected one, looks like it."""
    one, other = picture(result), picture(expected)
    transparent = one.has_transparency_data
    if transparent:
        box = one.convert("RGBA").getchannel("A").getbbox()
        if box is None:
            return Score(0.0, "the picture is completely transparent")
        one = one.convert("RGBA").crop(box)
    if strict and abs(one.width / one.height / (other.width / other.height) - 1) > 0.02:
        return Score(
            0.0, f"{one.width}x{one.height} has another aspect ratio than the expected picture"
        )
    # Upstream scales the palette indices of a picture with a palette.
    actual = (on_white(one, strict=strict) if strict or transparent else one).resize(other.size)
    return like(actual, other, strict=strict)


@metric(repairs=(AS_DISPLAYED,))
def check_image_mirror(result: Value, expected: Path, *, strict: bool) -> Score:
    """The picture is the mirror image of the expected one (similarity 0.99 or more)."""
    mirrored = picture(result).transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return like(mirrored, picture(expected), 0.99, strict=strict)


@metric(
    repairs=(
        AS_DISPLAYED,
        "Without a picture to compare with, only the palette counts: upstream scores 0 then.",
    )
)
def check_palette_and_structure_sim(
    result: Value, expected: Path | None = None, *, strict: bool
) -> Score:
    """The picture has a palette and a similarity of 0.9 or more to the expected one, if given."""
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
    """Score 1 if two pictures of the same size have at least this structural similarity."""
    if one.size != other.size:
        sizes = (f"{side.width}x{side.height}" for side in (one, other))
        return Score(0.0, f"{' is not '.join(sizes)}")
    similarity = structure(
        on_white(one, strict=strict), on_white(other, strict=strict), window=window
    )
    return Score(
        float(similarity >= least), f"similarity {similarity:.3f}, at least {least} expected"
    )
