"""Two exports of the same month, which do not agree."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

from openpyxl import Workbook

from ambidex.tasks.authoring.packages import write_workbook
from ambidex.tasks.authoring.words import COMPANIES

MONTHS = ("March", "June", "October")
FIRST = (date(2025, 3, 3), date(2025, 6, 2), date(2025, 10, 1))


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """The bank's lines and the ledger's: most agree, some have another amount, some are missing."""
    count = 14
    codes = random.sample(range(2100, 9900), count + 3)
    names = random.sample(COMPANIES, count + 3)
    cents = [random.randrange(4_000, 400_000) for _ in codes]
    cents[1] = cents[0]  # two payments of the same amount: only the reference tells them apart
    lines = [
        (FIRST[number - 1] + timedelta(days=at), f"R-{code}", name, amount / 100)
        for at, (code, name, amount) in enumerate(zip(codes, names, cents, strict=True))
    ]
    booked, only_bank = lines[:count], lines[count:]
    chosen = random.sample(range(2, count), 5)
    differing, missing = set(chosen[:2]), set(chosen[2:])
    at_bank = [
        (
            day,
            code,
            name,
            round(amount + 9 * (1 if at % 2 else -1), 2) if at in differing else amount,
        )
        for at, (day, code, name, amount) in enumerate(booked)
        if at not in missing
    ] + only_bank
    random.shuffle(at_bank)
    status = [
        "missing" if at in missing else "amount" if at in differing else "ok" for at in range(count)
    ]
    # The hasty reading: a line is all right if the bank has its amount somewhere.
    amounts = {amount for _, _, _, amount in at_bank}
    amounts |= {booked[at][3] for at in sorted(missing)[:1]}
    hasty = ["ok" if amount in amounts else "missing" for _, _, _, amount in booked]
    workbook = Workbook()
    bank, ledger = workbook.active, workbook.create_sheet("Ledger")
    assert bank
    bank.title = "Bank"
    bank.append(("Booked on", "Reference", "Payer", "Amount"))
    ledger.append(("Invoice date", "Customer", "Reference", "Amount", "Status"))
    for day, code, name, amount in at_bank:
        bank.append((day, code, name.upper(), amount))
    for day, code, name, amount in booked:
        ledger.append((day - timedelta(days=20), name, code, amount, None))
    workbook.create_sheet("Only at bank").append(("Reference", "Amount"))
    for sheet in (bank, ledger):
        for letter, width in zip("ABCDE", (14, 22, 22, 12, 12), strict=True):
            sheet.column_dimensions[letter].width = width
    write_workbook(workbook, files / "receipts.xlsx")
    extra = [
        [code, amount] for _, code, _, amount in at_bank if code in {c for _, c, _, _ in only_bank}
    ]
    last = count + 1
    return {
        "month": MONTHS[number - 1],
        "status": {f"E{row}": word for row, word in enumerate(status, 2)},
        "status_list": status,
        "status_keys": "".join(f"{word}\n" for word in status),
        "hasty_list": hasty,
        "extra": extra,
        "extra_cells": {
            f"{letter}{row}": value
            for row, pair in enumerate(extra, 2)
            for letter, value in zip("AB", pair, strict=True)
        },
        "extra_codes": "".join(f"{code}\n" for code, _ in extra),
        "extra_amounts": "".join(f"{amount}\n" for _, amount in extra),
        "status_area": [f"E2:E{last}"],
        "formulas": [
            f'=IF(COUNTIF(Bank.$B$2:$B$99;C{row})=0;"missing";'
            f'IF(SUMIF(Bank.$B$2:$B$99;C{row};Bank.$D$2:$D$99)=D{row};"ok";"amount"))'
            for row in range(2, last + 1)
        ],
    }
