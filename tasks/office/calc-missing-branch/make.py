"""A year of sales by branch, in which one quarter of one branch was never delivered."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from openpyxl import Workbook

from ambidex.tasks.authoring.packages import write_workbook
from ambidex.tasks.authoring.words import CITIES


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """A sheet for each quarter. In one of them a branch has no figure, and a note says why."""
    branches = sorted(random.sample(CITIES, 6))
    branch = random.choice(branches[1:])
    quarter = random.randint(2, 4)
    year = 2023 + number
    workbook = Workbook()
    total = workbook.active
    assert total
    total.title = "Year"
    total.append(("Branch", f"Sales {year}"))
    sales = {name: [random.randrange(40, 400) * 100 for _ in range(4)] for name in branches}
    for name in branches:
        total.append((name, None))
    for at in range(1, 5):
        sheet = workbook.create_sheet(f"Q{at}")
        sheet.append(("Branch", "Sales", "Note"))
        for name in branches:
            absent = (name, at) == (branch, quarter)
            note = "no report received, not to be estimated" if absent else None
            sheet.append((name, None if absent else sales[name][at - 1], note))
        sheet.column_dimensions["A"].width, sheet.column_dimensions["C"].width = 16, 38
    total.column_dimensions["A"].width = 16
    write_workbook(workbook, files / "branches.xlsx")
    row = branches.index(branch) + 2
    without = sum(sales[branch]) - sales[branch][quarter - 1]
    return {
        "branch": branch,
        "year": year,
        "quarter": f"Q{quarter}",
        "cell": f"B{row}",
        "source": f"A{row}",
        "without": without,
        "guess": without * 4 // 3,
    }
