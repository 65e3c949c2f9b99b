"""A year's sales of four branches, each in a workbook of its own, and an empty summary."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from openpyxl import Workbook

from ambidex.tasks.authoring.packages import write_workbook
from ambidex.tasks.authoring.words import CITIES, PRODUCTS

YEARS = (2023, 2024, 2025)


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """One branch reports in thousands of euros; two have added a total."""
    year = YEARS[number - 1]
    branches = sorted(random.sample(CITIES, 4))
    thousands, *totalled = random.sample(range(4), 3)
    sums, hasty, doubled = [], [], []
    for at, branch in enumerate(branches):
        unit = 1000 if at == thousands else 1
        products = random.sample(PRODUCTS, random.randint(5, 8))
        lines = [
            [random.randrange(21, 98) / 10 if unit == 1000 else random.randrange(1_800, 9_900)
             for _ in range(4)]
            for _ in products
        ]  # fmt: skip
        columns = [round(sum(line[quarter] for line in lines), 1) for quarter in range(4)]
        workbook = Workbook()
        sheet = workbook.active
        assert sheet
        sheet.title = str(year)
        sheet.append((f"Branch {branch}, sales {year}",))
        sheet.append((f"Figures in {'thousands of ' if unit == 1000 else ''}euros",))
        sheet.append(("Product", "Q1", "Q2", "Q3", "Q4"))
        for product, line in zip(products, lines, strict=True):
            sheet.append((product, *line))
        if at in totalled:
            sheet.append(("Total", *columns))
        sheet.column_dimensions["A"].width = 28
        write_workbook(workbook, files / f"branch-{at + 1}.xlsx")
        sums.append([round(column * unit) for column in columns])
        hasty.append(columns)
        doubled.append([value * 2 if at in totalled else value for value in sums[-1]])

    summary = Workbook()
    sheet = summary.active
    assert sheet
    sheet.title = "Sales"
    sheet.append((f"Sales {year} in euros",))
    sheet.append(())
    sheet.append(("Branch", "Q1", "Q2", "Q3", "Q4", "Year"))
    for branch in branches:
        sheet.append((branch,))
    sheet.append(("All branches",))
    sheet.column_dimensions["A"].width = 20
    write_workbook(summary, files / "summary.xlsx")

    def filled(rows: list[Any]) -> list[list[Any]]:
        body = [[*row, f"=SUM(B{at}:E{at})"] for at, row in enumerate(rows, 4)]
        return [*body, [f"=SUM({letter}4:{letter}7)" for letter in "BCDEF"]]

    values = filled(sums)
    cells = {f"{letter}{at}": row[column]
             for at, row in enumerate(sums, 4) for column, letter in enumerate("BCDE")}  # fmt: skip
    cells |= {f"F{at}": sum(row) for at, row in enumerate(sums, 4)}
    cells |= {f"{letter}8": sum(row[column] for row in sums)
              for column, letter in enumerate("BCDE")}  # fmt: skip
    cells["F8"] = sum(sum(row) for row in sums)
    plus = [[*row, f"=B{at}+C{at}+D{at}+E{at}"] for at, row in enumerate(sums, 4)]
    plus.append(
        [*(f"={letter}4+{letter}5+{letter}6+{letter}7" for letter in "BCDE"), "=SUM(B8:E8)"]
    )

    def write(rows: list[list[Any]]) -> list[dict[str, Any]]:
        to = {"start_cell": "B4", "values": rows, "document": "summary.xlsx"}
        return [
            {"call": "calc_set_range_values", "with": to},
            {"call": "calc_save", "with": {"document": "summary.xlsx"}},
        ]

    reads: list[dict[str, Any]] = [
        {"call": "calc_get_range_values", "with": {"range_str": "A1:F8"}},
        {"call": "files_list_directory", "with": {"path": "~/Documents/Branches"}},
    ]
    for branch in branches:
        reads += [
            {"call": "calc_open_workbook", "with": {"path": f"~/Documents/Branches/{branch}.xlsx"}},
            {"call": "calc_get_range_values", "with": {"range_str": "A1:E14"}},
        ]
    names = ("one", "two", "three", "four")
    return {
        **dict(zip(names, branches, strict=True)),
        "thousands": branches[thousands],
        "cells": cells,
        "values": values,
        "in_thousands": filled(hasty),
        "doubled": filled(doubled),
        "tools": [*reads, *write(values)],
        "variant": write(plus),
        "typed": "".join("\t".join(str(value) for value in row) + "\n" for row in values),
    }
