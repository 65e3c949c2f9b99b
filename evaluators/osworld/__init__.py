"""OSWorld's 111 metrics, reimplemented from their behaviour, each with two verdicts.

`compat` is the verdict that OSWorld itself would give, defects included, so that figures can be
compared. `strict` is what the metric is meant to check, with each repair listed. Most metrics have
no repairs and a single verdict.

    check = bind_metric("check_include_exclude", {})      evaluators.osworld.registry; ValueError
    check(result="Python 3.10", expected={"include": ["3.10"], "exclude": []}).strict.value

A metric judges the values that getters returned: text, JSON, the path of a collected file, a list
of those, or `None` if there was nothing. No metric executes anything, unpacks anything to disk or
touches a machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ambidex.evaluators import Score

__all__ = ["UnboundedScore", "Value", "Verdicts"]

Value: TypeAlias = Path | str | float | list[Any] | dict[str, Any] | None
"""A value that a getter passes to a metric."""


@dataclass(frozen=True)
class UnboundedScore(Score):
    """A score that may lie outside [0, 1], as upstream's does if it is a number read from a
    database."""

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise ValueError(f"a score must be a finite number, not {self.value}")


@dataclass(frozen=True)
class Verdicts:
    """The compat and the strict verdict of one metric."""

    compat: Score
    strict: Score

    @property
    def differ(self) -> bool:
        """Whether a repair changed the verdict."""
        return self.compat.value != self.strict.value
