"""Where two episodes that did the same part: their screens after each step, compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np

from ambidex.host.records.frame_files import difference, read_frame
from ambidex.host.records.trajectory import FRAMES, read_trajectory

__all__ = ["SAME", "Parting", "parted", "partings"]

SAME = 0.002
"""Part of the pixels that may differ between screens that count as the same: a clock, a caret."""


@dataclass(frozen=True)
class Parting:
    """The screens of both after one step."""

    step: int
    done: str
    """What the first episode did in it."""
    share: float | None
    """Part of the pixels that differ; None where one of the episodes has no such screen."""
    box: tuple[int, int, int, int] | None = None
    """Around what differs: left, top, right, bottom in pixels."""

    @property
    def same(self) -> bool:
        """Whether nothing differs that matters."""
        return self.share is not None and self.share <= SAME


def partings(one: Path, other: Path) -> list[Parting]:
    """The comparison, step by step, of the episodes in two directories."""
    found = []
    for number, (ours, theirs) in enumerate(zip_longest(_screens(one), _screens(other)), 1):
        done = (ours or theirs or ("", ""))[0]
        if ours is None or theirs is None or not ours[1] or not theirs[1]:
            if not (ours and theirs and ours[1] == theirs[1] == ""):
                found.append(Parting(number, done, None))
            continue
        found.append(_compared(number, done, (one, ours[1]), (other, theirs[1])))
    return found


def parted(found: Sequence[Parting]) -> Parting | None:
    """The first step after which the screens are not the same, if any."""
    return next((each for each in found if not each.same), None)


def _screens(folder: Path) -> list[tuple[str, str]]:
    """What each step did, and the frame after it; empty where the episode ended without one."""
    return [
        (", ".join(call["name"] for call in line["decision"]["calls"]) or "nothing", line["after"])
        for line in read_trajectory(folder)
        if line["kind"] == "step"
    ]


def _compared(number: int, done: str, one: tuple[Path, str], other: tuple[Path, str]) -> Parting:
    if one[1] == other[1]:
        return Parting(number, done, 0.0)
    a, b = (np.asarray(read_frame(folder / FRAMES, name)) for folder, name in (one, other))
    if a.shape != b.shape:
        return Parting(number, done, 1.0)
    share, box = difference(a, b) or (0.0, None)
    return Parting(number, done, share, box)
