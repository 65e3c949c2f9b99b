"""The budget of an association with the auditor's remarks on its cells."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from openpyxl import Workbook
from openpyxl.comments import Comment

from ambidex.tasks.authoring.packages import write_workbook
from ambidex.tasks.authoring.words import LAST_NAMES

INCOME = ("Membership fees", "Donations", "Summer fair", "Hall let to others", "Interest", "Grants")
COSTS = ("Rent", "Heating", "Insurance", "Postage", "Repairs", "Music", "Cleaning")


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Nine remarks on two sheets: seven give another figure, one asks for a formula, one only
    agrees."""
    auditor = random.choice(LAST_NAMES)
    workbook = Workbook()
    income, costs = workbook.active, workbook.create_sheet("Costs")
    assert income
    income.title = "Income"
    figures: dict[str, dict[str, float]] = {}
    for sheet, names in ((income, INCOME), (costs, COSTS)):
        sheet.append(("Item", "Budget", "Actual"))
        cells: dict[str, float] = {}
        for row, name in enumerate(names, 2):
            planned, actual = random.randrange(20, 900) * 10, random.randrange(2_000, 900_000) / 100
            sheet.append((name, planned, actual))
            cells |= {f"B{row}": float(planned), f"C{row}": actual}
        last = len(names) + 1
        # The total of the actual income was typed in, and is wrong.
        total = f"=SUM(C2:C{last})" if sheet is costs else round(sum(cells.values()) / 2, 2)
        sheet.append(("Total", f"=SUM(B2:B{last})", total))
        sheet.column_dimensions["A"].width = 22
        figures[sheet.title] = cells
    chosen = [("Income", cell) for cell in random.sample(sorted(figures["Income"]), 4)]
    chosen += [("Costs", cell) for cell in random.sample(sorted(figures["Costs"]), 4)]
    agreed = chosen.pop()
    corrections: list[tuple[str, str, float]] = []
    for at, (name, cell) in enumerate(chosen):
        value = round(figures[name][cell] + random.randrange(-1_900, 1_900, 7) / 10, 1)
        corrections.append((name, cell, value))
        text = (f"The receipt says {value:.2f}.", f"Should be {value:.2f}, see the minutes.")[
            at % 2
        ]
        workbook[name][cell].comment = Comment(text, auditor)
    workbook[agreed[0]][agreed[1]].comment = Comment("Checked, this is right.", auditor)
    end = f"C{len(INCOME) + 2}"
    income[end].comment = Comment("Typed in. Please make it a sum like the others.", auditor)
    write_workbook(workbook, files / "budget.xlsx")
    right = {
        name: {cell: value for sheet, cell, value in corrections if sheet == name}
        for name in figures
    }
    now = figures["Income"] | right["Income"]
    total = round(sum(value for cell, value in now.items() if cell.startswith("C")), 2)
    formula = f"=SUM(C2:C{len(INCOME) + 1})"

    def write(sheet: str, cell: str, value: float | str) -> dict[str, Any]:
        given = {"cell": cell, "value": value, "sheet": sheet}
        return {"call": "calc_set_cell_value", "with": given}

    writes = [write(*correction) for correction in corrections]
    comments = [{"call": "calc_get_comments", "with": {"sheet": name}} for name in figures]
    save = [{"call": "calc_save"}]
    keys: list[dict[str, Any]] = []
    entries: list[tuple[str, str, float | str]] = [*corrections, ("Income", end, formula)]
    for name, cell, entry in entries:
        keys += [
            {"call": "computer_key", "with": {"keys": ["ctrl", "shift", "t"]}},
            {"call": "computer_type", "with": {"text": f"${name}.{cell}\n"}},
            {"call": "computer_type", "with": {"text": f"{entry}\n"}},
        ]
    return {
        "auditor": auditor,
        "income": right["Income"] | {end: total},
        "costs": right["Costs"],
        "total": end,
        "income_area": [*right["Income"], end],
        "costs_area": list(right["Costs"]),
        "tools": [
            *comments,
            *writes,
            write("Income", end, formula),
            {"call": "calc_get_cell_value", "with": {"cell": end, "sheet": "Income"}},
            *save,
        ],
        "long_sum": [
            *writes,
            write("Income", end, "=" + "+".join(f"C{row}" for row in range(2, len(INCOME) + 2))),
            *save,
        ],
        "gui": [
            {"call": "computer_activate_window", "with": {"title": "budget.xlsx"}},
            *keys,
            {"call": "computer_key", "with": {"keys": ["ctrl", "s"]}},
        ],
        "typed_total": [*writes, write("Income", end, total), *save],
        "one_sheet": [
            *(write(*one) for one in corrections if one[0] == "Income"),
            write("Income", end, formula),
            *save,
        ],
        "rounded": [
            *writes,
            write("Income", end, formula),
            write(agreed[0], agreed[1], round(figures[agreed[0]][agreed[1]] + 1)),
            *save,
        ],
    }
