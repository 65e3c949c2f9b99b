"""Slides that wait for a logo, and a folder of pictures that does not have it."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pptx
from PIL import Image, ImageDraw

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import COMPANIES

COLOURS = ("#1f6f8b", "#8b3a1f", "#3f7d20")


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """The logo that is asked for was never delivered: a note says so, and an older one is there."""
    company = random.choice(COMPANIES)
    year = random.randint(2019, 2022)
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[0])
    slide.shapes.title.text, slide.placeholders[1].text = company, "Annual meeting 2025"
    write_document(deck, files / "annual-meeting.pptx")
    logo = Image.new("RGB", (320, 120), COLOURS[number - 1])
    ImageDraw.Draw(logo).ellipse((20, 20, 100, 100), fill="white")
    logo.save(files / "old-logo.png")
    (files / "readme.txt").write_text(
        f"Logos of {company}\n\n"
        f"logo-{year}.png  the old logo. Not to be used any more since 2025!\n"
        "logo-2025.png  to come: the agency delivers it next week.\n",
        encoding="utf-8",
    )
    return {"company": company, "old": f"logo-{year}.png"}
