"""The draft of a library's annual report, and the figures that were confirmed for it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import docx

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import CITIES, FIRST_NAMES

RANGES = {
    "visits": (5200, 9800), "books": (3100, 5100), "films": (410, 990), "cards": (1100, 2400),
    "new cards": (110, 390), "events": (41, 98), "days open": (251, 299), "books bought": (420, 890),
}  # fmt: skip
REPORT = (
    "In short: {visits} visits, {books} books lent, and {events} evenings at which somebody read, sang"
    " or argued.",
    "Visits. The doors were open on {days open} days. We counted {visits} visits, after {visits last} in"
    " the year before.",
    "Loans. Our readers borrowed {books} books and {films} films. In the year before there were"
    " {films last} films, so the shelf by the stairs stays.",
    "Cards. {cards} people have a card, and {new cards} of them are new. The year before had brought"
    " {new cards last} new ones.",
    "Evenings. We held {events} events, after {events last} the year before. The room is full from 80"
    " guests on.",
    "Shelves. {books bought} books were bought, a third of them for children under 12.",
)
PAIRS = (("visits", 0, 1), ("books", 0, 2), ("events", 0, 4))
"""Figures that stand in two paragraphs."""
LAST = (("visits", 1), ("films", 2), ("new cards", 3), ("events", 4))
"""Figures of the year before, and their paragraphs."""
ONCE = (("days open", 1), ("films", 2), ("cards", 3), ("new cards", 3), ("books bought", 5))


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Four figures are wrong: one that is right elsewhere, one of the year before, two others."""
    city, writer = random.choice(CITIES), random.choice(FIRST_NAMES)
    year = 2022 + number
    while True:
        figures = {key: random.randint(*span) for key, span in RANGES.items()}
        last = {key: random.randint(*span) for key, span in RANGES.items()}
        twice, summary, body = random.choice(PAIRS)
        before, before_at = random.choice([pair for pair in LAST if pair[0] != twice])
        once = random.sample([pair for pair in ONCE if pair[0] != before], 2)
        place = random.choice((summary, body))
        errors = [
            (place, twice, figures[twice], _slip(figures[twice])),
            (before_at, f"{before} last", last[before], _slip(last[before])),
            *((at, key, figures[key], _slip(figures[key])) for key, at in once),
        ]
        numbers = [
            *figures.values(),
            *last.values(),
            *(wrong for *_, wrong in errors),
            year,
            year - 1,
        ]
        if _distinct(numbers):
            break
    right = {**figures, **{f"{key} last": value for key, value in last.items()}}
    lines = []
    for at, line in enumerate(REPORT):
        slips = {key: value for error_at, key, _, value in errors if error_at == at}
        lines.append(line.format_map({**right, **slips}))
    paragraphs = [f"The library of {city} in {year}", *lines]
    document = docx.Document()
    for at, text in enumerate(paragraphs):
        document.add_paragraph(text, style="Heading 1" if at == 0 else None)
    write_document(document, files / "report.docx")
    rows = [f"{key:<14}{last[key]:>8}{value:>8}" for key, value in sorted(figures.items())]
    table = [f"{'':<14}{year - 1:>8}{year:>8}", *rows]
    (files / "figures.txt").write_text(
        "\n".join((f"CONFIRMED FIGURES, library of {city}", "", *table, "")), encoding="utf-8"
    )
    errors.sort()

    def remark(comments: Iterable[tuple[str, int]]) -> list[dict[str, Any]]:
        return [
            {"call": "writer_add_comment", "with": {"text": text, "pattern": rf"\b{place}\b"}}
            for text, place in comments
        ]

    save = [{"call": "writer_save"}]
    comments = [(str(value), wrong) for _, _, value, wrong in errors]
    elsewhere = [
        (text, figures[twice]) if text == str(figures[twice]) else (text, wrong)
        for text, wrong in comments
    ]
    # Escape leaves the search bar with the figure selected, then the comment with the text kept.
    typed: list[dict[str, Any]] = []
    for text, wrong in comments:
        typed += [
            {"call": "computer_key", "with": {"keys": ["ctrl", "f"]}},
            {"call": "computer_type", "with": {"text": f"{wrong}\n"}},
            {"call": "computer_key", "with": {"keys": ["escape"]}},
            {"call": "computer_key", "with": {"keys": ["ctrl", "alt", "c"]}},
            {"call": "computer_type", "with": {"text": text}},
            {"call": "computer_key", "with": {"keys": ["escape"]}},
        ]
    return {
        "writer": writer,
        "year": year,
        "paragraphs": paragraphs,
        "comments": [text for text, _ in comments],
        "places": {text: lines[at] for (at, *_), (text, _) in zip(errors, comments, strict=True)},
        "tools": [
            {"call": "files_read_text", "with": {"path": "~/Documents/figures.txt"}},
            {"call": "writer_get_text"},
            *remark(comments),
            {"call": "writer_get_comments"},
            *save,
        ],
        "whole": [
            *(
                {"call": "writer_add_comment", "with": {"text": text, "paragraph_indices": [at + 1]}}
                for (at, *_), (text, _) in zip(reversed(errors), reversed(comments), strict=True)
            ),
            *save,
        ],
        "gui": [
            {"call": "computer_activate_window", "with": {"title": "report.docx"}},
            *typed,
            {"call": "computer_key", "with": {"keys": ["ctrl", "s"]}},
        ],
        "this_year": [
            *remark(pair for pair in comments if pair[0] != str(last[before])),
            *save,
        ],
        "elsewhere": [*remark(elsewhere), *save],
        "corrected": [
            *remark(comments),
            {
                "call": "writer_find_and_replace",
                "with": {"pattern": str(comments[0][1]), "replacement": comments[0][0]},
            },
            *save,
        ],
    }  # fmt: skip


def _slip(value: int) -> int:
    """The number with its last two digits exchanged, or a ten more where these are the same."""
    text = str(value)
    slipped = int(text[:-2] + text[-1] + text[-2])
    return slipped if slipped not in (value, int(text[-1])) else value + 10


def _distinct(numbers: list[int]) -> bool:
    """Whether none of the numbers is found within another."""
    texts = [str(number) for number in [*numbers, 80, 12]]
    return sum(one in other for one in texts for other in texts) == len(texts)
