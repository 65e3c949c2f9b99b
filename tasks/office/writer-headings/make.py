"""A handbook whose chapter titles are only bold, so that it has no outline."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import docx

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import CITIES

CHAPTERS = {
    "Your first day": "Come to the gate at eight. Somebody from the office waits there with your key.",
    "Working hours": "The hall is open from six to ten in the evening. Write your hours down every day.",
    "Holidays": "Tell the office four weeks before. In July and August, one of two stays here.",
    "Illness": "Call before your shift begins. From the third day on we need a doctor's note.",
    "Tools and clothes": "Shoes with steel caps are lent to everybody. Bring them back when you leave.",
    "Complaints": "The works council has an open door on Tuesdays. Nothing that you say there is written down.",
    "Leaving us": "Hand in key and shoes. Your reference is ready within a week.",
}


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Titles in bold, and one bold warning that is no title."""
    city = random.choice(CITIES)
    titles = random.sample(sorted(CHAPTERS), 5)
    warning = random.randrange(1, 4)
    document = docx.Document()
    document.add_paragraph(f"Handbook of the {city} works", style="Title")
    texts, places = [f"Handbook of the {city} works"], []
    for at, title in enumerate(titles):
        places.append(len(texts))
        document.add_paragraph().add_run(title).bold = True
        document.add_paragraph(CHAPTERS[title])
        texts += [title, CHAPTERS[title]]
        if at == warning:
            text = "Never reach into a machine that is running."
            document.add_paragraph().add_run(text).bold = True
            texts.append(text)
    write_document(document, files / "handbook.docx")
    bold = next(at for at, text in enumerate(texts) if text.startswith("Never"))
    # Down goes to the next line, and every paragraph of these is one or two lines long.
    find: list[dict[str, Any]] = []
    for title in titles:
        find += [
            {"call": "computer_key", "with": {"keys": ["ctrl", "f"]}},
            {"call": "computer_type", "with": {"text": f"{title}\n"}},
            {"call": "computer_key", "with": {"keys": ["escape"]}},
            {"call": "computer_key", "with": {"keys": ["ctrl", "1"]}},
        ]
    return {
        "texts": texts,
        "headings": titles,
        "places": places,
        "too_many": sorted([*places, bold]),
        "find": [
            {"call": "computer_activate_window", "with": {"title": "handbook.docx"}},
            *find,
            {"call": "computer_key", "with": {"keys": ["ctrl", "s"]}},
        ],
    }
