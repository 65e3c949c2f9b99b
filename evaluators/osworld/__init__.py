"""OSWorld's 111 metrics, written from what they do: each judges collected values and files, twice.

`compat` is the verdict that OSWorld itself would give, its defects included, so that numbers can be
compared; `strict` is what the metric means, with each repair named. Most metrics have no repair and
one verdict.

    check = bind_metric("check_include_exclude", {})      evaluators.osworld.registry; ValueError
    check(result="Python 3.10", expected={"include": ["3.10"], "exclude": []}).strict.value

What is judged is what a getter gave: text, JSON, the path of a collected file, a list of those, or
`None` where there was nothing. No metric runs or unpacks anything to disk, and none touches a
machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ambidex.evaluators import Score

__all__ = ["AnyScore", "Value", "Verdicts"]

Value: TypeAlias = Path | str | float | list[Any] | dict[str, Any] | None
"""What a getter gives to a metric."""


@dataclass(frozen=True)
class AnyScore(Score):
    """A metric's score that may lie outside [0, 1], as upstream's does where it is a number that a
    statement finds in a database."""

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise ValueError(f"a score is a finite number, not {self.value}")


@dataclass(frozen=True)
class Verdicts:
    """The two verdicts on one question."""

    compat: Score
    strict: Score

    @property
    def differ(self) -> bool:
        """Whether a repair changed the verdict."""
        return self.compat.value != self.strict.value
