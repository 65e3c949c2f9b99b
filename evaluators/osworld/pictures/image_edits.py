"""Pictures that were edited: darker, more saturated, of more contrast, and otherwise unchanged."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
from PIL import Image, ImageStat
from pydantic import Field

from ambidex.evaluators import Score
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.pictures.images import SAME, SEEN
from ambidex.evaluators.osworld.pictures.pictures import differ, on_white, picture, structure
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.values import verdict

MIDDLE = 128
"""The brightness to which both pictures are brought before their light is compared."""
LOOSELY_SAME = 0.65


@metric(repairs=(SEEN,))
def check_brightness_decrease_and_structure_sim(
    result: Value,
    expected: Path,
    *,
    threshold: Annotated[float, Field(gt=0)] = 0.03,
    strict: bool,
) -> Score:
    """The picture is darker than the expected one (the original), and nothing else was changed.

    Both are brought to one brightness; then their mean squared difference is below `threshold`.
    Where a task asks for a brighter picture, it gives the original as the result.
    """
    edited, original = (
        on_white(each) if strict else each for each in map(picture, (result, expected))
    )
    dark, bright = _brightness(edited), _brightness(original)
    if dark == 0 or bright == 0:
        raise UpstreamRaisesError("a black picture cannot be brought to another brightness")
    one, other = _brought(edited, MIDDLE / dark), _brought(original, MIDDLE / bright)
    if not strict:
        if one.size != other.size:
            one = one.resize(other.size, Image.Resampling.LANCZOS)
        one, other = one.convert("RGB"), other.convert("RGB")
    found = differ(one, other)
    wrong = [] if dark < bright else [f"brightness {dark:.1f}, not below {bright:.1f}"]
    wrong += [] if found < threshold else [f"they differ by {found:.4f}, not below {threshold}"]
    return verdict(wrong, f"darker ({dark:.1f} from {bright:.1f}), and the same by {found:.4f}")


@metric(repairs=(SEEN,))
def check_saturation_increase_and_structure_sim(
    result: Value, expected: Path, *, strict: bool
) -> Score:
    """The colours are more saturated than those of the expected picture (the original).

    Hue and value of both have a structural similarity of 0.9 or more.
    """
    edited, original = (_coloured(file, strict=strict) for file in (result, expected))
    more, less = (ImageStat.Stat(side).mean[1] for side in (edited, original))
    wrong = [] if more > less else [f"saturation {more:.1f}, not above {less:.1f}"]
    for name, channel in (("hue", "H"), ("value", "V")):
        found = structure(edited.getchannel(channel), original.getchannel(channel))
        if found < SAME:
            wrong.append(f"{name} has a similarity of {found:.3f}, {SAME} is asked")
    return verdict(wrong, f"more saturated ({more:.1f} from {less:.1f}), otherwise the same")


@metric(
    repairs=(
        SEEN,
        "Contrast is that of the colours seen: upstream takes the numbers as they are stored, so a"
        " picture saved with an opaque alpha channel, or with a palette, gains contrast at once.",
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
    found = structure(actual, before)
    wrong = [] if more > less else [f"contrast {more:.1f}, not above {less:.1f}"]
    if found < LOOSELY_SAME:
        wrong.append(f"similarity {found:.3f}, {LOOSELY_SAME} is asked")
    return verdict(wrong, f"more contrast ({more:.1f} from {less:.1f}), similarity {found:.3f}")


def _coloured(given: Value, *, strict: bool) -> Image.Image:
    """Hue, saturation and value of a picture."""
    actual = on_white(picture(given)) if strict else picture(given)
    try:
        return actual.convert("HSV")
    except (KeyError, ValueError) as error:
        raise UpstreamRaisesError(f"a picture of the mode {actual.mode} has no hue") from error


def _brightness(image: Image.Image) -> float:
    return float(ImageStat.Stat(image.convert("L")).mean[0])


def _brought(image: Image.Image, factor: float) -> Image.Image:
    try:
        return image.point(lambda value: min(255, max(0, int(value * factor))))
    except (TypeError, ValueError) as error:
        raise UpstreamRaisesError(
            f"a picture of the mode {image.mode} cannot be made brighter"
        ) from error


def _spread(image: Image.Image) -> float:
    return float(np.std(np.asarray(image, dtype=np.float32)))
