"""Stored results of formulas are trusted only if they can be confirmed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import xlsxwriter

from ambidex.evaluators.formulas.recomputed import FOLDER
from ambidex.evaluators.manifest import NAME as MANIFEST
from ambidex.evaluators.manifest import Manifest
from ambidex.evaluators.spreadsheet import cells_computed, cells_equal


def book(path: Path, formulas: dict[str, tuple[str, object]]) -> None:
    """Write a workbook with 2 and 3 in A1 and A2, and formulas with stored results."""
    with xlsxwriter.Workbook(path) as content:
        sheet = content.add_worksheet()
        sheet.write_column("A1", [2, 3])
        for place, (formula, stored) in formulas.items():
            sheet.write_formula(place, formula, None, stored)


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    (tmp_path / MANIFEST).write_text(Manifest().model_dump_json())
    return tmp_path


def test_results_of_supported_formulas_are_confirmed_here(evidence: Path) -> None:
    book(evidence / "e.xlsx", {"B1": ("=A1+A2", 5), "B2": ("=SUM(A1:B1)*2", 14)})
    assert cells_equal(evidence, file="e.xlsx", cells={"B1": 5, "B2": 14}).value == 1
    assert cells_computed(evidence, file="e.xlsx", cells=["B1", "B2"]).value == 1


@pytest.mark.parametrize(
    "formula", ["=A1+A2", "=XLOOKUP(1,A1:A2,A1:A2)", "=B1", "=Sheet2!A1", "=A1+C1"]
)
def test_unconfirmed_results_require_recalculation(evidence: Path, formula: str) -> None:
    book(evidence / "e.xlsx", {"B1": (formula, 42), "C1": ("=B1", 1)})
    for score in (
        cells_equal(evidence, file="e.xlsx", cells={"B1": 42}),
        cells_computed(evidence, file="e.xlsx", cells=["B1"]),
    ):
        assert (score.value, score.wants) == (0.0, ("e.xlsx",))


def test_recalculated_results_decide(evidence: Path) -> None:
    (evidence / FOLDER).mkdir()
    book(evidence / "e.xlsx", {"B1": ("=XLOOKUP(2,A1:A2,A1:A2)", 42)})
    book(evidence / FOLDER / "e.xlsx", {"B1": ("=XLOOKUP(2,A1:A2,A1:A2)", 2)})
    score = cells_equal(evidence, file="e.xlsx", cells={"B1": 42})
    assert (score.value, score.wants) == (0.0, ())
    assert "B1 stores 42, but its formula results in 2" in score.reason
    shutil.copy(evidence / "e.xlsx", evidence / FOLDER)
    assert cells_equal(evidence, file="e.xlsx", cells={"B1": 42}).value == 1


def test_evidence_of_older_runs_is_trusted(tmp_path: Path) -> None:
    book(tmp_path / "e.xlsx", {"B1": ("=A1+A2", 42)})
    assert cells_equal(tmp_path, file="e.xlsx", cells={"B1": 42}).value == 1
