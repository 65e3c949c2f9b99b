"""A list of loans of a library of tools, some of them overdue."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

from openpyxl import Workbook

from ambidex.tasks.authoring.packages import write_workbook
from ambidex.tasks.authoring.words import FIRST_NAMES, LAST_NAMES, NUMBERS, PRODUCTS, spellings

DAYS = (date(2025, 5, 12), date(2025, 8, 25), date(2025, 11, 17))
LOANS = 40


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Loans, most of them returned. One member has most of the overdue ones; another has more
    loans, and a third has the oldest."""
    today = DAYS[number - 1]
    members = [
        f"{first} {last}"
        for first, last in zip(
            random.sample(FIRST_NAMES, 9), random.sample(LAST_NAMES, 9), strict=True
        )
    ]
    late, busy, oldest, *rest = members
    loans: list[tuple[str, int, int | None]] = []  # member, days since it was due, returned before
    loans += [(late, random.randint(3, 40), None) for _ in range(4)]
    loans += [(busy, random.randint(-10, 60), random.randint(1, 20)) for _ in range(8)]
    loans += [(busy, random.randint(2, 30), None), (busy, -3, None)]
    loans += [(oldest, 155 + random.randint(0, 20), None), (oldest, random.randint(1, 9), None)]
    while len(loans) < LOANS:
        returned = None if random.random() < 0.2 else random.randint(1, 25)
        days = random.randint(-14, 0) if returned is None else random.randint(-14, 90)
        loans.append((random.choice(rest), days, returned))
    random.shuffle(loans)
    workbook = Workbook()
    sheet = workbook.active
    assert sheet
    sheet.title = "Loans"
    sheet.append(("Loan", "Member", "Tool", "Due", "Returned"))
    first = random.randint(1200, 4800)
    overdue: list[tuple[str, int]] = []
    for at, (member, days, returned) in enumerate(loans):
        due = today - timedelta(days=days)
        back = (
            None if returned is None else min(today, due + timedelta(days=5)) - timedelta(returned)
        )
        sheet.append((first + at, member, random.choice(PRODUCTS), due, back))
        if returned is None and days > 0:
            overdue.append((member, days))
    for letter, width in zip("ABCDE", (9, 24, 18, 13, 13), strict=True):
        sheet.column_dimensions[letter].width = width
    sheet.freeze_panes = "A2"
    write_workbook(workbook, files / "loans.xlsx")
    count = sum(member == late for member, _ in overdue)
    return {
        "today": f"{today.day} {today:%B %Y}",
        "facts": [[late], spellings(len(overdue)), spellings(count)],
        "absent": [member for member in members if member != late],
        "right": f"{late} has the most: {count} of the {len(overdue)} overdue loans.",
        "words": f"{len(overdue)} are overdue. {late} has {NUMBERS[count]} of them, the most.",
        "busiest": f"{busy} has the most: 10 of the {len(overdue)} overdue loans.",
        "all_open": f"{late} has the most: {count} of the {len(overdue) + 3} overdue loans.",
    }
