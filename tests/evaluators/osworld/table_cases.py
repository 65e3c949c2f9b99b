"""Cases of `compare_table` on the data of workbooks, rule by rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import xlsxwriter

from ambidex.evaluators.osworld import Value
from tests.evaluators.osworld.cases import Case, MetricInput, broken, near, right
from tests.evaluators.osworld.makers import (
    cells,
    garbage,
    pivoted,
    replaced,
    text,
    workbook,
    zipped,
)

Make = Callable[[Path], Path]
Rows = list[list[Any]]
BOOK = "compare_table"
HEAD = ["Name", "Sum"]


def books(
    result: Make, expected: Make | None, *rules: dict[str, Any]
) -> Callable[[Path], MetricInput]:
    def make(folder: Path) -> MetricInput:
        target: Value = None if expected is None else expected(folder / "gold.xlsx")
        return MetricInput(result(folder / "book.xlsx"), target, {"rules": list(rules)})

    return make


def first(kind: str, **rule: Any) -> dict[str, Any]:
    """A rule on the first sheet of the result and that of the expected workbook."""
    return {"type": kind, "sheet_idx0": 0, "sheet_idx1": "EI0", **rule}


def grids(actual: Rows, target: Rows, **rule: Any) -> Callable[[Path], MetricInput]:
    """Two workbooks of one sheet, compared by their data."""
    asked = first("sheet_data", **rule)
    return books(lambda path: cells(path, actual), lambda path: cells(path, target), asked)


def filled(fill: Callable[[xlsxwriter.Workbook, Any], object]) -> Make:
    """A workbook with one sheet of two number columns, extended by `fill`."""

    def make(path: Path) -> Path:
        def everything(book: xlsxwriter.Workbook) -> None:
            sheet = book.add_worksheet()
            sheet.write_column("A1", ["Name", "a", "b", "c"])
            sheet.write_column("B1", ["Sum", 1, 2, 3])
            fill(book, sheet)

        return workbook(path, everything)

    return make


def plain(book: xlsxwriter.Workbook, sheet: Any) -> None:
    """Add nothing."""


def both(
    actual: Callable[[xlsxwriter.Workbook, Any], object],
    target: Callable[[xlsxwriter.Workbook, Any], object],
    kind: str,
    **rule: Any,
) -> Callable[[Path], MetricInput]:
    asked = {"type": kind, "sheet_idx0": "RNSheet1", "sheet_idx1": "ENSheet1", **rule}
    return books(filled(actual), filled(target), asked)


def printed(actual: str, target: str, **rule: Any) -> Callable[[Path], MetricInput]:
    def make(folder: Path) -> MetricInput:
        text(folder / "book-Sheet1.csv", actual)
        text(folder / "gold-Sheet1.csv", target)
        asked = {"type": "sheet_print", "sheet_idx0": "RNSheet1", "sheet_idx1": "ENSheet1"}
        files = [cells(folder / name, [[1]]) for name in ("book.xlsx", "gold.xlsx")]
        return MetricInput(files[0], files[1], {"rules": [asked | rule]})

    return make


def fuzzy(actual: Any, target: Any, kind: str, **rule: Any) -> Callable[[Path], MetricInput]:
    """Compare one cell with another by their texts."""
    asked = {"range": ["A1:A1"], "type": kind, **rule}
    return books(
        lambda path: cells(path, [[actual, 1]]),
        lambda path: cells(path, [[target, 1]]),
        first("sheet_fuzzy", rules=[asked]),
    )


def filtered(where: str, stored: str | None = None) -> Any:
    def fill(book: xlsxwriter.Workbook, sheet: Any) -> None:
        sheet.autofilter(where)
        if stored:
            sheet.filter_column_list("A", [stored])

    return fill


def styled(book: xlsxwriter.Workbook, sheet: Any) -> None:
    head = book.add_format({"bg_color": "#0000FF", "font_color": "#FFFFFF", "bold": True})
    sheet.merge_range("D1:E1", "High", head)
    sheet.write_formula("F1", "=1+2", None, 3)
    sheet.write_url("G1", "https://example.org/", None, "there")


def checked(coordinate: str, make: Make | None = None, **props: tuple[str, Any]) -> Any:
    rules = {prop: {"method": method, "ref": ref} for prop, (method, ref) in props.items()}
    rule = {"type": "check_cell", "sheet_idx": "RI0", "coordinate": coordinate, "props": rules}
    return books(make or filled(styled), None, rule)


def transparent(path: Path) -> Path:
    """Filled as some programs write it: no alpha, and nothing behind the pattern."""
    path_ = filled(styled)(path)
    return replaced(
        path_, "xl/styles.xml", '<fgColor rgb="FF0000FF"/><bgColor indexed="64"/>',
        '<fgColor rgb="000000FF"/>',
    )  # fmt: skip


def huge(path: Path) -> Path:
    path_ = cells(path, [[1, 2]])
    path_ = replaced(path_, "xl/worksheets/sheet1.xml", '<c r="B1">', '<c r="XFD900000">')
    return replaced(path_, "xl/worksheets/sheet1.xml", '<row r="1"', '<row r="900000"')


def beyond(path: Path) -> Path:
    path_ = cells(path, [[1], [2]])
    return replaced(path_, "xl/worksheets/sheet1.xml", '<row r="2"', '<row r="99999999"')


def merged_all_over(path: Path) -> Path:
    path_ = filled(styled)(path)
    return replaced(path_, "xl/worksheets/sheet1.xml", "D1:E1", "D1:XFD1048576")


def pivot(*, rows: str = "0", source: str = "A1:B4", **more: str) -> Make:
    return lambda path: pivoted(filled(plain)(path), source=source, rows=rows, **more)


def pivots(
    result: Make,
    expected: Make | None = None,
    props: Sequence[str] = ("col_fields", "filter", "row_fields", "data_fields"),
) -> Callable[[Path], MetricInput]:
    """Compare a pivot table, with `pivot()` if nothing else is said."""
    return books(result, expected or pivot(), first("pivot_table", pivot_props=[*props]))


ZOOM = {"type": "zoom", "sheet_idx": 0, "method": "eq", "ref": 100}


CASES: list[Case] = [
    right(BOOK, "sheet names in order", books(
        lambda path: cells(path, [[1]], [[2]], names=["a", "b"]),
        lambda path: cells(path, [], [], names=["a", "b"]), {"type": "sheet_name"})),
    near(BOOK, "sheet names exchanged", books(
        lambda path: cells(path, [[1]], [[2]], names=["a", "b"]),
        lambda path: cells(path, [], [], names=["b", "a"]), {"type": "sheet_name"})),
    broken(BOOK, "no workbook", books(garbage, lambda path: cells(path, []),
                                      {"type": "sheet_name"}), "not an intact office file"),
    broken(BOOK, "no file", lambda folder: MetricInput(folder / "no.xlsx", None, {"rules": []}),
           "was not collected"),
    broken(BOOK, "no workbook to compare with", books(lambda path: cells(path, []), None,
           {"type": "sheet_name"}), "expected a file"),
    broken(BOOK, "a package that is no workbook", books(
        lambda path: zipped(path, {"[Content_Types].xml": "<Types/>"}), None, ZOOM),
        "not a readable"),
    broken(BOOK, "a sheet that spans too much", books(huge, None, ZOOM), "spans more than"),
    broken(BOOK, "a row beyond the last one", books(beyond, None, ZOOM), "has a row 99999999"),
    broken(BOOK, "a merged range over everything", checked(
        "A1", merged_all_over, value=("eq", "Name")), "spans more than"),

    right(BOOK, "the same data", grids([HEAD, ["a", 1.00001]], [HEAD, ["a", 1.00002]])),
    right(BOOK, "one sheet of the result beside another", books(
        lambda path: cells(path, [[1], [2]], [[1], [2]]), None,
        {"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": 1})),
    right(BOOK, "data to no places", grids([HEAD, ["a", 1.2]], [HEAD, ["a", 1.4]], precision=0)),
    near(BOOK, "another number", grids([HEAD, ["a", 1.5]], [HEAD, ["a", 1.6]]),
         because="row 2, column 2 of Sheet1 is 1.5, not 1.6"),
    near(BOOK, "a row more", grids([HEAD, ["a", 1], ["b", 2]], [HEAD, ["a", 1]])),
    near(BOOK, "a header in another case", grids([["name"], ["a"]], [["Name"], ["a"]])),
    near(BOOK, "a number as text", grids([HEAD, ["a", "1"]], [HEAD, ["a", 1]]), 1.0, 0.0,
         "is text '1', not number 1"),
    near(BOOK, "1 in a column of fractions",
         grids([HEAD, ["a", 1.000001], ["b", 2]], [HEAD, ["a", 1], ["b", 2]]), 0.0, 1.0),
    near(BOOK, "numbers at the edge of rounding",
         grids([HEAD, ["a", 1.00004]], [HEAD, ["a", 1.00006]]), 0.0, 1.0),
    near(BOOK, "N/A where nothing should be",
         grids([HEAD, ["N/A", 1]], [HEAD, [None, 1]]), 1.0, 0.0, "is text 'N/A'"),
    near(BOOK, "another case, which the task allows",
         grids([HEAD, ["ANN", 1]], [HEAD, ["Ann", 1]], ignore_case=True), 0.0, 1.0),
    near(BOOK, "a missing sheet", books(
        lambda path: cells(path, [[1]]), lambda path: cells(path, [[1]]),
        {"type": "sheet_data", "sheet_idx0": "RNSheet2", "sheet_idx1": "EI0"}),
        because="no sheet 'Sheet2'"),
    near(BOOK, "a missing sheet number", books(
        lambda path: cells(path, [[1]]), None,
        {"type": "sheet_data", "sheet_idx0": "RI0", "sheet_idx1": "RI4"}), because="number 4"),
    near(BOOK, "the first rule holds, the second does not", books(
        lambda path: cells(path, [[1]]), lambda path: cells(path, [[2]]), {"type": "sheet_name"},
        first("sheet_data"))),

    right(BOOK, "the same printed lines", printed("a,1.00\n\n", "a,1.00\n")),
    right(BOOK, "printed in another case", printed("A\n", "a\n", ignore_case=True)),
    near(BOOK, "printed with fewer places", printed("a,1.0\n", "a,1.00\n")),
    broken(BOOK, "not printed", books(
        lambda path: cells(path, [[1]]), lambda path: cells(path, [[1]]),
        first("sheet_print")), "was not collected"),

    right(BOOK, "nearly the same address", fuzzy(
        "12 High Rd", "12 high road", "fuzzy_match", ignore_case=True,
        normalization=[["Rd", "Road"]])),
    right(BOOK, "a number dialled otherwise", fuzzy(
        "+44 (20) 7946-0", "+442079460", "includes", trim_leadings="+ ", ignore_chars=" ()-")),
    right(BOOK, "a part of the expected text", fuzzy("High", "High Road!!", "included_by",
                                                     trim_trailings="!")),
    right(BOOK, "a number beside the same", fuzzy(5, 5.0, "exact_match")),
    near(BOOK, "another address", fuzzy("12 Low Road", "7 High Street", "fuzzy_match")),
    near(BOOK, "a threshold out of reach", fuzzy("Road 1", "Road 2", "fuzzy_match", threshold=95)),
    near(BOOK, "an empty cell beside the word None",
         fuzzy(None, "None", "exact_match"), 1.0, 0.0),

    right(BOOK, "the same filter", both(filtered("A1:B4", "a"), filtered("A1:B4", "a"), "filter")),
    near(BOOK, "a filter for another value", both(
        filtered("A1:B4", "b"), filtered("A1:B4", "a"), "filter")),
    near(BOOK, "no filter", both(plain, filtered("A1:B4"), "filter")),

    right(BOOK, "the same pivot table", pivots(pivot(), pivot(name="Other"))),
    near(BOOK, "a pivot table of a source with empty columns beside it",
         pivots(pivot(source="A1:D4")), 0.0, 1.0),
    near(BOOK, "a pivot table the other way round", pivots(pivot(rows="1")),
         because="pivot table"),
    near(BOOK, "a pivot table that averages", pivots(pivot(subtotal="average"))),
    near(BOOK, "a pivot table by another name", pivots(pivot(name="Other"), props=[
        "name", "show_total", "show_empty_row", "show_empty_col", "show_headers", "location",
        "selection"])),
    near(BOOK, "no pivot table", pivots(filled(plain))),

    right(BOOK, "a cell as it should be", checked(
        "D1", value=("eq", "High"), merge=("eq", False), fgcolor=("eq", "FF0000FF"),
        font_color=("eq", "FFFFFFFF"), font_bold=("eq", True))),
    right(BOOK, "a merged one", checked("E1", merge=("eq", True), value=("eq", None))),
    right(BOOK, "the result of a formula", checked("F1", value=("approx:0.1", 3.05))),
    near(BOOK, "a link", checked("G1", value=("eq", "there"), hyperlink=("re", "^https:")),
         0.0, 1.0),
    near(BOOK, "another value", checked("F1", value=("approx:0.01", 3.05)),
         because="F1 of Sheet1 has value 3.0, not approx:0.01 3.05"),
    near(BOOK, "not bold", checked("A1", font_bold=("eq", True))),
    right(BOOK, "the colour one sees", checked("D1", bgcolor=("eq", "FF0000FF"))),
    near(BOOK, "the colour one sees, without alpha",
         checked("D1", transparent, bgcolor=("eq", "FF0000FF")), 0.0, 1.0),
    near(BOOK, "a cell beyond all", checked("ZZ99", value=("eq", 1)),
         because="has value none"),
    broken(
        BOOK, "a rule on text for a number", checked("B2", value=("re", "1")), "cannot be compared"
    ),
]  # fmt: skip
