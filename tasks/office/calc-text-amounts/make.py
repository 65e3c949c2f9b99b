"""The export of a web shop in which most amounts are text, so that their sum leaves them out."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

from openpyxl import Workbook

from ambidex.tasks.authoring.packages import write_workbook
from ambidex.tasks.authoring.words import FIRST_NAMES, LAST_NAMES

ORDERS = 16
MONTHS = ("January", "April", "September")


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Three refunds in brackets, three amounts that are numbers already, and the rest as text."""
    lasts = random.sample(LAST_NAMES, ORDERS)
    spots = random.sample(range(ORDERS), 9)
    refunds, numbers, currency = set(spots[:3]), set(spots[3:6]), set(spots[6:])
    month = MONTHS[number - 1]
    day = date(2026, (1, 4, 9)[number - 1], 1)
    code = random.randint(311, 799)
    workbook = Workbook()
    sheet = workbook.active
    assert sheet
    sheet.title = "Orders"
    sheet.append(("Order", "Day", "Customer", "Amount"))
    amounts: list[float] = []
    for at in range(ORDERS):
        cents = random.randrange(104_500, 489_900, 5)
        if at in refunds or at % 3 == 0:
            cents = random.randrange(1_450, 24_900, 5)
        written: str | float = f"{cents / 100:,.2f}"
        if at in refunds:
            written = f"({written})"
        elif at in numbers:
            written = cents / 100
        elif at in currency:
            written = f"EUR {written}"
        amounts.append((-cents if at in refunds else cents) / 100)
        code += random.randint(1, 9)
        day += timedelta(days=random.choice((0, 1, 2)))
        name = f"{random.choice(FIRST_NAMES)} {lasts[at]}"
        sheet.append((f"{code:06d}", day, name, written))
    last = ORDERS + 1
    sheet.append(("Total", None, None, f"=SUM(D2:D{last})"))
    for letter, width in zip("ABCD", (12, 13, 24, 16), strict=True):
        sheet.column_dimensions[letter].width = width
    write_workbook(workbook, files / "orders.xlsx")
    total = round(sum(amounts), 2)
    codes = [int(str(sheet[f"A{row}"].value)) for row in range(2, last + 1)]
    return {
        "month": month,
        "cells": {f"D{row}": value for row, value in enumerate(amounts, 2)}
        | {f"D{last + 1}": total},
        "area": f"D2:D{last}",
        "size": f"A1:D{last + 1}",
        "values": amounts,
        "unsigned": [abs(value) for value in amounts],
        "codes": codes,
        "typed": "".join(f"{value:.2f}\n" for value in amounts),
        "sum_cell": f"D{last + 1}",
        "total": total,
    }
