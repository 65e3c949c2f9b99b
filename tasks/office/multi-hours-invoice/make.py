"""What a workshop has worked, and an invoice whose table is still empty."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import docx
from openpyxl import Workbook

from ambidex.tasks.authoring.packages import write_document, write_workbook
from ambidex.tasks.authoring.words import CITIES, COMPANIES, FIRST_NAMES

MONTHS = (date(2025, 4, 1), date(2025, 7, 1), date(2025, 11, 1))
WORK = {"Assembly": 4850, "Design": 8200, "Painting": 5125, "Repairs": 5600, "Transport": 3975}
"""The price of an hour of each kind of work, in cents."""
HEADER = ["Work", "Hours", "Price", "Amount"]


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Two months of work for three clients; three kinds of it were for the client asked for."""
    month = MONTHS[number - 1]
    clients = random.sample(COMPANIES, 3)
    client, city = clients[0], random.choice(CITIES)
    kinds = sorted(random.sample(list(WORK), 3))
    people = random.sample(FIRST_NAMES, 4)
    rows: list[tuple[date, str, str, str, float, str]] = []

    def work(first: date, who: str, kind: str, bill: str) -> None:
        day = first + timedelta(days=random.randrange(28))
        hours = random.randrange(3, 30) / 4
        rows.append((day, random.choice(people), who, kind, hours, bill))

    before = (month - timedelta(days=1)).replace(day=1)
    for kind in kinds:
        for _ in range(random.randint(3, 4)):
            work(month, client, kind, "yes")
        work(before, client, kind, "yes")
    for kind in kinds[:2]:
        work(month, client, kind, "no")
    for _ in range(12):
        work(
            random.choice((before, month)),
            random.choice(clients[1:]),
            random.choice(list(WORK)),
            "yes",
        )
    rows.sort(key=lambda row: (row[0], row[1]))

    workbook = Workbook()
    sheet, rates = workbook.active, workbook.create_sheet("Rates")
    assert sheet
    sheet.title = "Hours"
    sheet.append(("Day", "Who", "Client", "Work", "Hours", "Bill"))
    for row in rows:
        sheet.append(row)
    rates.append(("Work", "Euros an hour"))
    for kind, cents in WORK.items():
        rates.append((kind, cents / 100))
    for letter, width in zip("ABCDEF", (13, 12, 24, 14, 9, 7), strict=True):
        sheet.column_dimensions[letter].width = width
    write_workbook(workbook, files / "hours.xlsx")

    def table(unbilled: bool = False, earlier: bool = False) -> list[list[str]]:
        lines, total = [], 0
        for kind in kinds:
            quarters = sum(
                round(hours * 4)
                for day, _, who, what, hours, bill in rows
                if who == client
                and what == kind
                and (earlier or day >= month)
                and (unbilled or bill == "yes")
            )
            amount = round(quarters * WORK[kind] / 4)
            total += amount
            lines.append([kind, f"{quarters / 4:.2f}", _euros(WORK[kind]), _euros(amount)])
        return [*lines, ["Sum", "", "", _euros(total)]]

    def paragraphs(lines: list[list[str]]) -> list[str]:
        return [
            f"Invoice {month:%Y-%m}-{number + 16}",
            f"To {client}, {city}. Work of {month:%B %Y}.",
            *HEADER,
            *(text for line in lines for text in line if text),
            "Please pay within 30 days. All amounts are in euros.",
        ]

    document = docx.Document()
    texts = paragraphs([])
    document.add_paragraph(texts[0], style="Heading 1")
    document.add_paragraph(texts[1])
    grid = document.add_table(rows=5, cols=4, style="Table Grid")
    for cell, text in zip(grid.rows[0].cells, HEADER, strict=True):
        cell.text = text
    grid.cell(4, 0).text = "Sum"
    document.add_paragraph(texts[-1])
    write_document(document, files / "invoice.docx")

    def fill(lines: list[list[str]]) -> list[dict[str, Any]]:
        return [
            {"call": "writer_set_table_cell", "with": {"table": 0, "cell": f"{letter}{at}", "text": text}}
            for at, line in enumerate(lines, 2)
            for letter, text in zip("ABCD", line, strict=True)
            if text and text != "Sum"
        ]  # fmt: skip

    right = table()
    save = [{"call": "writer_save"}]
    mark = {"cell": "G2", "value": "billed", "document": "hours.xlsx"}
    return {
        "client": client,
        "month": f"{month:%B %Y}",
        "paragraphs": paragraphs(right),
        "tools": [
            {"call": "calc_get_range_values", "with": {"range_str": "A1:F40", "sheet": "Hours"}},
            {"call": "calc_get_range_values", "with": {"range_str": "A1:B6", "sheet": "Rates"}},
            {"call": "writer_get_tables"},
            *fill(right),
            *save,
        ],
        "typed": "\t".join(text for line in right[:3] for text in line) + "\t\t\t\t" + right[3][3],
        "all_hours": [*fill(table(unbilled=True)), *save],
        "both_months": [*fill(table(earlier=True)), *save],
        "marked": [
            *fill(right),
            *save,
            {"call": "calc_set_cell_value", "with": mark},
            {"call": "calc_save", "with": {"document": "hours.xlsx"}},
        ],
    }


def _euros(cents: int) -> str:
    return f"{cents / 100:.2f}"
