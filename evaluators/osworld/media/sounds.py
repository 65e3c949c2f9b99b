"""Sounds and films that should be like others."""

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
"""Similarity from which two sounds count as the same."""
MOST_FRAMES = 100
FAR = 5
"""Bits by which the hashes of two frames of one film differ at most, and frames that may."""


@metric(
    repairs=(
        "Two files that cannot be read are not the same sound: upstream gives 1 to two such files.",
        "1 from a similarity of 0.95 on, else 0: upstream never draws a line, so any sound earns"
        " part of the score and a good copy hardly ever all of it.",
    )
)
def compare_audios(result: Value, expected: Path, *, strict: bool) -> Score:
    """How alike two sounds are, a fraction: exp(-d).

    d is the mean cosine distance of their Mel cepstra along the best alignment in time.
    """
    one, other = _sound_of(result), _sound_of(expected)
    if isinstance(one, str) and isinstance(other, str):
        return Score(float(not strict), f"neither can be read: {one}; {other}")
    if isinstance(one, str) or isinstance(other, str):
        return Score(0.0, f"one cannot be read: {one if isinstance(one, str) else other}")
    # Two that are the same to the sample need no arithmetic that could round them apart.
    same = np.array_equal(one, other)
    far = 0.0 if same else alignment_distance(cepstra(one, RATE), cepstra(other, RATE))
    found = float(np.exp(-far))
    return Score(float(found >= ALIKE) if strict else found, f"similarity {found:.3f}")


@metric(
    repairs=(
        "Two files that cannot be read are not the same film: upstream gives 1 to two such files.",
    )
)
def compare_videos(result: Value, expected: Path, *, strict: bool) -> Score:
    """Frame by frame the same film: of the first 100, at most 5 differ by more than 5 bits of a
    perceptual hash. Shorter films have the same number of frames."""
    one, other = _hashes(result), _hashes(expected)
    if isinstance(one, str) and isinstance(other, str):
        return Score(float(not strict), f"neither can be read: {one}; {other}")
    if isinstance(one, str) or isinstance(other, str):
        return Score(0.0, f"one cannot be read: {one if isinstance(one, str) else other}")
    unlike = 0
    for place, (first, second) in enumerate(zip_longest(one, other), 1):
        if first is None or second is None:
            return Score(0.0, f"one ends at frame {place}, the other goes on")
        unlike += first - second > FAR
        if unlike > FAR:
            return Score(0.0, f"more than {FAR} of the first {place} frames differ")
    return Score(1.0, f"the first {len(one)} frames are alike")


def _sound_of(given: Value) -> NDArray[np.float32] | str:
    """The samples, or why there are none."""
    try:
        return sound(given)
    except UnreadableError as unreadable:
        return str(unreadable)


def _hashes(given: Value) -> list[imagehash.ImageHash] | str:
    """The hashes of the first frames, or why there are none."""
    try:
        found = [imagehash.phash(frame) for frame in frames(given, MOST_FRAMES)]
    except UnreadableError as unreadable:
        return str(unreadable)
    return found or "no frame can be decoded"
