"""Slides with what people said about a night train, and a list of where they said it."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import openpyxl
import pptx
from pptx.util import Cm

from ambidex.tasks.authoring.packages import write_document, write_workbook
from ambidex.tasks.authoring.words import CITIES, FIRST_NAMES, LAST_NAMES

QUOTES = (
    ("Sleep", "I slept better than at home."),
    ("The border", "I slept through the border and nobody woke me."),
    ("Breakfast", "The coffee was cold, the view was not."),
    ("Children", "My daughter wants to live in the upper bunk."),
    ("Luggage", "Where do you put two bicycles and a cello?"),
    ("Time", "You lose a night and win a day."),
    ("Price", "It costs less than the hotel that I did not need."),
    ("Once more", "I slept badly, and I would take it again."),
)
HEADINGS = ["What was said", "By whom", "Where", "When", "May be named"]
UNKNOWN = "Source: ?"
Row = list[str]


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Eight quotes: one has its source, one is not in the list, one is there twice, and the
    sources of two do not want to be named."""
    city = random.choice(CITIES)
    papers = (f"{city} Post", "Rail and Road", f"Evening News {city}")
    quotes = random.sample(QUOTES, len(QUOTES))
    names = [
        f"{first} {last}"
        for first, last in zip(
            random.sample(FIRST_NAMES, len(quotes)),
            random.sample(LAST_NAMES, len(quotes)),
            strict=True,
        )
    ]
    start = date(2025, random.randint(2, 5), random.randint(1, 20))
    days = [start + timedelta(days=random.randint(1, 160)) for _ in quotes]
    done, missing, twice, *shy = random.sample(range(len(quotes)), 5)
    rows: list[Row] = []
    sources: list[str] = []
    for at, (_, text) in enumerate(quotes):
        paper, named = random.choice(papers), at not in shy
        rows.append([text, names[at], paper, _day(days[at]), "yes" if named else "no"])
        sources.append(_source(rows[-1], named))
    again = [*rows[twice]]
    again[2] = next(paper for paper in papers if paper != again[2])
    again[3] = _day(days[twice] + timedelta(days=random.randint(20, 60)))
    listed = [row for at, row in enumerate(rows) if at != missing]
    random.shuffle(listed)
    listed.insert(listed.index(rows[twice]), again)
    right = [UNKNOWN if at == missing else source for at, source in enumerate(sources)]

    deck = pptx.Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[0])
    first.shapes.title.text, first.placeholders[1].text = "The night train", "What people say"
    for at, (title, text) in enumerate(quotes):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = title
        for top, words in ((6, text), (13, sources[at] if at == done else UNKNOWN)):
            box = slide.shapes.add_textbox(Cm(3), Cm(top), Cm(19), Cm(2))
            box.text_frame.text = words
    write_document(deck, files / "night-train.pptx")
    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet.title = "Sources"
    for row in (HEADINGS, *listed):
        sheet.append(row)
    for column, width in zip("ABCDE", (52, 22, 24, 20, 16), strict=True):
        sheet.column_dimensions[column].width = width
    write_workbook(book, files / "sources.xlsx")

    blank = [at for at in range(len(quotes)) if at not in (done, missing)]

    def fill(texts: list[str]) -> list[dict[str, Any]]:
        return [
            {
                "call": "impress_write_text",
                "with": {"content": texts[at], "page_index": at + 2, "box_index": 2},
            }
            for at in blank
        ]

    save = {"call": "impress_save"}
    later, all_named = [*right], [*right]
    later[twice] = _source(again, True)
    for at in shy:
        all_named[at] = _source(rows[at], True)
    cut = {"content": quotes[missing][0] + "?", "page_index": missing + 2, "box_index": 0}
    return {
        "example": done + 2,
        "slides": [
            ["The night train", "What people say"],
            *([*quote, source] for quote, source in zip(quotes, right, strict=True)),
        ],
        "tools": [
            {"call": "calc_get_range_values", "with": {"range_str": "A1:E9", "sheet": "Sources"}},
            {"call": "impress_env_info"},
            *fill(right),
            save,
        ],
        "gui": _keys([right[at] if at in blank else "" for at in range(len(quotes))]),
        "later": [*fill(later), save],
        "all_named": [*fill(all_named), save],
        "marked": [*fill(right), {"call": "impress_write_text", "with": cut}, save],
    }


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _source(row: Row, named: bool) -> str:
    return f"Source: {row[1] if named else 'a passenger'}, {row[2]}, {row[3]}"


def _keys(sources: list[str]) -> list[dict[str, Any]]:
    """Tab selects the title, the quote, then the source, and F2 edits it."""

    def press(*keys: str, **more: int) -> dict[str, Any]:
        return {"call": "computer_key", "with": {"keys": [*keys], **more}}

    steps = [
        {"call": "computer_activate_window", "with": {"title": "sources.xlsx"}},
        {"call": "computer_activate_window", "with": {"title": "night-train.pptx"}},
    ]
    for source in sources:
        steps.append(press("pagedown"))
        if source:
            steps += [
                press("tab", times=3),
                press("f2"),
                press("ctrl", "a"),
                {"call": "computer_type", "with": {"text": source}},
                press("escape", times=2),
            ]
    return [*steps, press("ctrl", "s")]
