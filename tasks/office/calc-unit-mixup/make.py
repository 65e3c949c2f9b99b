"""Meter readings of which some were typed in as MWh, in a column that is meant to be in kWh."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from random import Random
from typing import Any

from openpyxl import Workbook

from ambidex.tasks.authoring.packages import write_workbook
from ambidex.tasks.authoring.words import FIRST_NAMES

BUILDINGS = ("Bakery", "Cold store", "Warehouse", "Workshop", "Laundry", "Greenhouse", "Offices")
MONTHS = 5


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Four buildings and a garage, which uses next to nothing; one building gets another meter."""
    names = random.sample(BUILDINGS, 4)
    meters = random.sample(range(20_114, 79_989), 6)
    large, replaced = meters[1], meters[5]
    new_from = random.choice((2, 3))
    garage = meters[4]
    workbook = Workbook()
    readings, listed = workbook.active, workbook.create_sheet("Meters")
    assert readings
    readings.title = "Readings"
    readings.append(("Read on", "Building", "Meter", "Used (kWh)", "Euros", "Note"))
    listed.append(("Meter", "Building", "Display", "In use"))
    for at, building in enumerate((*names, "Garage")):
        unit = "MWh" if meters[at] == large else "kWh"
        listed.append((meters[at], building, unit, "replaced" if at == 2 else "yes"))
    listed.append((replaced, names[2], "MWh", "yes"))

    converted_month = random.randrange(MONTHS)
    right: list[float] = []
    shown: list[float] = []
    by_meter: list[float] = []
    by_size: list[float] = []
    wrong: list[int] = []
    for month in range(MONTHS):
        for at, building in enumerate((*names, "Garage")):
            meter = replaced if at == 2 and month >= new_from else meters[at]
            used: float = random.randrange(1_013, 9_987)
            if meter == garage:
                used = random.randrange(21, 89) / 10
            note = None
            mega = meter in (large, replaced)
            if meter == large and month == converted_month:
                mega, note = False, "MWh on the display, entered in kWh"
            row = len(right) + 2
            right.append(used)
            shown.append(round(used / 1000, 3) if mega else used)
            by_meter.append(used * 1000 if note else used)
            by_size.append(round(used * 1000) if meter == garage else used)
            wrong += [row] if mega else []
            day = date(2024 + number, month + 2, 1)
            readings.append((day, building, meter, shown[-1], f"=D{row}*0.29", note))
    last = len(right) + 1
    readings.append(("Total", None, None, f"=SUM(D2:D{last})", f"=SUM(E2:E{last})"))
    for sheet in (readings, listed):
        for letter, width in zip("ABCDEF", (13, 16, 12, 13, 12, 38), strict=True):
            sheet.column_dimensions[letter].width = width
    write_workbook(workbook, files / "energy.xlsx")
    return {
        "who": random.choice(FIRST_NAMES),
        "cells": {f"D{row}": right[row - 2] for row in wrong},
        "total": {f"D{last + 1}": round(sum(right), 1)},
        "changed": [f"D{row}" for row in wrong],
        "size": f"A1:F{last + 1}",
        "values": right,
        "products": [
            f"={shown[row - 2]}*1000" if row in wrong else right[row - 2]
            for row in range(2, last + 1)
        ],
        # Enter alone goes down and leaves the cell as it is.
        "typed": "".join(
            f"{right[row - 2] if row in wrong else ''}\n" for row in range(2, max(wrong) + 1)
        ),
        "by_meter": by_meter,
        "by_size": by_size,
    }
