"""What one metric is asked in one situation, and what both verdicts should be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ambidex.evaluators.osworld import Value


@dataclass(frozen=True)
class Asked:
    """What is judged, what it is compared with, and how."""

    result: Value
    expected: Value = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One situation of one metric; `make` writes its files into an empty folder."""

    metric: str
    kind: Literal["right", "near-miss", "broken"]
    says: str
    make: Callable[[Path], Asked]
    compat: float
    strict: float
    because: str = ""
    """Stands in the strict reason."""


def right(metric: str, says: str, make: Callable[[Path], Asked], score: float = 1.0) -> Case:
    return Case(metric, "right", says, make, score, score)


def near(
    metric: str,
    says: str,
    make: Callable[[Path], Asked],
    compat: float = 0.0,
    strict: float = 0.0,
    because: str = "",
) -> Case:
    """Not what was asked, or asked in a way that upstream takes for something else."""
    return Case(metric, "near-miss", says, make, compat, strict, because)


def broken(
    metric: str,
    says: str,
    make: Callable[[Path], Asked],
    because: str = "",
) -> Case:
    return Case(metric, "broken", says, make, 0.0, 0.0, because)
