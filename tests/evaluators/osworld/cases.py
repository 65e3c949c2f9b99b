"""Cases for metrics: the input and both expected verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ambidex.evaluators.osworld import Value


@dataclass(frozen=True)
class MetricInput:
    """The arguments of a metric."""

    result: Value
    expected: Value = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One case of one metric; `make` writes its files into an empty folder."""

    metric: str
    kind: Literal["right", "near-miss", "broken"]
    says: str
    make: Callable[[Path], MetricInput]
    compat: float
    strict: float
    because: str = ""
    """A part of the strict reason."""


def right(metric: str, says: str, make: Callable[[Path], MetricInput], score: float = 1.0) -> Case:
    return Case(metric, "right", says, make, score, score)


def near(
    metric: str,
    says: str,
    make: Callable[[Path], MetricInput],
    compat: float = 0.0,
    strict: float = 0.0,
    because: str = "",
) -> Case:
    """A near miss, or a case in which upstream's verdict differs."""
    return Case(metric, "near-miss", says, make, compat, strict, because)


def broken(
    metric: str,
    says: str,
    make: Callable[[Path], MetricInput],
    because: str = "",
) -> Case:
    return Case(metric, "broken", says, make, 0.0, 0.0, because)
