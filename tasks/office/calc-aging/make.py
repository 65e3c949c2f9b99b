"""The open invoices of a wholesaler, of which some are paid in part."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

from openpyxl import Workbook

from ambidex.tasks.authoring.packages import write_workbook
from ambidex.tasks.authoring.words import COMPANIES

DAYS = (date(2025, 4, 30), date(2025, 9, 30), date(2025, 12, 31))
BANDS = ((1, 30), (31, 60), (61, 90), (91, 9999))
EDGES = (0, 30, 31, 60, 61, 90, 91)
"""Days overdue that every list has: those at which bands begin and end."""


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Invoices with due dates around a day, and what is left to pay in each band of age."""
    today = DAYS[number - 1]
    ages = [*EDGES, *(random.randint(-25, 160) for _ in range(9))]
    random.shuffle(ages)
    names = [random.choice(COMPANIES) for _ in ages]
    totals = [random.randrange(2_000, 90_000) * 5 for _ in ages]  # cents
    paid = [random.choice((0, 0, 0, 1, 2)) * total // 4 for total in totals]
    workbook = Workbook()
    invoices, summary = workbook.active, workbook.create_sheet("Aging")
    assert invoices
    invoices.title = "Invoices"
    invoices.append(("Invoice", "Customer", "Due", "Amount", "Paid"))
    first = random.randint(300, 800)
    for at, (age, name, total, part) in enumerate(zip(ages, names, totals, paid, strict=True)):
        due = today - timedelta(days=age)
        invoices.append((f"{today.year}-{first + at}", name, due, total / 100, part / 100))
    summary.append(("As of", today))
    summary.append(())
    for label in ("Days overdue", "Not yet overdue", "1 to 30", "31 to 60", "61 to 90"):
        summary.append((label, "Outstanding" if label == "Days overdue" else None))
    summary.append(("Over 90",))
    summary.append(("Total",))
    for sheet in (invoices, summary):
        for letter, width in zip("ABCDE", (16, 22, 13, 12, 12), strict=True):
            sheet.column_dimensions[letter].width = width
    write_workbook(workbook, files / "receivables.xlsx")

    def outstanding(low: int, high: int) -> float:
        chosen = [
            total - part
            for age, total, part in zip(ages, totals, paid, strict=True)
            if low <= age <= high
        ]
        return sum(chosen) / 100

    spans = ((-9999, 0), *BANDS, (-9999, 9999))
    last = len(ages) + 1
    days, left = f"$Invoices.$C$2:$C${last}", f"($Invoices.$D$2:$D${last}-$Invoices.$E$2:$E${last})"

    def product(low: int, high: int) -> str:
        age = f"($B$1-{days})"
        return f"=SUMPRODUCT(({age}>={low})*({age}<={high})*{left})"

    def sums(low: int, high: int) -> str:
        def part(column: str) -> str:
            area = f"$Invoices.${column}$2:${column}${last}"
            return f'SUMIFS({area};{days};"<="&($B$1-{low});{days};">="&($B$1-{high}))'

        return f"={part('D')}-{part('E')}"

    values = [outstanding(low, high) for low, high in spans]
    formulas = [product(low, high) for low, high in spans[:-1]]
    return {
        "today": f"{today.day} {today:%B %Y}",
        "values": dict(zip((f"B{row}" for row in range(4, 10)), values, strict=True)),
        "numbers": values,
        "formulas": [*formulas, "=SUM(B4:B8)"],
        "variant": [*(sums(low, high) for low, high in spans[:-1]), "=SUM(B4:B8)"],
        "gross_formulas": [
            formula.replace(left, left[1:].partition("-")[0]) for formula in formulas
        ]
        + ["=SUM(B4:B8)"],
        "typed": "".join(f"{formula}\n" for formula in (*formulas, "=SUM(B4:B8)")),
    }
