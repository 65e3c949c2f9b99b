"""The minutes of a meeting, and a copy of the house template for slides."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import docx
import pptx

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import CITIES, FIRST_NAMES

DAYS = (date(2025, 3, 11), date(2025, 6, 24), date(2025, 10, 7))
ROOMS = ("north hall", "attic", "east wing")


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Minutes in which decisions, actions and open points are scattered over the items."""
    city, day = random.choice(CITIES), DAYS[number - 1]
    names = random.sample(FIRST_NAMES, 5)
    room = ROOMS[number - 1]
    price, budget = random.randint(4, 9), random.randint(21, 68) * 100
    due = day + timedelta(days=random.randint(9, 20))
    heading = f"Friends of the Museum {city}"
    when = f"{day.day} {day:%B %Y}"
    deadline = f"{due.day} {due:%B}"
    decisions = [
        f"Entry costs {price} euros from next month on",
        f"The {room} is closed during the repairs",
        f"{budget} euros are set aside for the new lift",
    ]
    actions = [
        f"{names[0]}: order the new tickets by {deadline}",
        f"{names[1]}: ask two firms for offers for the lift",
        f"{names[2]}: tell the school about the {room}",
    ]
    open_points = [
        "Who looks after the shop on Sundays",
        "Whether the summer festival takes place",
    ]
    minutes = docx.Document()
    minutes.add_heading(f"Minutes, {heading}", level=1)
    for line in (
        f"Meeting of {when}. Present: {', '.join(names)}.",
        f"Item 1. Tickets. {names[3]} shows what other museums charge. Decision: {decisions[0]}.",
        f"Action for {actions[0]}.",
        f"Item 2. Building. The ceiling of the {room} has a crack. Decision: {decisions[1]}.",
        f"Action for {actions[2]}.",
        f"Open: {open_points[0]}. Nobody had an answer.",
        f"Item 3. Lift. {names[4]} would rather wait for another year. Decision: {decisions[2]}.",
        f"Action for {actions[1]}.",
        f"Open: {open_points[1]}. We talk about it next time.",
    ):
        minutes.add_paragraph(line)
    write_document(minutes, files / "minutes.docx")
    deck = pptx.Presentation()
    for layout in (0, 1, 1, 1):
        deck.slides.add_slide(deck.slide_layouts[layout])
    last = deck.slides.add_slide(deck.slide_layouts[0])
    last.shapes.title.text, last.placeholders[1].text = "Thank you", f"Museum {city}, Harbour 3"
    write_document(deck, files / "slides.pptx")

    def deck_of(*parts: tuple[str, list[str]]) -> list[list[str]]:
        filled = [[title, *lines] for title, lines in parts]
        return [[heading, when], *filled, ["Thank you", f"Museum {city}, Harbour 3"]]

    # In the order of the minutes.
    acting = [actions[0], actions[2], actions[1]]
    right = deck_of(("Decisions", decisions), ("Actions", acting), ("Open points", open_points))

    def writes(slides: list[list[str]]) -> list[dict[str, Any]]:
        return [
            {
                "call": "impress_write_text",
                "with": {"content": text, "page_index": at, "box_index": box},
            }
            for at, lines in enumerate(slides[:-1], 1)
            for box, text in enumerate((lines[0], "\n".join(lines[1:])))
        ]

    save = [{"call": "impress_save"}]
    # Tab selects the next box, F2 edits its text.
    keys: list[dict[str, Any]] = []
    for at, lines in enumerate(right[:-1], 1):
        keys += [{"call": "computer_key", "with": {"keys": ["pagedown"]}}] * (at > 1)
        for text in (lines[0], "\n".join(lines[1:])):
            keys += [
                {"call": "computer_key", "with": {"keys": ["tab"]}},
                {"call": "computer_key", "with": {"keys": ["f2"]}},
                {"call": "computer_type", "with": {"text": text}},
                {"call": "computer_key", "with": {"keys": ["escape"]}},
            ]
        keys.append({"call": "computer_key", "with": {"keys": ["escape"]}})
    mixed = deck_of(
        ("Decisions", decisions),
        ("Actions", [*acting[:2], open_points[0]]),
        ("Open points", open_points[1:]),
    )
    thanks = {"content": f"Thank you, {names[0]}", "page_index": 5, "box_index": 0}
    read = [{"call": "writer_get_text"}, {"call": "impress_env_info"}]
    return {
        "heading": heading,
        "slides": right,
        "tools": [*read, *writes(right), {"call": "impress_env_info"}, *save],
        "backwards": [*reversed(writes(right)), *save],
        "gui": [
            {"call": "computer_activate_window", "with": {"title": "minutes.docx"}},
            {"call": "computer_activate_window", "with": {"title": "slides.pptx"}},
            *keys,
            {"call": "computer_key", "with": {"keys": ["ctrl", "s"]}},
        ],
        "mixed": [*writes(mixed), *save],
        "rewritten": [
            *writes(right),
            {"call": "impress_write_text", "with": thanks},
            *save,
        ],
    }
