"""A list of open invoices, and the template of a reminder."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import docx
from openpyxl import Workbook

from ambidex.tasks.authoring.packages import write_document, write_workbook
from ambidex.tasks.authoring.words import CITIES, COMPANIES, FIRST_NAMES, LAST_NAMES

DAYS = (date(2025, 5, 12), date(2025, 8, 18), date(2025, 11, 10))
FOLDER = "~/Documents/Reminders"
PLACEHOLDERS = ("[Customer]", "[Contact]", "[Invoice]", "[Amount]", "[Due]")


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Nine open invoices. Three of them get a reminder; one of these is paid in part."""
    today = DAYS[number - 1]
    city = random.choice(CITIES)
    customers = random.sample(COMPANIES, 9)
    firsts, lasts = random.sample(FIRST_NAMES, 10), random.sample(LAST_NAMES, 10)
    sender, *contacts = [f"{first} {last}" for first, last in zip(firsts, lasts, strict=True)]
    # (days overdue, remark, whether a part is paid); the first three get a reminder.
    kinds = [
        (15, "", False),
        (random.randint(20, 29), "", True),
        (random.randint(30, 50), "wants a copy of the invoice", False),
        (14, "", False),
        (random.randint(18, 40), "disputed: two boxes were broken", False),
        (random.randint(16, 25), "wait, pays with the next order", False),
        (random.randint(1, 13), "", True),
        (-random.randint(3, 20), "", False),
        (-random.randint(3, 20), "", False),
    ]
    totals = [random.randrange(20_000, 400_000, 5) for _ in kinds]  # cents
    rows = []
    for (age, remark, part), customer, contact, total in zip(
        kinds, customers, contacts, totals, strict=True
    ):
        paid = total // 300 * 100 if part else 0
        rows.append((customer, contact, today - timedelta(days=age), total, paid, remark))
    order = list(range(9))
    random.shuffle(order)
    first = random.randint(310, 880)
    numbers = {at: f"{today.year}-{first + place}" for place, at in enumerate(order)}

    workbook = Workbook()
    sheet = workbook.active
    assert sheet
    sheet.title = "Open"
    sheet.append(("Invoice", "Customer", "Contact", "Due", "Amount", "Paid", "Remark"))
    for at in order:
        customer, contact, due, total, paid, remark = rows[at]
        sheet.append((numbers[at], customer, contact, due, total / 100, paid / 100, remark))
    for column, width in zip("ABCDEFG", (12, 22, 22, 13, 12, 12, 36), strict=True):
        sheet.column_dimensions[column].width = width
    write_workbook(workbook, files / "receivables.xlsx")

    def letter(values: tuple[str, ...]) -> list[str]:
        customer, contact, invoice, amount, due = values
        return [
            f"Mill & Sons, Packaging, {city}",
            f"To: {contact}, {customer}",
            "First reminder",
            f"Dear {contact},",
            f"our invoice {invoice} was due on {due}, and {amount} euros of it are still open. Please"
            " transfer the sum within ten days.",
            "If you have paid in the meantime, please take this letter as settled.",
            "Kind regards",
            f"{sender}, accounts",
        ]

    template = docx.Document()
    for at, line in enumerate(letter(PLACEHOLDERS)):
        template.add_paragraph(line, style="Heading 1" if at == 0 else None)
    write_document(template, files / "reminder.docx")

    def values_of(at: int, gross: bool = False) -> tuple[str, ...]:
        customer, contact, due, total, paid, _ = rows[at]
        left = total if gross else total - paid
        return (customer, contact, numbers[at], f"{left / 100:.2f}", f"{due.day} {due:%B %Y}")

    def replace(old: tuple[str, ...], new: tuple[str, ...]) -> list[dict[str, Any]]:
        return [
            {
                "call": "writer_find_and_replace",
                "with": {"pattern": was, "replacement": now, "regular_expression": False},
            }
            for was, now in zip(old, new, strict=True)
        ]

    open_template = {"call": "writer_open_document", "with": {"path": "~/Documents/reminder.docx"}}

    def save(values: tuple[str, ...]) -> dict[str, Any]:
        return {"call": "writer_save_as", "with": {"file_path": f"{FOLDER}/{values[2]}.docx"}}

    def letters(all_values: list[tuple[str, ...]]) -> list[dict[str, Any]]:
        calls: list[dict[str, Any]] = []
        for values in all_values:
            calls += [open_template, *replace(PLACEHOLDERS, values), save(values)]
        return calls

    right = [values_of(at) for at in range(3)]
    gross = [values_of(0), values_of(1, gross=True), values_of(2)]
    chained: list[dict[str, Any]] = []
    dialog: list[dict[str, Any]] = []
    for old, new in zip([PLACEHOLDERS, *right], right, strict=False):
        chained += [*replace(old, new), save(new)]
        dialog += [
            {"call": "computer_key", "with": {"keys": ["ctrl", "h"]}},
            {"call": "computer_wait", "with": {"seconds": 30, "window": "Find and Replace"}},
        ]
        # In the dialog, Alt+F and Alt+P are the fields, Alt+L the button Replace All, Alt+C Close.
        for was, now in zip(old, new, strict=True):
            dialog += [
                {"call": "computer_key", "with": {"keys": ["alt", "f"]}},
                {"call": "computer_type", "with": {"text": was}},
                {"call": "computer_key", "with": {"keys": ["alt", "p"]}},
                {"call": "computer_type", "with": {"text": now}},
                {"call": "computer_key", "with": {"keys": ["alt", "l"]}},
            ]
        dialog += [
            {"call": "computer_key", "with": {"keys": ["alt", "c"]}},
            {"call": "computer_key", "with": {"keys": ["ctrl", "shift", "s"]}},
            {"call": "computer_wait", "with": {"seconds": 30, "window": "Save"}},
            {"call": "computer_key", "with": {"keys": ["ctrl", "a"]}},
            {"call": "computer_type", "with": {"text": f"{FOLDER}/{new[2]}.docx\n"}},
            {"call": "computer_wait", "with": {"seconds": 30, "window": f"{new[2]}.docx"}},
        ]
    over = {"file_path": "~/Documents/reminder.docx", "overwrite": True}
    names = ("first", "second", "third")
    return {
        "today": f"{today.day} {today:%B %Y}",
        **{name: values[2] for name, values in zip(names, right, strict=True)},
        **{f"{name}_letter": letter(values) for name, values in zip(names, right, strict=True)},
        "written": [f"{FOLDER}/{values[2]}.docx" for values in right],
        "tools": [
            {"call": "calc_get_range_values", "with": {"range_str": "A1:G10"}},
            {"call": "writer_get_text"},
            *letters(right),
        ],
        "chained": chained,
        "gui": [
            {"call": "computer_activate_window", "with": {"title": "receivables.xlsx"}},
            {"call": "computer_activate_window", "with": {"title": "reminder.docx"}},
            *dialog,
        ],
        "gross": letters(gross),
        "disputed": letters([*right, values_of(4)]),
        "overwritten": [*letters(right), {"call": "writer_save_as", "with": over}],
    }
