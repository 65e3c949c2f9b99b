"""Addresses in one cell each, and the columns that a courier wants them in."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from openpyxl import Workbook

from ambidex.tasks.authoring.packages import write_workbook
from ambidex.tasks.authoring.words import CITIES, COMPANIES, FIRST_NAMES, LAST_NAMES

STREETS = (
    "Harbour Street", "Mill Lane", "Station Road", "Old Market", "Orchard Way", "Bridge Street",
    "North Quay", "Chapel Hill", "Ferry Road", "Tanner Row",
)  # fmt: skip
TOWNS = ("Bad Aibling", "Le Havre", "Nowy Targ", "San Remo")


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Eight addresses: two in care of a firm, four with a zero in front of the postcode."""
    firsts, lasts = random.sample(FIRST_NAMES, 8), random.sample(LAST_NAMES, 8)
    towns = [*random.sample(CITIES, 6), *random.sample(TOWNS, 2)]
    cared = set(random.sample(range(8), 2))
    zeros = {*random.sample(range(8), 4)}
    rows = []
    for at in range(8):
        name = f"{firsts[at]} {lasts[at]}"
        if at in cared:
            name += f", c/o {random.choice(COMPANIES)}"
        street = f"{random.choice(STREETS)} {random.randint(2, 98)}"
        street += random.choice(("", "", "b"))
        code = (
            f"{random.randint(211, 9_899):05d}"
            if at in zeros
            else f"{random.randint(10_115, 98_999)}"
        )
        rows.append([name, street, code, towns[at]])
    random.shuffle(rows)
    orders = [f"W-{random.randint(10, 19)}{at:02d}" for at in range(31, 39)]
    workbook = Workbook()
    source, courier = workbook.active, workbook.create_sheet("Courier")
    assert source
    source.title = "Orders"
    source.append(("Order", "Ship to"))
    courier.append(("Order", "Name", "Street", "Postcode", "Town"))
    for order, (name, street, code, town) in zip(orders, rows, strict=True):
        source.append((order, f"{name}, {street}, {code} {town}"))
        courier.append((order,))
    source.column_dimensions["B"].width = 64
    for letter, width in zip("BCDE", (34, 24, 12, 16), strict=True):
        courier.column_dimensions[letter].width = width
    write_workbook(workbook, files / "shipping.xlsx")

    def shifted(row: list[str]) -> list[str]:
        name, street, code, town = row
        who, _, care = name.partition(", ")
        return [who, care, code, town] if care else [name, street, code, town]

    return {
        "cells": {
            f"{letter}{at}": value
            for at, row in enumerate(rows, 2)
            for letter, value in zip("BCDE", row, strict=True)
        },
        "rows": rows,
        "numbers": [[name, street, int(code), town] for name, street, code, town in rows],
        "shifted": [shifted(row) for row in rows],
        # An apostrophe makes what follows text.
        "typed": "".join(
            f"{name}\t{street}\t'{code}\t{town}\n" for name, street, code, town in rows
        ),
    }
