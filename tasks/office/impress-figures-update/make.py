"""A yearly report on slides with provisional figures, and the final ones in a CSV file."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pptx
from pptx.util import Cm

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import CITIES

BRANCHES = ("Harbour", "Old town", "Station", "University")
KINDS = ("Visitors", "Loans")
Figures = dict[str, tuple[int, int]]
Content = list[tuple[str, str]]
TABLE = "All branches"


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Two figures of one branch and one of another are corrected, and the totals with them. The
    figure of a year before is by chance the provisional one of now."""
    city, year = random.choice(CITIES), random.randint(2021, 2025)
    values = random.sample(range(21_000, 98_000), 11)
    before: Figures = {b: (values[2 * at], values[2 * at + 1]) for at, b in enumerate(BRANCHES)}
    best, other = random.sample(BRANCHES, 2)
    after = {**before, best: (values[8], values[9]), other: (before[other][0], values[10])}
    same = before[best][0]

    def content(now: Figures, state: str) -> Content:
        visitors, loans = _total(now)
        return [
            (f"The libraries of {city}", f"{year}, {state} figures"),
            ("At a glance", f"{visitors:,} visitors\n{loans:,} loans\nFour branches"),
            (TABLE, ""),
            (f"News from {best}", f"New reading room in May\n{now[best][0]:,} visitors came"),
            (f"Ten years ago: {year - 10}", f"{best} had {same:,} visitors\nThere were two branches"),
            ("Questions?", f"Town library {city}"),
        ]  # fmt: skip

    def notes(now: Figures) -> dict[str, str]:
        return {
            "2": f"Of the {_total(now)[1]:,} loans, every third is a film.",
            "4": "Thank the builders.",
            "5": f"{same:,} was a lot for one branch then.",
        }

    old = content(before, "provisional")
    deck = pptx.Presentation()
    for at, (title, text) in enumerate(old, 1):
        layout = 0 if at in (1, len(old)) else 1 if text else 5
        slide = deck.slides.add_slide(deck.slide_layouts[layout])
        slide.shapes.title.text = title
        if text:
            slide.placeholders[1].text = text
        else:
            rows = _table(before)
            cells = slide.shapes.add_table(6, 3, Cm(3), Cm(5), Cm(18), Cm(9)).table
            for y, row in enumerate(rows):
                for x, word in enumerate(row):
                    cells.cell(y, x).text = word
        if str(at) in notes(before):
            slide.notes_slide.notes_text_frame.text = notes(before)[str(at)]
    write_document(deck, files / "report.pptx")
    lines = ["branch,visitors,loans", *(f"{b},{v},{n}" for b, (v, n) in sorted(after.items()))]
    (files / "final.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")

    new = content(after, "final")
    slides = [[title, *(text.split("\n") if text else _words(after))] for title, text in new]

    def write(slide: int, box: int, text: str) -> dict[str, Any]:
        with_ = {"content": text, "page_index": slide, "box_index": box}
        return {"call": "impress_write_text", "with": with_}

    def fill(rows: list[list[str]]) -> dict[str, Any]:
        with_ = {"slide_index": 3, "box_index": 1, "values": rows}
        return {"call": "impress_set_table_cells", "with": with_}

    read = {"path": "/home/user/Documents/final.csv"}
    table = fill(_table(after))
    texts = [write(at, 1, new[at - 1][1]) for at in (1, 2, 4)]
    spoken = {"slide_index": 2, "notes": notes(after)["2"]}
    speak = {"call": "impress_set_notes", "with": spoken}
    save = {"call": "impress_save"}
    past = write(5, 1, new[4][1].replace(f"{same:,}", f"{after[best][0]:,}"))
    forgotten = fill([*_table(after)[:-1], _table(before)[-1]])
    return {
        "slides": slides,
        "notes": notes(after),
        "tools": [
            {"call": "filesystem_read_text_file", "with": read},
            {"call": "impress_env_info"},
            *texts,
            table,
            speak,
            save,
        ],
        "gui": _keys(before, after, new[4][1], notes(after)["5"]),
        "sums_left": [*texts[::2], forgotten, save],
        "past_changed": [*texts, table, speak, past, save],
        "sorted": [
            *texts,
            fill([_table(after)[0], *sorted(_table(after)[1:5], key=lambda row: row[1]), _table(after)[5]]),
            speak,
            save,
        ],
    }  # fmt: skip


def _total(figures: Figures) -> tuple[int, int]:
    return sum(v for v, _ in figures.values()), sum(n for _, n in figures.values())


def _table(figures: Figures) -> list[list[str]]:
    rows = [*figures.items(), ("All", _total(figures))]
    return [["Branch", *KINDS], *([name, f"{v:,}", f"{n:,}"] for name, (v, n) in rows)]


def _words(figures: Figures) -> list[str]:
    return [word for row in _table(figures) for word in row]


def _keys(before: Figures, after: Figures, past: str, note: str) -> list[dict[str, Any]]:
    """Each figure is replaced everywhere, in notes as well, and the text on the past, which this
    should not have changed, is corrected afterwards. In the dialog, Alt+F is the field Find, Alt+P
    Replace, Alt+L the button Replace All, Alt+C Close; after a replacement, the document's window
    is active."""

    def press(*keys: str, **more: int) -> dict[str, Any]:
        return {"call": "computer_key", "with": {"keys": [*keys], **more}}

    def type_(text: str) -> dict[str, Any]:
        return {"call": "computer_type", "with": {"text": text}}

    both = ({**before, "": _total(before)}, {**after, "": _total(after)})
    pairs = [("provisional", "final")]
    for name in both[0]:
        pairs += [
            (f"{old:,}", f"{new:,}")
            for old, new in zip(both[0][name], both[1][name], strict=True)
            if old != new
        ]
    steps = [
        press("alt", "f2"),
        {"call": "computer_wait", "with": {"seconds": 30, "window": "Run Application"}},
        type_("gedit Documents/final.csv\n"),
        {"call": "computer_wait", "with": {"seconds": 30, "window": "final.csv"}},
        {"call": "computer_activate_window", "with": {"title": "report.pptx"}},
        press("ctrl", "h"),
        {"call": "computer_wait", "with": {"seconds": 30, "window": "Find and Replace"}},
    ]
    for old, new in pairs:
        steps += [
            press("alt", "f"),
            press("ctrl", "a"),
            type_(old),
            press("alt", "p"),
            press("ctrl", "a"),
            type_(new),
            press("alt", "l"),
            {"call": "computer_activate_window", "with": {"title": "Find and Replace"}},
        ]
    steps += [press("alt", "c"), press("escape", times=3)]
    steps += [press("home"), press("pagedown", times=4)]
    steps += [press("tab", times=2), press("f2"), press("ctrl", "a"), type_(past)]
    steps += [press("escape", times=2), press("alt", "v"), press("e")]
    steps += [press("tab", times=2), press("f2"), press("ctrl", "a"), type_(note)]
    return [*steps, press("escape", times=2), press("ctrl", "s")]
