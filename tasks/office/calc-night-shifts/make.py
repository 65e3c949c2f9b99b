"""A month of shifts whose hours are computed wrongly as soon as a shift ends after midnight."""

from __future__ import annotations

from datetime import date, time, timedelta
from pathlib import Path
from random import Random
from typing import Any

from openpyxl import Workbook

from ambidex.tasks.authoring.packages import write_workbook
from ambidex.tasks.authoring.words import FIRST_NAMES

SHIFTS = 18
LENGTHS = (19, 27, 30, 33)
"""In quarters of an hour."""


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Every third shift ends after midnight, one of them at midnight; three people work them."""
    people = random.sample(FIRST_NAMES, 3)
    nights = set(random.sample(range(1, SHIFTS), 6))
    midnight = min(nights)
    day = date(2026, 4 * number - 1, 1)
    wage = random.choice((15, 16, 18))
    workbook = Workbook()
    sheet = workbook.active
    assert sheet
    sheet.title = "Shifts"
    sheet.append(("Day", "Name", "From", "To", "Break (minutes)", "Hours"))
    hours: list[float] = []
    without_break: list[float] = []
    hours_of = dict.fromkeys(people, 0.0)
    night_ends: dict[int, time] = {}
    for at in range(SHIFTS):
        length, rest = random.choice(LENGTHS), random.choice((0, 15, 30, 45))
        start = random.randrange(28, 48)
        if at == midnight:
            start = 96 - length
        elif at in nights:
            start = random.randrange(96 - length + 3, 92)
        end = (start + length) % 96
        row = at + 2
        name = people[at % 3] if at < 3 else random.choice(people)
        hours.append(length / 4 - rest / 60)
        without_break.append(length / 4)
        hours_of[name] += hours[-1]
        if at in nights:
            night_ends[row] = _clock(end)
        formula = f"=(D{row}-C{row})*24-E{row}/60"
        sheet.append((day, name, _clock(start), _clock(end), rest, formula))
        day += timedelta(days=random.choice((1, 1, 2)))
        sheet[f"C{row}"].number_format = sheet[f"D{row}"].number_format = "HH:MM"
        sheet[f"F{row}"].number_format = "0.00"
    last = SHIFTS + 1
    for column, title in zip("HIJ", ("Name", "Hours", "Pay"), strict=True):
        sheet[f"{column}1"] = title
    sums: dict[str, float] = {}
    for row, (name, worked) in enumerate(hours_of.items(), 2):
        sheet[f"H{row}"] = name
        sheet[f"I{row}"] = f"=SUMIF(B$2:B${last},H{row},F$2:F${last})"
        sheet[f"J{row}"] = f"=I{row}*{wage}"
        sums |= {f"I{row}": worked, f"J{row}": worked * wage}
    for letter, width in zip("ABCDEFGHIJ", (13, 14, 9, 9, 16, 10, 4, 14, 10, 12), strict=True):
        sheet.column_dimensions[letter].width = width
    write_workbook(workbook, files / "shifts.xlsx")
    one = min(row for row, end in night_ends.items() if end != time(0))
    moved = night_ends[one]
    return {
        "month": f"{date(2026, 4 * number - 1, 1):%B}",
        "cells": {f"F{row}": value for row, value in enumerate(hours, 2)} | sums,
        "computed": [f"F{row}" for row in range(2, last + 1)],
        "area": f"F2:F{last}",
        "size": f"A1:J{last}",
        "rows": SHIFTS - 1,
        "numbers": hours,
        "moved": f"D{one}",
        "moved_to": 1 + (moved.hour * 60 + moved.minute) / 1440,
    }


def _clock(quarters: int) -> time:
    return time(quarters // 4, quarters % 4 * 15)
