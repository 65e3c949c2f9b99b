"""A workbook for the orders of a quarter, which the intranet has."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from random import Random
from typing import Any

from openpyxl import Workbook

from ambidex.tasks.authoring.packages import write_workbook

SEED = Path(__file__).parents[1] / "shared" / "files" / "intranet" / "seed.sql"
QUARTERS = (
    ("first", "2026-01-01", "2026-03-31", "1 January", "31 March"),
    ("second", "2026-04-01", "2026-06-30", "1 April", "30 June"),
    ("third", "2026-07-01", "2026-09-30", "1 July", "30 September"),
)
REGIONS = ("East", "North", "South", "West")


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """The workbook is the same for each quarter but for its title."""
    quarter, first, last, first_day, last_day = QUARTERS[number - 1]
    workbook = Workbook()
    sheet = workbook.active
    assert sheet
    sheet.title = "Orders"
    sheet.append((f"Q{number} 2026", "Orders", "Euros"))
    for region in (*REGIONS, "All"):
        sheet.append((region,))
    write_workbook(workbook, files / "quarter.xlsx")

    database = sqlite3.connect(":memory:")
    database.executescript(SEED.read_text(encoding="utf-8"))

    def rows(cancelled: bool) -> list[list[float]]:
        query = (
            "SELECT count(*), sum(cents) / 100.0 FROM orders WHERE day BETWEEN ? AND ?"
            " AND region = ? AND (? OR status != 'Cancelled')"
        )
        return [
            list(database.execute(query, (first, last, region, cancelled)).fetchone())
            for region in REGIONS
        ]

    right, every = rows(False), rows(True)
    assert right != every
    sums = [sum(row[column] for row in right) for column in (0, 1)]
    formulas = ["=SUM(B2:B5)", "=SUM(C2:C5)"]
    lines: list[list[Any]] = [*right, formulas]
    cells = {
        f"{letter}{at}": value
        for at, row in enumerate([*right, sums], 2)
        for letter, value in zip("BC", row, strict=True)
    }
    return {
        "quarter": quarter,
        "from": first,
        "to": last,
        "first_day": first_day,
        "last_day": last_day,
        "cells": cells,
        "values": [*right, formulas],
        "with_cancelled": [*every, formulas],
        "typed_sum": [*right, sums],
        "typed": "".join(f"{row[0]}\t{row[1]}\n" for row in lines),
    }
