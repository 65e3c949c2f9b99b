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
    """Nine slides, of which two have no time in their notes, and one is hidden."""
    city, speaker = random.choice(CITIES), random.choice(FIRST_NAMES)
    untimed = sorted(random.sample(range(2, 9), 2))
    hidden = random.choice([at for at in range(2, 9) if at not in untimed])
    minutes = [random.randint(2, 6) for _ in POINTS]
    deck = pptx.Presentation()
    for at, (title, length) in enumerate(zip(POINTS, minutes, strict=True), 1):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title if at > 1 else f"{title} to {city}"
        slide.placeholders[1].text = f"Point {at}.1\nPoint {at}.2"
        notes = "Ask who has been there." if at == untimed[0] else ""
        if at not in untimed:
            notes = f"{length} minutes. " + random.choice(
                ("Speak slowly.", "Show the map.", "No jokes.")
            )
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
        if at == hidden:
            slide.element.set("show", "0")
    write_document(deck, files / "talk.pptx")
    shown = sum(
        length for at, length in enumerate(minutes, 1) if at != hidden and at not in untimed
    )
    one, other = untimed
    return {
        "speaker": speaker,
        "facts": [
            [str(shown), f"{shown} minutes"],
            *([f"{at}", f"slide {at}", spellings(at)[-1]] for at in untimed),
        ],
        "absent": [str(shown + minutes[hidden - 1])],
        "right": f"{shown} minutes in all. Slides {one} and {other} have no time.",
        "words": f"Without a time: slide {one}, slide {other}. The others that are shown take {shown} minutes.",
        "with_hidden": f"{shown + minutes[hidden - 1]} minutes in all. Slides {one} and {other} have no time.",
        "one_only": f"{shown} minutes in all. Slide {other} has no time.",
        "first_box": {"slide_index": one, "notes": "3 minutes."},
    }
