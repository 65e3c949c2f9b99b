"""A presentation of a company that has a new name, in boxes and in a table."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pptx
from pptx.util import Cm

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import CITIES, COMPANIES


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """The old name on four of five slides, in a table and in the notes."""
    old, new = random.sample(COMPANIES, 2)
    city, other = random.sample(CITIES, 2)
    year = random.randint(1961, 1989)
    staff, more = random.randint(20, 60), random.randint(70, 120)

    def content(name: str) -> list[tuple[str, str]]:
        return [
            (f"{name}: who we are", f"Founded in {city}\n{name} has {staff} people today"),
            ("Where we work", f"{city}\n{other}\nEverywhere by post"),
            (f"Why customers stay with {name}", f"Repairs for ten years\nOne person answers\n{name} never charges for advice"),
            ("Figures", ""),
            ("Questions?", f"Write to {name}, {city}"),
        ]  # fmt: skip

    def table(name: str) -> list[str]:
        return ["", "People", name, str(staff), "Our agents", str(more)]

    deck = pptx.Presentation()
    for at, (title, text) in enumerate(content(old)):
        slide = deck.slides.add_slide(deck.slide_layouts[1 if text else 5])
        slide.shapes.title.text = title
        if text:
            slide.placeholders[1].text = text
        else:
            cells = slide.shapes.add_table(3, 2, Cm(3), Cm(6), Cm(16), Cm(5)).table
            for place, word in enumerate(table(old)):
                cells.cell(place // 2, place % 2).text = word
        if at == 0:
            notes = slide.notes_slide.notes_text_frame
            notes.text = f"Say that {old} trains people since {year}."
    write_document(deck, files / "about-us.pptx")
    after = [
        [title, *(text.split("\n") if text else [word for word in table(new) if word])]
        for title, text in content(new)
    ]

    def write(slide: int, box: int, text: str) -> dict[str, Any]:
        return {
            "call": "impress_write_text",
            "with": {"content": text, "page_index": slide, "box_index": box},
        }

    texts = content(new)
    cell = {"slide_index": 4, "box_index": 1, "values": [[new]], "start_row": 2, "start_column": 1}
    writes = [
        write(1, 0, texts[0][0]),
        write(1, 1, texts[0][1]),
        write(3, 0, texts[2][0]),
        write(3, 1, texts[2][1]),
        {"call": "impress_set_table_cells", "with": cell},
        write(5, 1, texts[4][1]),
    ]
    notes = {"slide_index": 1, "notes": f"Say that {new} trains people since {year}."}
    writes.append({"call": "impress_set_notes", "with": notes})
    save = {"call": "impress_save"}
    find = {"call": "impress_find_text", "with": {"text": old}}
    return {
        "old": old,
        "new": new,
        "slides": after,
        "notes": {"1": f"Say that {new} trains people since {year}."},
        "writes": [find, {"call": "impress_env_info"}, *writes, save],
        "without_table": [*writes[:4], *writes[5:], save],
        "retitled": [*writes, write(2, 0, "Our places"), save],
    }
