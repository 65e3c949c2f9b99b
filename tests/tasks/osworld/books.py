"""Stand-in workbooks for Calc tasks: initial and expected files."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import xlsxwriter

from tests.evaluators.osworld.makers import cells, text, workbook

__all__ = ["BOOKS", "Files", "Make", "said"]

Make = Callable[[Path], object]
"""A function that writes a file at a path."""
Files = dict[str, Make]
"""The files of a task by their names in the data set."""
Rows = list[list[Any]]


def book(rows: Rows, *, names: list[str] | None = None) -> Make:
    """One sheet of plain values."""
    return lambda path: cells(path, rows, names=names)


def said(content: str) -> Make:
    """A file of text."""
    return lambda path: text(path, content)


def drawn(rows: Rows, draw: Callable[[xlsxwriter.Workbook, Any], object]) -> Make:
    """One sheet of plain values, extended by `draw(book, sheet)`."""

    def fill(made: xlsxwriter.Workbook) -> None:
        sheet = made.add_worksheet("Sheet1")
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
        draw(made, sheet)

    return lambda path: workbook(path, fill)


def lines(rows: Rows) -> str:
    """The values as CSV."""
    return "".join(
        ",".join("" if cell is None else str(cell) for cell in row) + "\n" for row in rows
    )


WEEKS: Rows = [["Week", "Sales", "COGS"], *([n, 900 + 75 * n, 610 + 31 * n] for n in range(1, 9))]
LEVELS: Rows = [
    ["Student", "Level", "Class", "Term", "House"],
    ["Ada", "Junior", "7A", "Spring", "Oak"],
    *(["Ben", None, None, None, None] for _ in range(12)),
    ["Cyd", "Senior", "9B", "Autumn", "Elm"],
    *(["Dee", None, "9C", None, None] for _ in range(15)),
]
AMOUNTS: Rows = [["Record", "Payer", "Amount"], ["R1", "Hill", 412], ["R2", "Moss", 87],
                 ["R3", "Dale", 1250], ["R4", "Fenn", 9]]  # fmt: skip
MARKS: Rows = [
    [],
    [None, "Class", "Maths", "Music", "Latin", "Art"],
    [None, "7A", 61, 74, 58, 90],
    [None, "7B", 70, 66, 49, 81],
    [None, "7C", 55, 92, 77, 63],
]
BUDGET: Rows = [["Date", "Budget", "Actual", "Variance"], ["2024-01-31", 100, 90, 10],
                ["2024-02-29", 120, "N/A", "N/A"], ["2024-03-31", 80, 95, -15],
                ["2024-04-30", 70, "N/A", "N/A"]]  # fmt: skip
ORDERS: Rows = [["Order Id", "Customer", "Amount", "Pass/Fail/Held"],
                *([f"O-{n}", f"Customer {n}", n * 7, None] for n in range(1, 29))]  # fmt: skip
SERIAL: Rows = [["Seq No.", "Order", "Sales"], *([None, f"A{n}", n * 3] for n in range(1, 13))]
SPENT: Rows = [["name", "spent"], ["bread", 3.456], ["milk", 12], ["tea", 7.1]]
STOCK: Rows = [
    ["Item", "Count", "Shelf"],
    ["lamp", 4, "B2"],
    ["rope", 17, "A1"],
    ["jar", 250, "C9"],
]
DAYS: Rows = [["Sat", "Sun", "Mon", "Tue", "Wed"], [1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]


def filled(rows: Rows) -> Rows:
    """Fill every gap with the value above it."""
    sheet = [list(row) for row in rows]
    for above, row in pairwise(sheet):
        row[:] = [old if new is None else new for old, new in zip(above, row, strict=True)]
    return sheet


def transposed(rows: Rows) -> Rows:
    """The table in B2:F5, and its transpose from B8."""
    table = [row[1:] for row in rows[1:]]
    return [*rows, [], [], *([None, *column] for column in zip(*table, strict=True))]


def charted(made: xlsxwriter.Workbook, sheet: Any) -> None:
    """A column chart of both columns on a second sheet."""
    chart = made.add_chart({"type": "column"})
    for column in ("B", "C"):
        places = {"categories": "=Sheet1!$A$2:$A$9", "values": f"=Sheet1!${column}$2:${column}$9"}
        chart.add_series({"name": f"=Sheet1!${column}$1", **places})
    chart.set_title({"name": "Sales & COGS"})
    made.add_worksheet("Sheet2").insert_chart("A1", chart)


def weekend(made: xlsxwriter.Workbook, sheet: Any) -> None:
    """Saturdays and Sundays on red, with the second colour that Calc writes beside it: that is
    what upstream compares.
    """
    red = made.add_format({"pattern": 1, "fg_color": "#993300", "bg_color": "#FF0000"})
    for number, row in enumerate(DAYS):
        for column in (0, 1):
            sheet.write(number, column, row[column], red)


def hidden(made: xlsxwriter.Workbook, sheet: Any) -> None:
    """Rows with gaps are hidden. The others are marked as visible, as Calc
    says it: what upstream compares.
    """
    for row in range(len(BUDGET)):
        sheet.set_row(row, 16, None, {"hidden": row in (2, 4)})


BOOKS: dict[str, Files] = {
    "libreoffice_calc-01b269ae": {
        "Student_Level_Fill_Blank.xlsx": book(LEVELS),
        "Student_Level_Fill_Blank_gold.xlsx": book(filled(LEVELS)),
    },
    "libreoffice_calc-12382c62": {
        "WeeklySales.xlsx": book(WEEKS),
        "13_WeeklySales_gt1.xlsx": drawn(WEEKS, charted),
    },
    "libreoffice_calc-1d17d234": {
        "FutureValue.xlsx": book([["Year", "Value"], [1, 100], [2, 105]]),
        "5_FutureValue_gt1.xlsx": book([["Nothing is compared with this file."]]),
    },
    "libreoffice_calc-1e8df695": {
        "WeeklySales.xlsx": book(WEEKS),
        "6_WeeklySales_gt1.xlsx": book(
            [[*WEEKS[0], "Profit"], *([*row, row[1] - row[2]] for row in WEEKS[1:])]
        ),
    },
    "libreoffice_calc-3aaa4e37": {
        "Export_Calc_to_CSV.xlsx": book(STOCK),
        "Export_Calc_to_CSV.csv": said(lines(STOCK)),
    },
    "libreoffice_calc-4188d3a4": {
        "Freeze_row_column2.xlsx": book(STOCK),
        "Freeze_row_column2_gold.xlsx": drawn(STOCK, lambda made, sheet: sheet.freeze_panes(1, 2)),
    },
    "libreoffice_calc-51b11269": {
        "Arrang_Value_min_to_max.xlsx": book(AMOUNTS),
        "Arrang_Value_min_to_max_gold.xlsx": book(
            [AMOUNTS[0], *sorted(AMOUNTS[1:], key=lambda row: int(row[2]))]
        ),
    },
    "libreoffice_calc-6054afcb": {
        "Date_Budget_Variance_HideNA.xlsx": book(BUDGET),
        "Date_Budget_Variance_HideNA_gold.xlsx": drawn(BUDGET, hidden),
    },
    "libreoffice_calc-6e99a1ad": {
        "Keep_Two_decimal_points.xlsx": book(SPENT, names=["Sheet1"]),
        "Keep_Two_decimal_points_gold.xlsx": book(SPENT, names=["Sheet1"]),
        "Keep_Two_decimal_points_gold-Sheet1.csv": said(
            "name,spent\nbread,3.46\nmilk,12.00\ntea,7.10\n"
        ),
    },
    "libreoffice_calc-7efeb4b1": {
        "Order_Sales_Serial#.xlsx": book(SERIAL),
        "Order_Sales_Serial#_gold.xlsx": book(
            [SERIAL[0], *([f"No. {n}", *row[1:]] for n, row in enumerate(SERIAL[1:], 1))]
        ),
    },
    "libreoffice_calc-8b1ce5f2": {
        "Calendar_Highlight_Weekend_Days.xlsx": book(DAYS),
        "Calendar_Highlight_Weekend_Days_gold.xlsx": drawn(DAYS, weekend),
    },
    "libreoffice_calc-eb03d19a": {
        "Students_Class_Subject_Marks.xlsx": book(MARKS),
        "Students_Class_Subject_Marks_gold.xlsx": book(transposed(MARKS)),
    },
    "libreoffice_calc-ecb0df7a": {
        "Order_Id_Mark_Pass_Fail.xlsx": book(ORDERS),
        "Order_Id_Mark_Pass_Fail_gold.xlsx": book(ORDERS),
    },
}
