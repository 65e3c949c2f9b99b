"""A cash book in which two digits of an amount are swapped, and the slips that it was written from."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

from openpyxl import Workbook

from ambidex.tasks.authoring.packages import write_workbook
from ambidex.tasks.authoring.words import FIRST_NAMES

DAYS = (date(2025, 2, 3), date(2025, 7, 1), date(2025, 11, 3))
PAID_FOR = (
    "Stamps", "Coffee and milk", "Light bulbs", "Cleaning", "Printer paper", "Parking", "Flowers",
    "Copies", "Batteries", "Keys cut", "Taxi", "Envelopes",
)  # fmt: skip
GOT_FOR = ("Raffle tickets", "Cake stand", "Membership fee", "Second-hand books", "Deposit")


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Twenty lines; two slips are booked in two lines each, and one amount is wrong."""
    start = DAYS[number - 1]
    slips = [(text, random.randrange(1_105, 9_895, 5), True) for text in PAID_FOR]
    slips += [(text, random.randrange(2_000, 19_500, 50), False) for text in GOT_FOR]
    slips[0] = ("Stamps", 4_255, True)
    rest = slips[1:]
    random.shuffle(rest)
    slips = [slips[0], *rest]
    # The tens and the ones of the euros are swapped: 47.15 becomes 74.15.
    wrong = next(
        at
        for at, (_, cents, out) in enumerate(slips)
        if at > 4 and out and cents // 1000 % 10 < cents // 100 % 10 and cents < 10_000
    )
    cents = slips[wrong][1]
    tens, ones = cents // 1000 % 10, cents // 100 % 10
    typed = ones * 1000 + tens * 100 + cents % 100
    split = next(at for at, (_, _, out) in enumerate(slips) if at > 1 and out and at != wrong)
    other = next(at for at, (_, _, out) in enumerate(slips) if at > split + 1 and not out)

    workbook = Workbook()
    book, printed = workbook.active, workbook.create_sheet("Slips")
    assert book
    book.title = "Cash book"
    book.append(("Date", "Slip", "Text", "In", "Out", "Balance"))
    printed.append(("Slip", "Amount"))
    float_ = 60_000
    book.append((start, None, "Carried over", float_ / 100, None, "=D2"))
    place: dict[int, int] = {}
    row, part_row, balance, day = 3, 0, float_, start
    order = list(range(len(slips)))
    for at in order:
        text, amount, out = slips[at]
        name = f"S{at + 41:03d}"
        printed.append((name, amount / 100))
        day += timedelta(days=random.choice((0, 1, 1, 2)))
        booked = typed if at == wrong else amount
        parts = [booked]
        if at in (split, other):
            first = booked // 2 // 5 * 5
            parts = [first, booked - first]
        for part_number, part in enumerate(parts, 1):
            if at == split and part_number == 1:
                part_row = row
            label = text if len(parts) == 1 else f"{text}, part {part_number} of 2"
            into = (None, part / 100) if out else (part / 100, None)
            book.append((day, name, label, *into, f"=F{row - 1}+D{row}-E{row}"))
            place.setdefault(at, row)
            balance += -part if out else part
            row += 1
    for sheet in (book, printed):
        for letter, width in zip("ABCDEF", (13, 12, 34, 12, 12, 12), strict=True):
            sheet.column_dimensions[letter].width = width
    write_workbook(workbook, files / "cashbook.xlsx")
    last = row - 1
    counted = balance + typed - cents
    cell = f"E{place[wrong]}"
    return {
        "who": random.choice(FIRST_NAMES),
        "counted": f"{counted / 100:.2f}",
        "booked": f"{balance / 100:.2f}",
        "cell": cell,
        "right": cents / 100,
        "cells": {cell: cents / 100, f"F{last}": counted / 100},
        "balance": [f"F{last}"],
        "changed": [cell, f"F{place[wrong]}:F{last}"],
        "part_cell": f"E{part_row}",
        "part_total": slips[split][1] / 100,
        "next_row": last + 1,
        "difference": (cents - typed) / 100,
    }
