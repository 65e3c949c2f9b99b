"""Cases of `compare_table`, rule by rule."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
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


def grids(actual: Rows, target: Rows, **rule: Any) -> Callable[[Path], MetricInput]:
    """Two workbooks of one sheet, compared by their data."""
    asked = {"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": "EI0", **rule}
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
        {"type": "sheet_fuzzy", "sheet_idx0": 0, "sheet_idx1": "EI0", "rules": [asked]},
    )


def chart(kind: str = "column", title: str | None = None, **more: Any) -> Any:
    values = more.pop("values", "=Sheet1!$B$2:$B$4")

    def fill(book: xlsxwriter.Workbook, sheet: Any) -> None:
        path_: Any = book.add_chart({"type": kind, **more})
        path_.add_series({"values": values, "categories": "=Sheet1!$A$2:$A$4"})
        if title is not None:
            path_.set_title({"name": title})
        sheet.insert_chart("D2", path_)

    return fill


def charts(*several: Any) -> Any:
    def fill(book: xlsxwriter.Workbook, sheet: Any) -> None:
        for part in several:
            part(book, sheet)

    return fill


def two_runs(path: Path) -> Path:
    """A chart with a title in two runs."""
    path_ = filled(chart(title="Sum up"))(path)
    return replaced(
        path_,
        "xl/charts/chart1.xml",
        "<a:t>Sum up</a:t>",
        "<a:t>Sum</a:t></a:r><a:r><a:t> up</a:t>",
    )


def quoted(path: Path) -> Path:
    """A chart with references in another notation."""
    path_ = filled(chart(title="Sum"))(path)
    return replaced(path_, "xl/charts/chart1.xml", "Sheet1!$B$2:$B$4", "'Sheet1'!B2:B4")


def shaded(*where: str, color: str = "#FFFF00") -> Any:
    def fill(book: xlsxwriter.Workbook, sheet: Any) -> None:
        form = book.add_format({"bg_color": color})
        for part in where:
            sheet.write_blank(part, None, form)

    return fill


def conditional(criteria: dict[str, Any], where: str = "B2:B4") -> Any:
    def fill(book: xlsxwriter.Workbook, sheet: Any) -> None:
        form = book.add_format({"bg_color": "#FF0000"})
        sheet.conditional_format(where, {**criteria, "format": form})

    return fill


def painted(*rows: int) -> Any:
    """Fill the sums of these rows with red directly."""

    def fill(book: xlsxwriter.Workbook, sheet: Any) -> None:
        form = book.add_format({"bg_color": "#FF0000"})
        for row in rows:
            sheet.write_number(row - 1, 1, row - 1, form)

    return fill


def days(fill: Callable[[xlsxwriter.Workbook, Any, list[datetime]], object]) -> Make:
    """A week of dates, Friday to Thursday, from A1 down."""

    def make(path: Path) -> Path:
        def everything(book: xlsxwriter.Workbook) -> None:
            sheet = book.add_worksheet()
            form = book.add_format({"num_format": "yyyy-mm-dd"})
            week = [datetime(2024, 3, 1 + day) for day in range(7)]
            for row, part in enumerate(week):
                sheet.write_datetime(row, 0, part, form)
            fill(book, sheet, week)

        return workbook(path, everything)

    return make


def weekend_rule(formula: str) -> Make:
    def fill(book: xlsxwriter.Workbook, sheet: Any, _: list[datetime]) -> None:
        form = book.add_format({"bg_color": "#FF0000"})
        sheet.conditional_format("A1:A7", {"type": "formula", "criteria": formula, "format": form})

    return days(fill)


def weekend_by_hand(book: xlsxwriter.Workbook, sheet: Any, week: list[datetime]) -> None:
    form = book.add_format({"num_format": "yyyy-mm-dd", "bg_color": "#FF0000"})
    for row, part in enumerate(week):
        if part.weekday() > 4:
            sheet.write_datetime(row, 0, part, form)


def frozen(rows: int, columns: int) -> Any:
    return lambda book, sheet: sheet.freeze_panes(rows, columns)


def scrolled(book: xlsxwriter.Workbook, sheet: Any) -> None:
    """Freeze one row and scroll the sheet down."""
    sheet.freeze_panes(1, 0, 20, 0)


def zoomed(percent: int) -> Any:
    return lambda book, sheet: sheet.set_zoom(percent)


def listed(where: str, *choices: str) -> Any:
    return lambda book, sheet: sheet.data_validation(
        where, {"validate": "list", "source": list(choices)}
    )


def whole_number(book: xlsxwriter.Workbook, sheet: Any) -> None:
    sheet.data_validation("E1:E9", {"validate": "integer", "criteria": ">", "value": 3})


def hidden(*rows: int, tall: int | None = None) -> Any:
    def fill(book: xlsxwriter.Workbook, sheet: Any) -> None:
        for row in rows:
            sheet.set_row(row - 1, None, None, {"hidden": True})
        if tall:
            sheet.set_row(tall - 1, 30)

    return fill


def columns_hidden(first: int, last: int) -> Any:
    return lambda book, sheet: sheet.set_column(first, last, 13, None, {"hidden": True})


def filtered(where: str, stored: str | None = None) -> Any:
    def fill(book: xlsxwriter.Workbook, sheet: Any) -> None:
        sheet.autofilter(where)
        if stored:
            sheet.filter_column_list("A", [stored])

    return fill


def sparkline(where: str, source: str) -> Any:
    return lambda book, sheet: sheet.add_sparkline(where, {"range": source})


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


ZOOM = {"type": "zoom", "sheet_idx": 0, "method": "eq", "ref": 100}
LIST = {"ranges": {"method": "spreadsheet_range", "ref": ["D2:D9", "D1:D1048576"]},
        "type": {"method": "eq", "ref": "list"},
        "formula1": {"method": "str_set_eq", "ref": ["Pass", "Fail"]}}  # fmt: skip
WHOLE = {"type": {"method": "eq", "ref": "whole"}}
PIVOT = {"pivot_props": ["col_fields", "filter", "row_fields", "data_fields"]}
RED = {"props": ["bgcolor"]}


def validated(fill: Any, *props: dict[str, Any]) -> Any:
    rule = {"type": "data_validation", "sheet_idx": 0, "dv_props": list(props)}
    return books(filled(fill), None, rule)


def zooming(percent: int | None, method: str, ref: Any) -> Any:
    rule = {"type": "zoom", "sheet_idx": 0, "method": method, "ref": ref}
    return books(filled(plain if percent is None else zoomed(percent)), None, rule)


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
        {"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": "EI0"})),

    right(BOOK, "the same printed lines", printed("a,1.00\n\n", "a,1.00\n")),
    right(BOOK, "printed in another case", printed("A\n", "a\n", ignore_case=True)),
    near(BOOK, "printed with fewer places", printed("a,1.0\n", "a,1.00\n")),
    broken(BOOK, "not printed", books(
        lambda path: cells(path, [[1]]), lambda path: cells(path, [[1]]),
        {"type": "sheet_print", "sheet_idx0": 0, "sheet_idx1": "EI0"}), "was not collected"),

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

    right(BOOK, "the same chart", both(chart(title="Sum"), chart(title="Sum"), "chart",
                                       chart_props=["type", "title", "legend", "direction"])),
    right(BOOK, "a chart of the same size", both(chart(), chart(), "chart",
          chart_props=["width", "height", "anchor", "xtitle", "ytitle", "ztitle"])),
    near(BOOK, "a line instead of columns", both(chart("line"), chart(), "chart",
                                                 chart_props=["type"]), because="chart"),
    near(BOOK, "bars instead of columns",
         both(chart("bar"), chart("column"), "chart", chart_props=["type", "direction"])),
    near(BOOK, "another title", both(chart(title="Sun"), chart(title="Sum"), "chart",
                                     chart_props=["title"])),
    near(BOOK, "a chart of other cells", both(chart(values="=Sheet1!$B$2:$B$3"), chart(), "chart",
                                              chart_props=["type"])),
    near(BOOK, "no chart", both(plain, chart(), "chart", chart_props=["type"])),
    near(BOOK, "two charts where one should be, of the same data",
         both(charts(chart("line"), chart()), chart(), "chart", chart_props=["type"]), 1.0, 0.0),
    near(BOOK, "a title in two runs", books(two_runs, filled(chart(title="Sum up")), {
        "type": "chart", "sheet_idx0": 0, "sheet_idx1": "EI0", "chart_props": ["title"]}),
        0.0, 1.0),
    near(BOOK, "references in quotes", books(quoted, filled(chart(title="Sum")), {
        "type": "chart", "sheet_idx0": 0, "sheet_idx1": "EI0", "chart_props": ["title"]}),
        0.0, 1.0),

    right(BOOK, "the same sparklines", both(
        sparkline("C2", "Sheet1!A2:B2"), sparkline("C2", "Sheet1!A2:B2"), "sparkline")),
    near(BOOK, "a sparkline of other cells", both(
        sparkline("C2", "Sheet1!A3:B3"), sparkline("C2", "Sheet1!A2:B2"), "sparkline")),

    right(BOOK, "the same looks", both(shaded("A1"), shaded("A1"), "style",
          props=["bgcolor", "fgcolor", "fill_type", "font_bold", "font_name", "number_format",
                 "font_color", "font_italic", "font_size", "font_underline", "font_family",
                 "hyperlink"])),
    right(BOOK, "a weekend by a rule", books(
        weekend_rule("=WEEKDAY(A1,2)>5"), weekend_rule("=OR(WEEKDAY($A1)=1,WEEKDAY($A1)=7)"),
        {"type": "style", "sheet_idx0": 0, "sheet_idx1": "EI0", **RED})),
    near(BOOK, "Sundays only", books(
        weekend_rule("=WEEKDAY(A1,2)>6"), weekend_rule("=WEEKDAY(A1,2)>5"),
        {"type": "style", "sheet_idx0": 0, "sheet_idx1": "EI0", **RED})),
    right(BOOK, "a weekend coloured by hand", books(
        days(weekend_by_hand), weekend_rule("=WEEKDAY(A1,2)>5"),
        {"type": "style", "sheet_idx0": 0, "sheet_idx1": "EI0", **RED})),
    near(BOOK, "another colour", both(shaded("A1", color="#FFFF01"), shaded("A1"), "style",
                                      props=["fgcolor"]), because="A1 of Sheet1 has the format"),
    near(BOOK, "another colour, as bgcolor",
         both(shaded("A1", color="#FFFF01"), shaded("A1"), "style", **RED)),
    right(BOOK, "a rule on the values instead of by hand", both(
        conditional({"type": "cell", "criteria": ">", "value": 1}), painted(3, 4), "style",
        **RED)),
    right(BOOK, "a rule between two values", both(
        conditional({"type": "cell", "criteria": "between", "minimum": 1, "maximum": 2}),
        painted(2, 3), "style", **RED)),
    near(BOOK, "a rule on a cell that is named with $", both(
        conditional({"type": "formula", "criteria": "=B2>$B$2"}), painted(3, 4), "style", **RED),
        0.0, 1.0),
    near(BOOK, "a rule on another column", both(
        conditional({"type": "formula", "criteria": "=$A2=\"c\""}), painted(4), "style", **RED),
        0.0, 1.0),
    near(BOOK, "a cell recorded that looks like any other", both(
        lambda book, sheet: sheet.write_blank("H9", None, book.add_format({"align": "left"})),
        plain, "style", props=["font_bold"]), 0.0, 1.0),
    near(BOOK, "a conditional format beyond understanding", both(
        conditional({"type": "formula", "criteria": "=INDIRECT(\"B\"&ROW())>1"}), plain, "style",
        **RED), 1.0, 0.0, "INDIRECT is not supported"),

    right(BOOK, "frozen, and scrolled since", both(scrolled, frozen(1, 0), "freeze")),
    near(BOOK, "a column frozen too", both(frozen(1, 1), frozen(1, 0), "freeze"),
         because="(1, 1) frozen rows and columns, not (1, 0)"),
    near(BOOK, "split instead of frozen", both(
        lambda book, sheet: sheet.split_panes(15, 0), frozen(1, 0), "freeze")),

    right(BOOK, "the zoom", zooming(260, "eq", 260)),
    right(BOOK, "no zoom said", zooming(None, "range.ee", [90, 110])),
    near(BOOK, "the zoom out of the range", zooming(111, "range.ee", [90, 110])),

    right(BOOK, "a list to choose from", validated(listed("D2:D20", "Fail", "Pass"), LIST)),
    near(BOOK, "a choice more", validated(listed("D2:D20", "Fail", "Pass", "Held"), LIST)),
    near(BOOK, "too few cells", validated(listed("D2:D8", "Fail", "Pass"), LIST)),
    near(BOOK, "no list", validated(plain, LIST), because="has 0 validations, not 1"),
    near(BOOK, "one set obeyed twice, the other never", validated(
        lambda book, sheet: [whole_number(book, sheet), sheet.data_validation(
            "F1", {"validate": "integer", "criteria": "<", "value": 3})], LIST, WHOLE), 1.0, 0.0,
        "no validation of Sheet1 matches"),

    right(BOOK, "the same rows hidden", both(hidden(2, 3), hidden(2, 3), "row_props",
                                             props=["hidden", "height", "collapsed"])),
    near(BOOK, "another row hidden", both(hidden(2), hidden(3), "row_props", props=["hidden"]),
         because="row 2"),
    near(BOOK, "a row recorded for its height", both(hidden(2, tall=4), hidden(2), "row_props",
                                                     props=["hidden"]), 0.0, 1.0),
    right(BOOK, "the same columns", both(columns_hidden(2, 3), columns_hidden(2, 3), "col_props",
                                         props=["hidden", "width", "collapsed"])),
    near(BOOK, "a column less hidden", both(columns_hidden(2, 3), columns_hidden(2, 4),
                                            "col_props", props=["hidden"]), 1.0, 0.0, "column 5"),

    right(BOOK, "the same filter", both(filtered("A1:B4", "a"), filtered("A1:B4", "a"), "filter")),
    near(BOOK, "a filter for another value", both(
        filtered("A1:B4", "b"), filtered("A1:B4", "a"), "filter")),
    near(BOOK, "no filter", both(plain, filtered("A1:B4"), "filter")),

    right(BOOK, "the same pivot table", books(pivot(), pivot(name="Other"), {
        "type": "pivot_table", "sheet_idx0": 0, "sheet_idx1": "EI0", **PIVOT})),
    near(BOOK, "a pivot table of a source with empty columns beside it", books(
        pivot(source="A1:D4"), pivot(), {
        "type": "pivot_table", "sheet_idx0": 0, "sheet_idx1": "EI0", **PIVOT}), 0.0, 1.0),
    near(BOOK, "a pivot table the other way round", books(pivot(rows="1"), pivot(), {
        "type": "pivot_table", "sheet_idx0": 0, "sheet_idx1": "EI0", **PIVOT}),
        because="pivot table"),
    near(BOOK, "a pivot table that averages", books(pivot(subtotal="average"), pivot(), {
        "type": "pivot_table", "sheet_idx0": 0, "sheet_idx1": "EI0", **PIVOT})),
    near(BOOK, "a pivot table by another name", books(pivot(name="Other"), pivot(), {
        "type": "pivot_table", "sheet_idx0": 0, "sheet_idx1": "EI0",
        "pivot_props": ["name", "show_total", "show_empty_row", "show_empty_col", "show_headers",
                        "location", "selection"]})),
    near(BOOK, "no pivot table", books(filled(plain), pivot(), {
        "type": "pivot_table", "sheet_idx0": 0, "sheet_idx1": "EI0", **PIVOT})),

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
