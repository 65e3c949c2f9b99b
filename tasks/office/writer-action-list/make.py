"""Minutes with a list of actions that is still empty; the meeting changed its mind twice."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import docx

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import CITIES, FIRST_NAMES

DAYS = (date(2025, 3, 4), date(2025, 8, 26), date(2025, 10, 21))
JOBS = (
    "ask the school for its stage", "order new folding chairs", "renew the contract with the printer",
    "write to the mayor about the lamps", "count the costumes", "repair the ticket window",
    "find somebody for the lights", "hand in the accounts",
)  # fmt: skip
HEADER = ["Who", "What", "By when"]


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Six actions: one is dropped, one gets another date, one another person."""
    city, day = random.choice(CITIES), DAYS[number - 1]
    names = random.sample(FIRST_NAMES, 7)
    jobs = random.sample(JOBS, 6)
    offsets = random.sample(range(6, 50), 7)
    dates = [_day(day + timedelta(days=offset)) for offset in offsets]
    spare_name, spare_date = names[6], dates[6]
    dropped, moved, handed = random.sample(range(6), 3)
    lines = [
        f"Meeting of {_day(day)} {day.year}. Present: {', '.join(names)}.",
        f"1. The autumn play. {names[0]} is to {jobs[0]} by {dates[0]}. {names[1]} is to {jobs[1]} by"
        f" {dates[1]}, if the money suffices.",
        f"2. The hall. After a long talk, {names[2]} is to {jobs[2]} by {dates[2]}.",
        f"3. Letters. {names[3]} is to {jobs[3]} by {dates[3]}, and {names[4]} is to {jobs[4]} by"
        f" {dates[4]}.",
        f"4. Other business. {names[5]} is to {jobs[5]} by {dates[5]}.",
        f"5. Once more: it is not necessary any more to {jobs[dropped]}. {names[moved]} needs more time"
        f" to {jobs[moved]}, and gets it until {spare_date}. {spare_name} takes over from"
        f" {names[handed]}, who was to {jobs[handed]}; the date stays.",
    ]
    title = f"Minutes, Theatre Club {city}"
    document = docx.Document()
    document.add_paragraph(title, style="Heading 1")
    grid = document.add_table(rows=6, cols=3, style="Table Grid")
    for cell, text in zip(grid.rows[0].cells, HEADER, strict=True):
        cell.text = text
    for line in lines:
        document.add_paragraph(line)
    write_document(document, files / "minutes.docx")

    first = [[names[at], jobs[at].capitalize(), dates[at]] for at in range(6)]
    last = [list(row) for row in first]
    last[moved][2] = spare_date
    last[handed][0] = spare_name
    kept = [at for at in range(6) if at != dropped]
    right = [last[at] for at in kept]

    def fill(rows: list[list[str]], by_column: bool = False) -> list[dict[str, Any]]:
        cells = [
            (letter, at, text)
            for at, row in enumerate(rows, 2)
            for letter, text in zip("ABC", row, strict=True)
        ]
        if by_column:
            cells.sort()
        return [
            {"call": "writer_set_table_cell", "with": {"table": 0, "cell": f"{letter}{at}", "text": text}}
            for letter, at, text in cells
        ]  # fmt: skip

    save = [{"call": "writer_save"}]
    instead = {"pattern": f"{jobs[moved]} by {dates[moved]}",
               "replacement": f"{jobs[moved]} by {spare_date}"}  # fmt: skip
    wrong = sorted({dropped, *kept[:-1]})
    return {
        "paragraphs": [title, *HEADER, *(text for row in right for text in row), *lines],
        "tools": [
            {"call": "writer_get_text"},
            {"call": "writer_get_tables"},
            *fill(right),
            *save,
        ],
        "columns": [*fill(right, by_column=True), *save],
        "typed": "\t".join(text for row in right for text in row),
        "first_mention": [*fill([first[at] for at in kept]), *save],
        "with_dropped": [*fill([last[at] for at in wrong]), *save],
        "corrected": [*fill(right), {"call": "writer_find_and_replace", "with": instead}, *save],
    }


def _day(day: date) -> str:
    return f"{day.day} {day:%B}"
