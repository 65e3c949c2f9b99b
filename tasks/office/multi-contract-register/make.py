"""A folder of contracts in Writer, and a register of them in Calc that is behind."""

from __future__ import annotations

from calendar import monthrange
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import docx
from openpyxl import Workbook

from ambidex.tasks.authoring.packages import write_document, write_workbook
from ambidex.tasks.authoring.words import CITIES, COMPANIES, FIRST_NAMES, LAST_NAMES

FOLDER = "~/Documents/Contracts"
SERVICES = (
    "the upkeep of two lifts", "the cleaning of the stairs", "the supply of drinking water",
    "the hire of four copiers", "the care of the plants", "the alarm and its patrols",
)  # fmt: skip
HEADER = ("Contract", "Partner", "Euros a year", "First day", "Last day")
PERIODS = {"month": 12, "quarter": 4, "half-year": 2}


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Five contracts: one is registered already, one is not signed, one was made longer."""
    us = f"Mill & Sons, {random.choice(CITIES)}"
    year = 2022 + number
    first = random.randrange(21, 60)
    names = [f"C-{first + at}" for at in range(7)]
    partners = random.sample(COMPANIES, 7)
    months = [random.choice((12, 18, 24, 36)) for _ in names]
    starts = [date(year, month, 1) for month in sorted(random.sample(range(1, 13), 7))]
    draft, longer = random.sample(range(3, 7), 2)
    extra = random.choice((6, 12))
    periods = random.sample(sorted(PERIODS), 3)
    units = [*random.choices(sorted(PERIODS), k=3), *periods, random.choice(sorted(PERIODS))]
    fees = [random.randrange(60, 400) * 5 for _ in names]

    def row(at: int, unaware: bool = False) -> tuple[str, str, int, date, date]:
        term = months[at] + (extra if at == longer and not unaware else 0)
        fee = fees[at] * PERIODS[units[at]]
        return (names[at], partners[at], fee, starts[at], _last_day(starts[at], term))

    workbook = Workbook()
    sheet = workbook.active
    assert sheet
    sheet.title = "Register"
    sheet.append(HEADER)
    for at in range(3):
        sheet.append(row(at))
    for letter, width in zip("ABCDE", (12, 24, 14, 14, 14), strict=True):
        sheet.column_dimensions[letter].width = width
    for column in "DE":
        for cell in range(2, 12):
            sheet[f"{column}{cell}"].number_format = "yyyy-mm-dd"
    write_workbook(workbook, files / "register.xlsx")

    services = random.sample(SERVICES, 5)
    signer = f"{random.choice(FIRST_NAMES)} {random.choice(LAST_NAMES)}"
    papers = [names[at] for at in range(2, 7)]
    for at, service in zip(range(2, 7), services, strict=True):
        signed = (
            "Draft for discussion, not signed by either side."
            if at == draft
            else f"Signed by {signer} for {us}, and for {partners[at]}."
        )
        _write(
            files / f"{names[at]}.docx",
            f"Contract {names[at]}",
            f"{us}, and {partners[at]} agree on {service}.",
            f"The contract begins on {_day(starts[at])} and runs for {months[at]} months.",
            f"The fee is {fees[at]} euros for each {units[at]}, due in advance.",
            signed,
        )
    addendum = f"{names[longer]}-addendum"
    papers.insert(papers.index(names[longer]) + 1, addendum)
    _write(
        files / f"{addendum}.docx",
        f"Addendum to contract {names[longer]}",
        f"{us}, and {partners[longer]} agree that the contract runs for {extra} months longer than it"
        " says. The fee and the first day stay.",
        f"Signed by {signer} for {us}, and for {partners[longer]}.",
    )

    added = [at for at in range(3, 7) if at != draft]
    right = [row(at) for at in added]
    top = 5

    def enter(rows: list[tuple[str, str, int, date, date]]) -> list[dict[str, Any]]:
        return [
            {
                "call": "calc_set_range_values",
                "with": {
                    "start_cell": f"A{at}",
                    "values": [[name, partner, fee, first.isoformat(), last.isoformat()]],
                    "document": "register.xlsx",
                },
            }
            for at, (name, partner, fee, first, last) in enumerate(rows, top)
        ]

    looks: list[dict[str, Any]] = [
        {"call": "computer_activate_window", "with": {"title": "register.xlsx"}}
    ]
    for paper in papers:
        looks += [
            {"call": "computer_key", "with": {"keys": ["ctrl", "o"]}},
            {"call": "computer_wait", "with": {"seconds": 30, "window": "Open"}},
            {"call": "computer_type", "with": {"text": f"{FOLDER}/{paper}.docx\n"}},
            {"call": "computer_wait", "with": {"seconds": 30, "window": f"{paper}.docx"}},
        ]
    as_written = [
        (name, partner, fees[at], begins, ends)
        for at, (name, partner, _, begins, ends) in zip(added, right, strict=True)
    ]
    save = {"call": "calc_save", "with": {"document": "register.xlsx"}}
    values = {
        f"{letter}{at}": value
        for at, cells in enumerate(right, top)
        for letter, value in zip("ABCDE", cells, strict=True)
    }
    by_formula = [
        {
            "call": "calc_set_cell_value",
            "with": {"cell": f"C{place}", "value": f"={fees[at]}*{PERIODS[units[at]]}"},
        }
        for place, at in enumerate(added, top)
    ]
    names_of = dict(
        zip(("one", "two", "three", "four", "five", "six"), sorted(papers), strict=True)
    )
    return {
        **names_of,
        "number": names[2],
        "cells": values,
        "tools": [
            {"call": "calc_get_range_values", "with": {"range_str": "A1:E8"}},
            {"call": "files_list_directory", "with": {"path": FOLDER}},
            *(
                {"call": "writer_open_document", "with": {"path": f"{FOLDER}/{paper}.docx"}}
                for paper in papers
            ),
            *enter(right),
            save,
        ],
        "computed": [*enter(right), *by_formula, save],
        "gui": [
            *looks,
            {"call": "computer_activate_window", "with": {"title": "register.xlsx"}},
            {"call": "computer_key", "with": {"keys": ["ctrl", "shift", "t"]}},
            {"call": "computer_type", "with": {"text": f"A{top}\n"}},
            *(
                {
                    "call": "computer_type",
                    "with": {"text": f"{name}\t{partner}\t{fee}\t{begins}\t{ends}\n"},
                }
                for name, partner, fee, begins, ends in right
            ),
            {"call": "computer_key", "with": {"keys": ["ctrl", "s"]}},
        ],
        "with_draft": [*enter([row(at) for at in range(3, 7)]), save],
        "without_addendum": [*enter([row(at, unaware=True) for at in added]), save],
        "fees_of_periods": [*enter(as_written), save],
        "filed": [
            *enter(right),
            save,
            {"call": "files_trash", "with": {"path": f"{FOLDER}/{names[draft]}.docx"}},
        ],
    }


def _write(path: Path, title: str, *lines: str) -> None:
    document = docx.Document()
    document.add_paragraph(title, style="Heading 1")
    for line in lines:
        document.add_paragraph(line)
    write_document(document, path)


def _last_day(first: date, months: int) -> date:
    """The last day of a term of months that begins on the first of a month."""
    year, month = divmod(first.year * 12 + first.month - 1 + months - 1, 12)
    return date(year, month + 1, monthrange(year, month + 1)[1])


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
