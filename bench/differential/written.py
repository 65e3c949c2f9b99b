"""The cases of the tests, whose scores were written by hand, as cases of the differential."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.differential import NOTHING, Case
from tests.evaluators.osworld.document_cases import CASES as DOCUMENTS
from tests.evaluators.osworld.package_cases import CASES as PACKAGES
from tests.evaluators.osworld.table_cases import CASES as TABLES
from tests.evaluators.osworld.text_cases import CASES as TEXTS

__all__ = ["written"]


def written(metric: str, folder: Path) -> Iterator[Case]:
    """Those of one metric."""
    for case in (*TABLES, *DOCUMENTS, *PACKAGES, *TEXTS):
        if case.metric == metric:
            asked = case.make(folder)
            expected = NOTHING if asked.expected is None else asked.expected
            yield Case(metric, asked.result, expected, asked.options, f"test: {case.says}")
