"""A list of members in which some people are entered twice."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

from openpyxl import Workbook

from ambidex.tasks.authoring.packages import write_workbook
from ambidex.tasks.authoring.words import CITIES, FIRST_NAMES, LAST_NAMES

FIRST_DAY = date(2025, 1, 7)
HEADER = ("Name", "E-mail", "Town", "Entered", "Fee paid")


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Three people twice, under the same address, and two people of the same name."""
    first, last = random.sample(FIRST_NAMES, 18), random.sample(LAST_NAMES, 18)
    first[17], last[17] = first[16], last[16]
    people = [
        [f"{one} {two}", f"{_plain(one)}.{_plain(two)}@mail.example", random.choice(CITIES)]
        for one, two in zip(first, last, strict=True)
    ]
    people[17][1] = f"{_plain(first[17])}{random.randint(61, 99)}@mail.example"
    rows: list[list[Any]] = [
        [*person, FIRST_DAY + timedelta(days=random.randint(0, 90)), "yes"] for person in people
    ]
    # What the first three entered before, when they had not paid yet.
    older = []
    for at in range(3):
        name, address, town, day, _ = rows[at]
        early = day - timedelta(days=random.randint(5, 60))
        older.append([name, address.title() if at else address, town, early, "no"])
    # In one case the later entry has the capital letters.
    rows[0][1] = rows[0][1].title()
    listed = [*rows, *older]
    random.shuffle(listed)
    kept = [row for row in listed if row not in older]

    for name, content in (("members.xlsx", listed), ("expected.xlsx", kept)):
        workbook = Workbook()
        sheet = workbook.active
        assert sheet
        sheet.title = "Members"
        sheet.append(HEADER)
        for row in content:
            sheet.append(row)
        for letter, width in zip("ABCDE", (24, 34, 14, 13, 10), strict=True):
            sheet.column_dimensions[letter].width = width
        write_workbook(workbook, files / name)

    def row_of(row: list[Any], within: list[list[Any]]) -> int:
        return within.index(row) + 2

    low, middle, high = sorted((row_of(row, listed) for row in older), reverse=True)
    newer = sorted((row_of(row, listed) for row in rows[:3]), reverse=True)
    return {
        "low": low,
        "middle": middle,
        "high": high,
        "newer_low": newer[0],
        "newer_middle": newer[1],
        "newer_high": newer[2],
        "namesake": row_of(rows[17], kept),
        "capital": row_of(rows[0], kept),
        "small": rows[0][1].lower(),
        "rows": [[name, address, town, str(day), paid] for name, address, town, day, paid in kept],
    }


def _plain(name: str) -> str:
    """The name in the letters of an address."""
    table = str.maketrans("îáå", "iaa")
    return name.lower().translate(table)
