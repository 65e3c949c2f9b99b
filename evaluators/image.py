"""Evaluators of pictures: size and similarity."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from pydantic import Field

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.bounded import open_picture
from ambidex.evaluators.evidence import read
from ambidex.evaluators.registry import EvidenceName, TaskFile, evaluator
from ambidex.evaluators.values import verdict

FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF")
MOST_PIXELS = 40_000_000
Share = Annotated[float, Field(ge=0, le=1)]


@evaluator
def size_equals(evidence: Path, *, file: EvidenceName, width: int, height: int) -> Score:
    """The picture is this many pixels wide and high."""
    picture = _picture(read(evidence, file), file)
    tall, wide = picture.shape[:2]
    wrong = [] if (wide, tall) == (width, height) else [f"{wide}x{tall}, not {width}x{height}"]
    return verdict(wrong, f"{file} is {width}x{height}")


@evaluator
def similar(
    evidence: Path, *, file: EvidenceName, expected: TaskFile, at_least: Share = 0.95
) -> Score:
    """The picture looks like a picture of the task: their structural similarity is at least this.

    Identical pictures have 1. A picture of another size is scaled first; one whose aspect ratio
    differs by more than 2 % scores 0.
    """
    picture = _picture(read(evidence, file), file)
    reference = _picture(expected.read_bytes(), expected.name)
    if (
        abs(picture.shape[1] / picture.shape[0] / (reference.shape[1] / reference.shape[0]) - 1)
        > 0.02
    ):
        return Score(0.0, f"{file} has another aspect ratio than {expected.name}")
    height, width = reference.shape[:2]
    picture = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA).astype(np.uint8)
    # The worst channel counts, so that pictures which differ only in colour are told apart.
    similarity = min(
        _structure(picture[..., channel], reference[..., channel]) for channel in range(3)
    )
    wrong = [] if similarity >= at_least else [f"similarity is {similarity:.3f}, not {at_least}"]
    return verdict(wrong, f"{file} looks like {expected.name} ({similarity:.3f})")


@evaluator
def shows(evidence: Path, *, file: EvidenceName, part: TaskFile, at_least: Share = 0.95) -> Score:
    """The picture contains a smaller picture of the task, at its original size."""
    picture = _picture(read(evidence, file), file)
    pattern = _picture(part.read_bytes(), part.name)
    if any(pattern.shape[axis] > picture.shape[axis] for axis in (0, 1)):
        return Score(0.0, f"{file} is smaller than {part.name}")
    distance = cv2.matchTemplate(picture, pattern, cv2.TM_SQDIFF_NORMED).min()
    similarity = 1.0 - float(distance)
    wrong = (
        [] if similarity >= at_least else [f"the best match is {similarity:.3f}, not {at_least}"]
    )
    return verdict(wrong, f"{file} shows {part.name} ({similarity:.3f})")


def _picture(content: bytes, name: str) -> NDArray[np.uint8]:
    """Decode a picture to RGB, shape (height, width, 3), with transparency on white."""
    try:
        with open_picture(content, formats=FORMATS, pixels=MOST_PIXELS) as image:
            picture = image.convert("RGBA")
        white = Image.new("RGBA", picture.size, "white")
        return np.asarray(Image.alpha_composite(white, picture).convert("RGB"))
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise UnreadableError(f"{name} is not a readable picture: {error}") from error


def _structure(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """Mean structural similarity (Wang et al. 2004: 11x11 Gaussian windows, K 0.01 and 0.03)."""
    first, second = one.astype(np.float32), other.astype(np.float32)

    def mean(plane: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(cv2.GaussianBlur(plane, (11, 11), 1.5), dtype=np.float32)

    mean_1, mean_2 = mean(first), mean(second)
    spread_1 = mean(first * first) - mean_1 * mean_1
    spread_2 = mean(second * second) - mean_2 * mean_2
    common = mean(first * second) - mean_1 * mean_2
    small, large = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    over = (2 * mean_1 * mean_2 + small) * (2 * common + large)
    under = (mean_1**2 + mean_2**2 + small) * (spread_1 + spread_2 + large)
    return float(np.mean(over / under))
