"""The cases of the tests, with scores written by hand, as cases of the differential."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.differential import NOTHING, Case
from tests.evaluators.osworld.test_metric_cases import CASES

__all__ = ["written"]


def written(metric: str, folder: Path) -> Iterator[Case]:
    """The test cases of one metric."""
    for case in CASES:
        if case.metric == metric:
            arguments = case.make(folder)
            expected = NOTHING if arguments.expected is None else arguments.expected
            yield Case(metric, arguments.result, expected, arguments.options, f"test: {case.says}")
