from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.comments import Comment
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.worksheet.worksheet import Worksheet

from ambidex.evaluators import Score

Judge = Callable[..., Score]


@pytest.fixture(autouse=True)
def budget(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book["Sheet"]
    sheet.title = "Haushalt"
    sheet["A1"] = "家賃"
    sheet["B1"] = 1200.5
    sheet["B2"] = "42"
    sheet["B3"] = True
    sheet["B4"] = date(2025, 3, 1)
    sheet["B5"] = "=SUM(B1:B1)"
    sheet["C1"].font = Font(bold=True, color="00FF0000")
    sheet["C1"].fill = PatternFill("solid", fgColor="00FFFF00")
    sheet["C1"].alignment = Alignment(horizontal="center")
    book.create_sheet("Notes")["A1"] = "second"
    book.save(tmp_path / "a.xlsx")


@pytest.mark.parametrize(
    ("cells", "wrong"),
    [
        ({"A1": "家賃", "B1": 1200.5, "B3": True, "B4": date(2025, 3, 1)}, ""),
        ({"B4": datetime(2025, 3, 1)}, ""),
        ({"B2": "42"}, ""),
        ({"B2": 42}, "B2 is text '42', not number 42"),
        ({"B3": 1}, "B3 is boolean True, not number 1"),
        ({"B1": 1200}, "B1 is 1200.5, not 1200"),
        ({"A1": "家賃 "}, "A1 is '家賃', not '家賃 '"),
        ({"Z99": 1}, "Z99 is empty, not number 1"),
        ({"B5": 1200.5}, "B5 is empty, not number 1200.5"),  # a formula nobody has computed
    ],
)
def test_a_value_must_have_the_same_type_and_be_equal(
    judge: Judge, cells: dict[str, object], wrong: str
) -> None:
    score = judge("spreadsheet.cells_equal", file="a.xlsx", cells=cells)
    assert (score.value, score.reason if wrong else "") == (0.0 if wrong else 1.0, wrong)


def test_numbers_may_differ_by_the_tolerance_and_no_more(judge: Judge) -> None:
    for tolerance, value in ((0.5, 1.0), (0.4, 0.0)):
        score = judge(
            "spreadsheet.cells_equal", file="a.xlsx", cells={"B1": 1200}, tolerance=tolerance
        )
        assert score.value == value


def test_the_named_sheet_is_checked_and_a_missing_one_scores_0(judge: Judge) -> None:
    cells = {"A1": "second"}
    arguments = {"file": "a.xlsx", "cells": cells}
    assert judge("spreadsheet.cells_equal", sheet="Notes", **arguments).value == 1
    assert judge("spreadsheet.cells_equal", **arguments).value == 0
    score = judge("spreadsheet.cells_equal", sheet="notes", **arguments)
    assert score == Score(0.0, "a.xlsx has no sheet 'notes'; it has Haushalt, Notes")


@pytest.mark.parametrize(
    ("formulas", "value"),
    [
        ({"B5": ["=SUM(B1:B1)"]}, 1),
        ({"B5": ["=B1", "= sum( $B$1:B1 )"]}, 1),
        ({"B5": ["=SUM(B1:B2)"]}, 0),
        ({"B1": ["=1200.5"]}, 0),
        ({"B9": [""]}, 1),
    ],
)
def test_a_formula_is_one_of_the_allowed_ones_ignoring_case_and_blanks(
    judge: Judge, formulas: dict[str, list[str]], value: float
) -> None:
    assert judge("spreadsheet.formulas_equal", file="a.xlsx", formulas=formulas).value == value


def test_a_typed_result_does_not_count_as_computed(judge: Judge) -> None:
    assert judge("spreadsheet.cells_computed", file="a.xlsx", cells=["B5"]).value == 1
    assert judge("spreadsheet.cells_computed", file="a.xlsx", cells=["B5", "B1"]).value == 0
    assert judge("spreadsheet.cells_computed", file="a.xlsx", cells=["D1"]).value == 0


def test_an_empty_cell_has_neither_value_nor_formula(judge: Judge) -> None:
    assert judge("spreadsheet.cells_empty", file="a.xlsx", cells=["D1", "C1"]).value == 1
    for filled in ("A1", "B5"):
        assert judge("spreadsheet.cells_empty", file="a.xlsx", cells=[filled]).value == 0


@pytest.mark.parametrize(
    ("options", "value"),
    [
        ({"bold": True, "fill": "FFFF00", "font_color": "FF0000", "alignment": "center"}, 1),
        ({"bold": False}, 0),
        ({"fill": "FFFF01"}, 0),
        ({"alignment": "left"}, 0),
    ],
)
def test_only_given_attributes_of_a_format_are_compared(
    judge: Judge, options: dict[str, object], value: float
) -> None:
    score = judge("spreadsheet.cells_formatted", file="a.xlsx", cells=["C1"], **options)
    assert score.value == value


def test_frozen_rows_and_columns_are_counted_and_a_split_is_not_frozen(
    judge: Judge, tmp_path: Path
) -> None:
    def frozen(rows: int, columns: int, sheet: str = "Haushalt") -> float:
        arguments = {"sheet": sheet, "rows": rows, "columns": columns}
        return judge("spreadsheet.frozen", file="a.xlsx", **arguments).value

    assert frozen(0, 0) == 1
    assert frozen(1, 0) == 0
    book = openpyxl.load_workbook(tmp_path / "a.xlsx")
    book["Haushalt"].freeze_panes = "A2"
    book.save(tmp_path / "a.xlsx")
    assert [frozen(1, 0), frozen(1, 1), frozen(0, 0), frozen(1, 0, "Notes")] == [1, 0, 0, 0]
    pane = book["Haushalt"].sheet_view.pane
    assert pane is not None
    pane.state = "split"
    book.save(tmp_path / "a.xlsx")
    assert frozen(1, 0) == 0


def test_sheets_are_compared_in_order_unless_ordered_is_false(judge: Judge) -> None:
    def sheets(names: list[str], ordered: bool = True) -> float:
        arguments = {"names": names, "ordered": ordered}
        return judge("spreadsheet.sheets_equal", file="a.xlsx", **arguments).value

    assert sheets(["Haushalt", "Notes"]) == 1
    assert sheets(["Notes", "Haushalt"]) == 0
    assert sheets(["Notes", "Haushalt"], ordered=False) == 1
    assert sheets(["Haushalt"], ordered=False) == 0


@pytest.mark.parametrize(
    ("cell", "value", "score"),
    [
        ("C2", 7, 1),  # one of the cells that may change
        ("C3", "=1+1", 1),
        ("B2", 2.5, 0),
        ("B4", "=SUM(B2:B3)", 1),  # as it was
        ("B4", "=SUM($B$2:$B$3)", 1),
        ("B4", 30, 0),
        ("D9", "a remark", 0),
        ("A1", None, 0),
    ],
)
def test_cells_that_were_not_named_must_be_as_in_the_original(
    judge: Judge, tmp_path: Path, cell: str, value: str | float | None, score: float
) -> None:
    book = _original(tmp_path)
    book["Data"][cell] = value
    book.save(tmp_path / "now.xlsx")
    found = judge(
        "spreadsheet.rest_unchanged",
        file="now.xlsx",
        original="original.xlsx",
        changed={"Data": ["C2:C3"]},
    )
    assert found.value == score, found.reason


def test_only_named_sheets_may_be_new(judge: Judge, tmp_path: Path) -> None:
    book = _original(tmp_path)
    book.create_sheet("Summary", 0)
    book.save(tmp_path / "now.xlsx")
    given = {"file": "now.xlsx", "original": "original.xlsx"}
    assert judge("spreadsheet.rest_unchanged", added=["Summary"], **given).value == 1
    assert judge("spreadsheet.rest_unchanged", **given).value == 0
    del book["Data"]
    book.save(tmp_path / "now.xlsx")
    assert judge("spreadsheet.rest_unchanged", added=["Summary"], **given).value == 0


def _font(cell: str, **change: Any) -> Callable[[Worksheet], None]:
    def restyle(sheet: Worksheet) -> None:
        sheet[cell].font = Font(name="Calibri", size=11, **change)

    return restyle


def _fill(cell: str) -> Callable[[Worksheet], None]:
    def restyle(sheet: Worksheet) -> None:
        sheet[cell].fill = PatternFill("solid", fgColor="00FFFF00")

    return restyle


def _note(cell: str, text: str) -> Callable[[Worksheet], None]:
    def remark(sheet: Worksheet) -> None:
        sheet[cell].comment = Comment(text, "A. Author")

    return remark


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_fill("A2"), "Data.A2 has fill FFFF00, not none"),
        (_fill("H9"), "Data.H9 has fill FFFF00, not none"),  # an empty cell
        (_fill("C2"), ""),  # one of the cells that may change
        (_font("A2", bold=True), "Data.A2 has bold True, not False"),
        (_font("A2", color="00FF0000"), "Data.A2 has font color FF0000, not none"),
        (_font("A2", color="FF000000"), ""),  # what LibreOffice writes for no colour
        (_font("H9", bold=True), ""),  # shows nothing
        (lambda sheet: setattr(sheet["B2"], "number_format", "0.00"), "Data.B2 has number format"),
        (lambda sheet: setattr(sheet["B3"], "number_format", 'yyyy\\-mm"-"dd'), ""),
        (
            lambda sheet: sheet.row_dimensions.group(2, 3, hidden=True),
            "row 2 is hidden; Data: row 3",
        ),
        (lambda sheet: sheet.column_dimensions.group("B", "C", hidden=True), "columns are 2 to 3,"),
        (lambda sheet: sheet.merge_cells("D1:E1"), "D1:E1 is merged"),
        (lambda sheet: sheet.merge_cells("C2:C3"), ""),
        (_note("A2", "Check this"), "A2 has comment 'Check this', not none"),
        (_note("A1", "changed"), "A1 has comment 'changed', not 'as it was'"),
        (_note("A1", "as it was"), ""),
        (_note("C2", "Done"), ""),
        (lambda sheet: setattr(sheet, "sheet_state", "hidden"), "the sheet is hidden, not visible"),
    ],
)
def test_the_rest_must_look_as_in_the_original(
    judge: Judge, tmp_path: Path, change: Callable[[Worksheet], None], reason: str
) -> None:
    book = _original(tmp_path)
    sheet = book["Data"]
    sheet["B3"].number_format = "yyyy-mm-dd"
    sheet["A1"].comment = Comment("as it was", "A. Author")
    book.create_sheet("Other")
    book.save(tmp_path / "original.xlsx")
    change(sheet)
    book.save(tmp_path / "now.xlsx")
    given = {"file": "now.xlsx", "original": "original.xlsx", "changed": {"Data": ["C2:C3"]}}
    score = judge("spreadsheet.rest_unchanged", **given)
    assert (score.value, reason in score.reason) == (0.0 if reason else 1.0, True), score


def _original(folder: Path) -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Data"
    for row in (("Item", "Price", "Now"), ("Tea", 10), ("Rice", 20), ("Sum", "=SUM(B2:B3)")):
        sheet.append(row)
    book.save(folder / "original.xlsx")
    return book
