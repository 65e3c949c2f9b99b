"""An order form whose prices come from the wrong rows of the price list."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from openpyxl import Workbook

from ambidex.tasks.authoring.packages import write_workbook
from ambidex.tasks.authoring.words import COMPANIES, PRODUCTS

LINES = 12


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """A price list that is not sorted, and an order whose lookups take the nearest match in a range
    that moves down with each row."""
    codes = [
        f"{letter}-{random.randint(100, 999)}" for letter in random.sample("ABCDEFGHJKLMNPRSTV", 18)
    ]
    names = random.sample(PRODUCTS, len(codes))
    prices = [random.randrange(250, 19_000) / 100 for _ in codes]
    ordered = random.sample(range(len(codes)), LINES)
    pieces = [random.randint(1, 40) for _ in ordered]
    workbook = Workbook()
    order, listed = workbook.active, workbook.create_sheet("Price list")
    assert order
    order.title = "Order"
    listed.append(("Article", "Description", "Price"))
    for line in zip(codes, names, prices, strict=True):
        listed.append(line)
    order.append(("Article", "Pieces", "Price", "Sum"))
    last = len(codes) + 1
    for row, (at, count) in enumerate(zip(ordered, pieces, strict=True), 2):
        lookup = f"=VLOOKUP(A{row},'Price list'!A{row}:C{last + row - 2},3)"
        order.append((codes[at], count, lookup, f"=B{row}*C{row}"))
    end = LINES + 1
    order.append(("Total", None, None, f"=SUM(D2:D{end})"))
    for sheet in (order, listed):
        for letter, width in zip("ABCD", (14, 18, 12, 12), strict=True):
            sheet.column_dimensions[letter].width = width
    write_workbook(workbook, files / "order.xlsx")
    right = [prices[at] for at in ordered]
    sums = [round(price * count, 2) for price, count in zip(right, pieces, strict=True)]
    table = f"$'Price list'.$A$2:$C${last}"
    column = table.replace("$C$", "$A$")
    third = f"$'Price list'.$C$2:$C${last}"
    cells = {f"C{row}": price for row, price in enumerate(right, 2)}
    cells |= {f"D{row}": value for row, value in enumerate(sums, 2)}
    return {
        "customer": random.choice(COMPANIES),
        "first": f"=VLOOKUP(A2;{table};3;0)",
        "variant": f"=INDEX({third};MATCH(A2;{column};0))",
        "unanchored": f"=VLOOKUP(A2;{table.replace('$', '')};3;0)",
        "numbers": right,
        "area": f"C2:C{end}",
        "area_cells": [f"C{row}" for row in range(2, end + 1)],
        "cells": cells | {f"D{end + 1}": round(sum(sums), 2)},
        "rows": LINES - 1,
        "size": f"A1:D{end + 1}",
    }
