"""The slides of a staff day, and a running order that was changed after it was sent round."""

from __future__ import annotations

import io
from pathlib import Path
from random import Random
from typing import Any

import pptx
from PIL import Image, ImageDraw
from pptx.util import Cm

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import CITIES, FIRST_NAMES

ITEMS = {
    "sales": [
        ("What we sold", "More than last year\nMost of it in spring"),
        ("What stayed on the shelves", "Garden furniture\nEverything in yellow"),
    ],
    "the warehouse": [("Where the new racks go", "Hall 2 from May on\nHall 3 in autumn")],
    "holidays": [("Christmas and New Year", "Closed for nine days\nOne person is on call")],
    "the apprentices": [("Who is new", "Two in the workshop\nOne in the office")],
    "the canteen": [("What we eat", "Two dishes every day\nNo more paper cups")],
    "computers": [("Your new tickets", "One form for everything\nAn answer within a day")],
    "safety": [("Eyes and ears", "Goggles in the workshop\nA new siren in hall 1")],
}
"""The slides of each item; their titles do not repeat the words of the running order."""
Order = list[str]


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Seven items in one order on the slides, in another in the note, and three changes to that."""
    city = random.choice(CITIES)
    speakers = dict(zip(ITEMS, random.sample(FIRST_NAMES, len(ITEMS)), strict=True))
    slides_order, monday, day, moved, swapped, dropped = _orders(random)
    deck = pptx.Presentation()
    numbers = _slides(deck, slides_order, speakers, city)
    write_document(deck, files / "staff-day.pptx")
    note = [
        f"Staff day {city}: running order, as sent round on Monday",
        "",
        "09:00 welcome",
        *(
            f"{9 + at // 3:02}:{10 + at % 3 * 20} {item} ({speakers[item]})"
            for at, item in enumerate(monday)
        ),
        "11:30 thanks, then lunch",
        "",
        "Changes, Wednesday:",
        f"- {speakers[moved]} has to catch a train: {moved} right after the welcome.",
        f"- {_capital(swapped[0])} and {swapped[1]} change places.",
        f"- {_capital(dropped[0])} and {dropped[1]} are put off until next year.",
        "I will do the times again when I know how long each of you needs.",
    ]
    (files / "agenda.txt").write_text("\n".join(note) + "\n", encoding="utf-8")

    count = len(deck.slides)

    def deck_of(order: Order, behind: Order) -> list[int]:
        shown = [at for item in order for at in numbers[item]]
        return [1, *shown, count, *(at for item in behind for at in numbers[item])]

    after, before = deck_of(day, dropped), deck_of(day, dropped[::-1])
    read = [
        {"call": "filesystem_read_text_file", "with": {"path": "/home/user/Documents/agenda.txt"}},
        {"call": "impress_env_info"},
    ]
    save = [{"call": "impress_save"}]
    tidied = "\n".join(["Staff day, running order", *day]) + "\n"
    tidy = {"path": "/home/user/Documents/agenda.txt", "content": tidied}
    kept = len(after) - len(dropped)
    deletes = [{"call": "impress_delete_slide", "with": {"slide_index": kept + 1}}] * len(dropped)
    return {
        "slides": [*after[:kept], after[kept:]],
        "tools": [*read, *_moves(after), *save],
        "behind": [*_moves(before), *save],
        "gui": _keys(after),
        "monday": [*_moves(deck_of(monday, [])), *save],
        "deleted": [*_moves(after), *deletes, *save],
        "tidied": [*_moves(after), *save, {"call": "filesystem_write_file", "with": tidy}],
    }


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _orders(random: Random) -> tuple[Order, Order, Order, str, Order, Order]:
    """The order of the slides, that of Monday, that of the day, and the items that are moved to
    the front, exchanged and dropped. Items of one slide are dropped, so that their order is free.
    """
    while True:
        slides_order = random.sample([*ITEMS], len(ITEMS))
        monday = random.sample([*ITEMS], len(ITEMS))
        moved, one, other, *dropped = random.sample([*ITEMS], 5)
        day = [moved, *(item for item in monday if item not in (moved, *dropped))]
        at, to = day.index(one), day.index(other)
        day[at], day[to] = other, one
        far = abs(monday.index(one) - monday.index(other)) > 1 and monday.index(moved) > 2
        shuffled = sum(item == slides_order[at] for at, item in enumerate(day)) < 2
        if far and shuffled and "sales" in (one, other) and "sales" not in dropped:
            return slides_order, monday, day, moved, [one, other], dropped


def _slides(deck: Any, order: Order, speakers: dict[str, str], city: str) -> dict[str, list[int]]:
    """Make the slides; the numbers of each item's slides."""
    first = deck.slides.add_slide(deck.slide_layouts[0])
    first.shapes.title.text, first.placeholders[1].text = "Staff day", city
    numbers: dict[str, list[int]] = {}
    for item in order:
        for title, text in ITEMS[item]:
            slide = deck.slides.add_slide(deck.slide_layouts[1])
            slide.shapes.title.text = title
            slide.placeholders[1].text = f"{text}\n{speakers[item]} on {item}"
            numbers.setdefault(item, []).append(len(deck.slides))
        if item == "the warehouse":
            plan = Image.new("RGB", (320, 160), "#dfe7ee")
            ImageDraw.Draw(plan).rectangle((40, 40, 280, 120), outline="#1f4e79", width=6)
            buffer = io.BytesIO()
            plan.save(buffer, "PNG")
            slide.shapes.add_picture(buffer, Cm(14), Cm(11), width=Cm(8))
        if item == "holidays":
            slide.notes_slide.notes_text_frame.text = "Ask who is on call this year."
    last = deck.slides.add_slide(deck.slide_layouts[0])
    last.shapes.title.text, last.placeholders[1].text = "Thank you", "Lunch is in the foyer"
    return numbers


def _steps(order: list[int]) -> list[tuple[int, int]]:
    """The moves, from one place to another, that bring the slides 1, 2, … into an order; slides
    that it does not name end up behind."""
    left = [*range(1, max(order) + 1)]
    steps = []
    for to, number in enumerate(order, 1):
        at = left.index(number) + to
        left.remove(number)
        if at != to:
            steps.append((at, to))
    return steps


def _moves(order: list[int]) -> list[dict[str, Any]]:
    return [
        {"call": "impress_move_slide", "with": {"slide_index": at, "target_position": to}}
        for at, to in _steps(order)
    ]


def _keys(order: list[int]) -> list[dict[str, Any]]:
    """Home shows the first slide, Alt+Shift+PageUp moves the slide that is shown."""
    keys: list[dict[str, Any]] = []
    for at, to in _steps(order):
        keys += [
            {"call": "computer_key", "with": {"keys": ["home"]}},
            {"call": "computer_key", "with": {"keys": ["pagedown"], "times": at - 1}},
            {
                "call": "computer_key",
                "with": {"keys": ["alt", "shift", "pageup"], "times": at - to},
            },
        ]
    return [
        {"call": "computer_key", "with": {"keys": ["alt", "f2"]}},
        {"call": "computer_wait", "with": {"seconds": 30, "window": "Run Application"}},
        {"call": "computer_type", "with": {"text": "gedit Documents/agenda.txt\n"}},
        {"call": "computer_wait", "with": {"seconds": 30, "window": "agenda.txt"}},
        {"call": "computer_activate_window", "with": {"title": "staff-day.pptx"}},
        *keys,
        {"call": "computer_key", "with": {"keys": ["ctrl", "s"]}},
    ]
