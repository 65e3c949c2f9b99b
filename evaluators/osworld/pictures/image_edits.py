"""Metrics on edited pictures: darker, more saturated or with more contrast, else unchanged."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
from PIL import Image, ImageStat
from pydantic import Field

from ambidex.evaluators import Score
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.pictures.images import AS_DISPLAYED, SAME
from ambidex.evaluators.osworld.pictures.pictures import differ, on_white, picture, structure
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.values import verdict

MIDDLE = 128
"""The brightness to which both pictures are scaled before they are compared."""
LOOSELY_SAME = 0.65


@metric(repairs=(AS_DISPLAYED,))
def check_brightness_decrease_and_structure_sim(
    result: Value,
    expected: Path,
    *,
    threshold: Annotated[float, Field(gt=0)] = 0.03,
    strict: bool,
) -> Score:
    """The picture is darker than the expected one (the original) and otherwise unchanged.

    After both are scaled to the same brightness, their mean squared difference is below
    `threshold`. Tasks that ask for a brighter picture pass the original as the result.
    """
    edited, original = (
        on_white(image) if strict else image for image in map(picture, (result, expected))
    )
    dark, bright = _brightness(edited), _brightness(original)
    if dark == 0 or bright == 0:
        raise UpstreamRaisesError("a black picture cannot be scaled to another brightness")
    one, other = (
        _scale_brightness(edited, MIDDLE / dark),
        _scale_brightness(original, MIDDLE / bright),
    )
    if not strict:
        if one.size != other.size:
            one = one.resize(other.size, Image.Resampling.LANCZOS)
        one, other = one.convert("RGB"), other.convert("RGB")
    difference = differ(one, other)
    wrong = [] if dark < bright else [f"brightness {dark:.1f}, not below {bright:.1f}"]
    wrong += (
        []
        if difference < threshold
        else [f"the difference is {difference:.4f}, not below {threshold}"]
    )
    return verdict(wrong, f"darker ({dark:.1f} from {bright:.1f}), difference {difference:.4f}")


@metric(repairs=(AS_DISPLAYED,))
def check_saturation_increase_and_structure_sim(
    result: Value, expected: Path, *, strict: bool
) -> Score:
    """The picture is more saturated than the expected one (the original).

    The structural similarity of their hue and value is 0.9 or more.
    """
    edited, original = (_coloured(file, strict=strict) for file in (result, expected))
    more, less = (ImageStat.Stat(side).mean[1] for side in (edited, original))
    wrong = [] if more > less else [f"saturation {more:.1f}, not above {less:.1f}"]
    for name, channel in (("hue", "H"), ("value", "V")):
        similarity = structure(edited.getchannel(channel), original.getchannel(channel))
        if similarity < SAME:
            wrong.append(f"{name} has a similarity of {similarity:.3f}, at least {SAME} expected")
    return verdict(wrong, f"more saturated ({more:.1f} from {less:.1f}), otherwise the same")


@metric(
    repairs=(
        AS_DISPLAYED,
        "Contrast is that of the displayed colours: upstream uses the stored numbers, so that a"
        " picture gains contrast if it is saved with an opaque alpha channel or a palette.",
    )
)
def check_contrast_increase_and_structure_sim(
    result: Value, expected: Path, *, strict: bool
) -> Score:
    """The picture has more contrast (standard deviation) than the expected one (the original).

    Their structural similarity is 0.65 or more.
    """
    edited, original = picture(result), picture(expected)
    actual, before = (on_white(side, strict=strict) for side in (edited, original))
    more, less = (
        (_spread(actual), _spread(before)) if strict else (_spread(edited), _spread(original))
    )
    similarity = structure(actual, before)
    wrong = [] if more > less else [f"contrast {more:.1f}, not above {less:.1f}"]
    if similarity < LOOSELY_SAME:
        wrong.append(f"similarity {similarity:.3f}, at least {LOOSELY_SAME} expected")
    return verdict(
        wrong, f"more contrast ({more:.1f} from {less:.1f}), similarity {similarity:.3f}"
    )


def _coloured(value: Value, *, strict: bool) -> Image.Image:
    """Convert a picture to HSV."""
    actual = on_white(picture(value)) if strict else picture(value)
    try:
        return actual.convert("HSV")
    except (KeyError, ValueError) as error:
        raise UpstreamRaisesError(
            f"a picture in mode {actual.mode} cannot be converted to HSV"
        ) from error


def _brightness(image: Image.Image) -> float:
    return float(ImageStat.Stat(image.convert("L")).mean[0])


def _scale_brightness(image: Image.Image, factor: float) -> Image.Image:
    try:
        return image.point(lambda value: min(255, max(0, int(value * factor))))
    except (TypeError, ValueError) as error:
        raise UpstreamRaisesError(
            f"a picture in mode {image.mode} cannot be scaled in brightness"
        ) from error


def _spread(image: Image.Image) -> float:
    return float(np.std(np.asarray(image, dtype=np.float32)))
