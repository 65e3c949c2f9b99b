"""A budget of three groups with subtotals, and three more lines that belong into it."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from openpyxl import Workbook

from ambidex.tasks.authoring.packages import write_workbook

GROUPS = {
    "Building": ("Rent", "Heating", "Electricity", "Cleaning", "Repairs", "Insurance"),
    "Events": ("Summer party", "Posters", "Music", "Catering", "First aid", "Fireworks"),
    "Office": ("Postage", "Telephone", "Printing", "Software", "Bookkeeping", "Bank charges"),
}


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Four or five lines in each group before, one more in each after."""
    groups = {}
    for name in random.sample(list(GROUPS), 3):
        items = random.sample(GROUPS[name], random.randint(5, 6))
        groups[name] = [(item, random.randrange(121, 3_999)) for item in items]
    new = {name: lines[-1] for name, lines in groups.items()}

    def write(path: Path, leave_out: int) -> dict[str, tuple[int, int]]:
        """Write the budget, and return the first row and the row of the subtotal of each group."""
        workbook = Workbook()
        sheet = workbook.active
        assert sheet
        sheet.title = "Budget"
        sheet.append((f"Budget {2025 + number}", "Euros"))
        rows = {}
        for name, lines in groups.items():
            sheet.append((name,))
            first = sheet.max_row + 1
            kept = lines[: len(lines) - leave_out]
            for line in kept:
                sheet.append(line)
            sheet.append((f"Subtotal {name}", f"=SUM(B{first}:B{first + len(kept) - 1})"))
            rows[name] = (first, first + len(kept))
        sheet.append(("Total", "=" + "+".join(f"B{subtotal}" for _, subtotal in rows.values())))
        sheet.column_dimensions["A"].width = 24
        write_workbook(workbook, path)
        return rows

    write(files / "budget.xlsx", 1)
    after = write(files / "expected.xlsx", 0)
    total_row = max(subtotal for _, subtotal in after.values()) + 1
    sums = {
        f"B{subtotal}": sum(amount for _, amount in groups[name])
        for name, (_, subtotal) in after.items()
    }
    sums[f"B{total_row}"] = sum(sums.values())

    def insert(names: list[str], at: dict[str, int]) -> list[dict[str, Any]]:
        calls: list[dict[str, Any]] = []
        for name in names:
            calls += [
                {"call": "calc_insert_rows", "with": {"row": at[name]}},
                {
                    "call": "calc_set_range_values",
                    "with": {"start_cell": f"A{at[name]}", "values": [list(new[name])]},
                },
            ]
        return calls

    def subtotals(formulas: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {"call": "calc_set_cell_value", "with": {"cell": cell, "value": value}}
            for cell, value in formulas.items()
        ]

    names = list(groups)
    # From the first group to the last, the row of each new line is the one that it has at the end.
    last_line = {name: subtotal - 1 for name, (_, subtotal) in after.items()}
    backwards = {name: row - place for place, (name, row) in enumerate(last_line.items())}
    formulas = {f"B{end}": f"=SUM(B{first}:B{end - 1})" for first, end in after.values()}
    every = "=" + "+".join(f"SUM(B{first}:B{end - 1})" for first, end in after.values())
    old_row = after[names[1]][0]
    old = groups[names[1]][0][1]
    save = [{"call": "calc_save"}]
    keys: list[dict[str, Any]] = []

    def go(cells: str) -> list[dict[str, Any]]:
        return [
            {"call": "computer_key", "with": {"keys": ["ctrl", "shift", "t"]}},
            {"call": "computer_type", "with": {"text": f"{cells}\n"}},
        ]

    for name in names:
        row = last_line[name]
        item, amount = new[name]
        keys += [
            *go(f"{row}:{row}"),
            {"call": "computer_key", "with": {"keys": ["ctrl", "add"]}},
            *go(f"A{row}"),
            {"call": "computer_type", "with": {"text": f"{item}\t{amount}\n"}},
            *go(f"B{row + 1}"),
            {"call": "computer_type", "with": {"text": f"{formulas[f'B{row + 1}']}\n"}},
        ]
    return {
        "year": 2025 + number,
        **{f"name_{at}": new[name][0] for at, name in enumerate(names, 1)},
        **{f"amount_{at}": new[name][1] for at, name in enumerate(names, 1)},
        **{f"group_{at}": name for at, name in enumerate(names, 1)},
        "sums": sums,
        "computed": list(sums),
        "tools": [
            {"call": "calc_get_range_values", "with": {"range_str": "A1:B24"}},
            *insert(names, last_line),
            *subtotals(formulas),
            {"call": "calc_get_range_values", "with": {"range_str": "A1:B24"}},
            *save,
        ],
        "variant": [
            *insert(names[::-1], backwards),
            *subtotals({**formulas, f"B{total_row}": every}),
            *save,
        ],
        "gui": [
            {"call": "computer_activate_window", "with": {"title": "budget.xlsx"}},
            *keys,
            {"call": "computer_key", "with": {"keys": ["ctrl", "s"]}},
        ],
        "short": [*insert(names, last_line), *save],
        "typed": [
            *insert(names, last_line),
            *subtotals({cell: value for cell, value in sums.items() if cell in formulas}),
            *save,
        ],
        "rounded": [
            *insert(names, last_line),
            *subtotals({**formulas, f"B{old_row}": old // 10 * 10 + (10 if old % 10 == 0 else 0)}),
            *save,
        ],
    }
