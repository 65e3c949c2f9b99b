"""Metrics that compare audio and video files."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import imagehash
import numpy as np
from numpy.typing import NDArray

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.media.media import RATE, frames, sound
from ambidex.evaluators.osworld.media.sound_features import alignment_distance, cepstra
from ambidex.evaluators.osworld.registry import metric

ALIKE = 0.95
"""Minimum similarity of two sounds that count as the same."""
MOST_FRAMES = 100
FAR = 5
"""Maximum number of differing bits in the hashes of two equal frames, and of differing frames."""


@metric(
    repairs=(
        "Two unreadable files are not the same sound: upstream scores such a pair 1.",
        "The score is 1 from a similarity of 0.95, else 0: upstream has no threshold, so that any"
        " sound earns part of the score and a good copy hardly ever all of it.",
    )
)
def compare_audios(result: Value, expected: Path, *, strict: bool) -> Score:
    """The similarity of two sounds, exp(-d).

    d is the mean cosine distance of their mel cepstra along the best alignment in time.
    """
    one, other = _sound_of(result), _sound_of(expected)
    if isinstance(one, str) and isinstance(other, str):
        return Score(float(not strict), f"both are unreadable: {one}; {other}")
    if isinstance(one, str) or isinstance(other, str):
        return Score(0.0, f"one is unreadable: {one if isinstance(one, str) else other}")
    # Skip the arithmetic for identical samples, since rounding could make a difference.
    same = np.array_equal(one, other)
    distance = 0.0 if same else alignment_distance(cepstra(one, RATE), cepstra(other, RATE))
    similarity = float(np.exp(-distance))
    return Score(
        float(similarity >= ALIKE) if strict else similarity, f"similarity {similarity:.3f}"
    )


@metric(repairs=("Two unreadable files are not the same video: upstream scores such a pair 1.",))
def compare_videos(result: Value, expected: Path, *, strict: bool) -> Score:
    """Two videos are the same frame by frame: of the first 100 frames, at most 5 differ by more
    than 5 bits of a perceptual hash. Shorter videos must have the same number of frames."""
    one, other = _hashes(result), _hashes(expected)
    if isinstance(one, str) and isinstance(other, str):
        return Score(float(not strict), f"both are unreadable: {one}; {other}")
    if isinstance(one, str) or isinstance(other, str):
        return Score(0.0, f"one is unreadable: {one if isinstance(one, str) else other}")
    differing = 0
    for place, (first, second) in enumerate(zip_longest(one, other), 1):
        if first is None or second is None:
            return Score(0.0, f"one ends at frame {place}, the other continues")
        differing += first - second > FAR
        if differing > FAR:
            return Score(0.0, f"more than {FAR} of the first {place} frames differ")
    return Score(1.0, f"the first {len(one)} frames are alike")


def _sound_of(value: Value) -> NDArray[np.float32] | str:
    """The samples, or why there are none."""
    try:
        return sound(value)
    except UnreadableError as unreadable:
        return str(unreadable)


def _hashes(value: Value) -> list[imagehash.ImageHash] | str:
    """The hashes of the first frames, or why there are none."""
    try:
        found = [imagehash.phash(frame) for frame in frames(value, MOST_FRAMES)]
    except UnreadableError as unreadable:
        return str(unreadable)
    return found or "no frame can be decoded"
