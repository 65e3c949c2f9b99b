"""Where two episodes with the same actions diverge, by comparing their screens after each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np

from ambidex.host.records.frame_files import difference, read_frame
from ambidex.host.records.trajectory import FRAMES, read_trajectory

__all__ = ["SAME", "StepComparison", "compare_episodes", "first_difference"]

SAME = 0.002
"""Largest share of differing pixels at which two screens count as equal (a clock, a caret)."""


@dataclass(frozen=True)
class StepComparison:
    """The screens of two episodes after the same step, compared."""

    step: int
    done: str
    """The calls of the first episode in this step."""
    share: float | None
    """Share of the pixels that differ; None if one of the episodes has no such screen."""
    box: tuple[int, int, int, int] | None = None
    """Bounding box of the difference: left, top, right, bottom in pixels."""

    @property
    def same(self) -> bool:
        """Whether at most `SAME` of the pixels differ."""
        return self.share is not None and self.share <= SAME


def compare_episodes(one: Path, other: Path) -> list[StepComparison]:
    """Compare the episodes in two directories step by step."""
    comparisons = []
    for number, (ours, theirs) in enumerate(zip_longest(_screens(one), _screens(other)), 1):
        done = (ours or theirs or ("", ""))[0]
        if ours is None or theirs is None or not ours[1] or not theirs[1]:
            if not (ours and theirs and ours[1] == theirs[1] == ""):
                comparisons.append(StepComparison(number, done, None))
            continue
        comparisons.append(_compare(number, done, (one, ours[1]), (other, theirs[1])))
    return comparisons


def first_difference(comparisons: Sequence[StepComparison]) -> StepComparison | None:
    """The first step after which the screens differ, if any."""
    return next((comparison for comparison in comparisons if not comparison.same), None)


def _screens(folder: Path) -> list[tuple[str, str]]:
    """The calls of each step, and the name of the frame after it: empty if there is none."""
    return [
        (", ".join(call["name"] for call in line["decision"]["calls"]) or "nothing", line["after"])
        for line in read_trajectory(folder)
        if line["kind"] == "step"
    ]


def _compare(
    number: int, done: str, one: tuple[Path, str], other: tuple[Path, str]
) -> StepComparison:
    if one[1] == other[1]:
        return StepComparison(number, done, 0.0)
    a, b = (np.asarray(read_frame(folder / FRAMES, name)) for folder, name in (one, other))
    if a.shape != b.shape:
        return StepComparison(number, done, 1.0)
    share, box = difference(a, b) or (0.0, None)
    return StepComparison(number, done, share, box)
