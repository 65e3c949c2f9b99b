"""Cases of `compare_table` on the looks of sheets: charts, formats, views, validations."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import xlsxwriter

from tests.evaluators.osworld.cases import Case, MetricInput, near, right
from tests.evaluators.osworld.makers import replaced, workbook
from tests.evaluators.osworld.table_cases import BOOK, Make, books, both, filled, first, plain


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


def titled(result: Make, title: str) -> Callable[[Path], MetricInput]:
    """Compare the title of a chart."""
    return books(result, filled(chart(title=title)), first("chart", chart_props=["title"]))


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


def whole_numbers(book: xlsxwriter.Workbook, sheet: Any) -> None:
    sheet.data_validation("E1:E9", {"validate": "integer", "criteria": ">", "value": 3})
    sheet.data_validation("F1", {"validate": "integer", "criteria": "<", "value": 3})


def hidden(*rows: int, tall: int | None = None) -> Any:
    def fill(book: xlsxwriter.Workbook, sheet: Any) -> None:
        for row in rows:
            sheet.set_row(row - 1, None, None, {"hidden": True})
        if tall:
            sheet.set_row(tall - 1, 30)

    return fill


def columns_hidden(first: int, last: int) -> Any:
    return lambda book, sheet: sheet.set_column(first, last, 13, None, {"hidden": True})


def sparkline(where: str, source: str) -> Any:
    return lambda book, sheet: sheet.add_sparkline(where, {"range": source})


LIST = {"ranges": {"method": "spreadsheet_range", "ref": ["D2:D9", "D1:D1048576"]},
        "type": {"method": "eq", "ref": "list"},
        "formula1": {"method": "str_set_eq", "ref": ["Pass", "Fail"]}}  # fmt: skip
WHOLE = {"type": {"method": "eq", "ref": "whole"}}
RED = {"props": ["bgcolor"]}


def validated(fill: Any, *props: dict[str, Any]) -> Any:
    rule = {"type": "data_validation", "sheet_idx": 0, "dv_props": list(props)}
    return books(filled(fill), None, rule)


def zooming(percent: int | None, method: str, ref: Any) -> Any:
    rule = {"type": "zoom", "sheet_idx": 0, "method": method, "ref": ref}
    return books(filled(plain if percent is None else zoomed(percent)), None, rule)


CASES: list[Case] = [
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
    near(BOOK, "a title in two runs", titled(two_runs, "Sum up"), 0.0, 1.0),
    near(BOOK, "references in quotes", titled(quoted, "Sum"), 0.0, 1.0),

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
        first("style", **RED))),
    near(BOOK, "Sundays only", books(
        weekend_rule("=WEEKDAY(A1,2)>6"), weekend_rule("=WEEKDAY(A1,2)>5"),
        first("style", **RED))),
    right(BOOK, "a weekend coloured by hand", books(
        days(weekend_by_hand), weekend_rule("=WEEKDAY(A1,2)>5"),
        first("style", **RED))),
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
        whole_numbers, LIST, WHOLE), 1.0, 0.0, "no validation of Sheet1 matches"),

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
]  # fmt: skip
