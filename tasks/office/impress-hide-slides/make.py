"""A sales presentation with internal slides in it."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pptx

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import COMPANIES, PRODUCTS

TITLES = (
    "What we make", "Materials", "Delivery", "Warranty", "Service near you", "References",
)  # fmt: skip
INTERNAL = ("Our margins", "What we pay our suppliers", "Discounts we may give")


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Nine slides; two have the word internal in a corner, another one only speaks of it."""
    customer, product = random.choice(COMPANIES), random.choice(PRODUCTS)
    secret = random.sample(INTERNAL, 2)
    titles = [product, *random.sample(TITLES, 5)]
    first, second = sorted(random.sample(range(1, 7), 2))
    titles.insert(first, secret[0])
    titles.insert(second + 1, secret[1])
    hidden = [titles.index(secret[0]) + 1, titles.index(secret[1]) + 1]
    decoy = next(at for at, title in enumerate(titles) if at > 0 and title not in secret)
    deck = pptx.Presentation()
    for at, title in enumerate(titles):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        text = (
            "Internal: not for customers\nFigures follow"
            if title in secret
            else "Point one\nPoint two"
        )
        if at == decoy:
            text = "Internal threads are cut by hand\nPoint two"
        slide.placeholders[1].text = text
    write_document(deck, files / "offer.pptx")
    wrong = sorted([*hidden, decoy + 1])

    # Alt+S opens the menu Slide Show; the menu Slide is left of it.
    def keys(slides: list[int]) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []
        for at in slides:
            made += [
                {"call": "impress_goto_slide", "with": {"slide_index": at}},
                {"call": "computer_key", "with": {"keys": ["alt", "s"]}},
                {"call": "computer_key", "with": {"keys": ["left"]}},
                {"call": "computer_type", "with": {"text": "h"}},
            ]
        return made

    def gui(slides: list[int]) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []
        at = 1
        for slide in slides:
            step = {"keys": ["pagedown"], "times": slide - at}
            made += [
                {"call": "computer_key", "with": step},
                {"call": "computer_key", "with": {"keys": ["alt", "s"]}},
                {"call": "computer_key", "with": {"keys": ["left"]}},
                {"call": "computer_type", "with": {"text": "h"}},
            ]
            at = slide
        return made

    window = [{"call": "computer_activate_window", "with": {"title": "offer.pptx"}}]
    save = [{"call": "computer_key", "with": {"keys": ["ctrl", "s"]}}]
    return {
        "customer": customer,
        "hidden": hidden,
        "tools": [{"call": "impress_env_info"}, *window, *keys(hidden), {"call": "impress_save"}],
        "gui": [*window, *gui(hidden), *save],
        "wrong": [*window, *gui(wrong), *save],
        "deleted": [
            *({"call": "impress_delete_slide", "with": {"slide_index": at}} for at in hidden[::-1]),
            {"call": "impress_save"},
        ],
    }
