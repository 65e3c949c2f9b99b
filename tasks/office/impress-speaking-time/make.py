"""A talk whose speaker notes say how long each slide takes; some say nothing."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pptx

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import CITIES, FIRST_NAMES, spellings

POINTS = (
    "Why we came", "What we found", "The harbour in numbers", "Three mistakes", "The new pier",
    "What it cost", "Who helped us", "What is left to do", "Thank you",
)  # fmt: skip


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Nine slides, of which two have no time in their notes, and one took longer once."""
    city, speaker = random.choice(CITIES), random.choice(FIRST_NAMES)
    untimed = sorted(random.sample(range(2, 9), 2))
    longer = random.choice([at for at in range(2, 9) if at not in untimed])
    minutes = [random.randint(2, 6) for _ in POINTS]
    deck = pptx.Presentation()
    for at, (title, length) in enumerate(zip(POINTS, minutes, strict=True), 1):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title if at > 1 else f"{title} to {city}"
        slide.placeholders[1].text = f"Point {at}.1\nPoint {at}.2"
        notes = "Ask who has been there." if at == untimed[0] else ""
        if at not in untimed:
            more = random.choice(("Speak slowly.", "Show the map.", "No jokes."))
            if at == longer:
                more = f"Before we cut it, it took {length + 7} minutes."
            notes = f"{length} minutes. {more}"
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    write_document(deck, files / "talk.pptx")
    total = sum(length for at, length in enumerate(minutes, 1) if at not in untimed)
    one, other = untimed
    return {
        "speaker": speaker,
        "facts": [
            [str(total), f"{total} minutes"],
            *([f"{at}", f"slide {at}", spellings(at)[-1]] for at in untimed),
        ],
        "absent": [str(total + 7)],
        "right": f"{total} minutes in all. Slides {one} and {other} have no time.",
        "words": f"Without a time: slide {one}, slide {other}. The others take {total} minutes.",
        "before_cut": f"{total + 7} minutes in all. Slides {one} and {other} have no time.",
        "one_only": f"{total} minutes in all. Slide {other} has no time.",
        "first_box": {"slide_index": one, "notes": "3 minutes."},
    }
