"""A judge in a box with low limits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from ambidex.evaluators import Score
from ambidex.host.box import Limits
from ambidex.host.box.client import Box
from ambidex.tasks import Verdict

LIMITS = Limits(memory=128 << 20, processor=1, wall=20, file=1 << 20)
"""Small, so that a bomb is given up soon."""


def verdict(check: Callable[[Path], Score], evidence: Path) -> Verdict:
    return Verdict(check(evidence))


def judged(box: Box, check: Callable[[Path], Score], evidence: Path) -> Score:
    return box.judge(partial(verdict, check), evidence, limits=LIMITS).score
