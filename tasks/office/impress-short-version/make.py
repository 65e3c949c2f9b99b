"""The slides of a long talk, and a mail that names those for ten minutes."""

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

FOLDER = "/home/user/Documents"
MIDDLE = {
    "who": ("Who we are", "Nine neighbours\nOne gardener"),
    "today": ("The roof today", "Gravel\nTwo aerials"),
    "plan": ("What we plan", "Beds along the edge\nA path for wheelchairs"),
    "street": ("The model, seen from the street", ""),
    "above": ("The model, seen from above", ""),
    "pays": ("Who pays", "The house: one half\nThe town: the other"),
    "risks": ("What can go wrong", "Water in the attic\nWind"),
    "time": ("When it is built", "Spring: the beds\nSummer: the path"),
    "rules": ("What the law says", "A railing of 110 cm\nTwo ways out"),
}
"""Slides between the first and the last; those without a text have a picture."""


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Thirteen slides, two estimates with the same title, and a mail whose last line adds a
    slide."""
    city, street = random.choice(CITIES), random.choice(("Mill Street", "Canal Street", "Park Row"))
    writer, reader, third = random.sample(FIRST_NAMES, 3)
    house, first = random.randint(3, 98), random.randint(31, 48)
    months = random.choice((("February", "April"), ("March", "June"), ("May", "September")))
    middle = dict(MIDDLE)
    for key, month, more in (("old", months[0], 0), ("new", months[1], random.randint(4, 11))):
        middle[key] = ("What it costs", f"Estimate of {month}\n{first + more},000 euros")
    keys = random.sample([*middle], len(middle))
    deck = pptx.Presentation()
    numbers = {"first": 1, "last": len(keys) + 2}
    _add(deck, 0, f"A garden on the roof of {street} {house}", f"Town of {city}")
    for at, key in enumerate(keys, 2):
        numbers[key] = at
        slide = _add(deck, 1 if middle[key][1] else 5, *middle[key])
        if not middle[key][1]:
            slide.shapes.add_picture(_picture(key), Cm(5), Cm(5), width=Cm(14))
        if key in ("plan", "risks"):
            slide.notes_slide.notes_text_frame.text = f"{third} can say more about this."
    _add(deck, 0, "Thank you", "Come up and see it")
    write_document(deck, files / "roof.pptx")
    mail = f"""From: {writer}
To: {reader}
Subject: Your ten minutes

Dear {reader},

you have ten minutes in the council, so please cut the slides down. I would keep the first one,
what you plan, then the two pictures of the model (in whichever order), what it costs and the
thanks at the end. Of the two estimates they should only see the newer one.
They also have to know when it is built. Put that before the costs: after those, nobody listens.

{writer}

P.S. {third} says that what can go wrong has to be in it after all. Right after the costs, please.
"""
    (files / "mail.txt").write_text(mail, encoding="utf-8")

    def taken(*names: str) -> list[int]:
        return [numbers[name] for name in names]

    short = ("first", "plan", "street", "above", "time", "new", "risks", "last")
    count = numbers["last"]
    right = _edits(taken(*short), count)
    exchanged = _edits(taken(*short[:2], "above", "street", *short[4:]), count)
    older = _edits(taken(*short[:5], "old", *short[6:]), count)
    without = _edits(taken(*short[:6], "last"), count)
    save = {"call": "impress_save"}
    save_as = {"call": "impress_save_as", "with": {"file_path": f"{FOLDER}/roof-short.pptx"}}
    pictures = taken("street", "above")
    return {
        "reader": reader,
        "slides": [*taken(*short[:2]), pictures, *taken(*short[4:])],
        "tools": [
            {"call": "filesystem_read_text_file", "with": {"path": f"{FOLDER}/mail.txt"}},
            {"call": "impress_env_info"},
            save_as,
            *right,
            save,
        ],
        "exchanged": [*exchanged, save_as],
        "gui": _keys(taken(*short), count),
        "older": [save_as, *older, save],
        "without": [save_as, *without, save],
        "overwritten": [*right, save, save_as],
    }


def _add(deck: Any, layout: int, title: str, text: str) -> Any:
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    slide.shapes.title.text = title
    if text:
        slide.placeholders[1].text = text
    return slide


def _picture(key: str) -> io.BytesIO:
    picture = Image.new("RGB", (420, 240), "#cfe3f1")
    draw = ImageDraw.Draw(picture)
    draw.rectangle((60, 90 if key == "street" else 30, 360, 210), fill="#b08d6a")
    draw.rectangle((80, 60, 340, 90) if key == "street" else (90, 60, 330, 180), fill="#4f8a3c")
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    buffer.seek(0)
    return buffer


def _steps(order: list[int], count: int) -> tuple[list[int], list[tuple[int, int]]]:
    """The slides to delete, from the last to the first, and the moves after that."""
    deleted = [at for at in range(count, 0, -1) if at not in order]
    left, moves = sorted(order), []
    for to, number in enumerate(order):
        at = left.index(number)
        left.insert(to, left.pop(at))
        if at != to:
            moves.append((at + 1, to + 1))
    return deleted, moves


def _edits(order: list[int], count: int) -> list[dict[str, Any]]:
    deleted, moves = _steps(order, count)
    return [
        *({"call": "impress_delete_slide", "with": {"slide_index": at}} for at in deleted),
        *(
            {"call": "impress_move_slide", "with": {"slide_index": at, "target_position": to}}
            for at, to in moves
        ),
    ]


def _keys(order: list[int], count: int) -> list[dict[str, Any]]:
    """Home shows the first slide; D in the menu Slide deletes the one that is shown, and
    Alt+Shift+PageUp moves it."""

    def press(*keys: str, **more: int) -> dict[str, Any]:
        return {"call": "computer_key", "with": {"keys": [*keys], **more}}

    def wait(title: str) -> dict[str, Any]:
        return {"call": "computer_wait", "with": {"seconds": 30, "window": title}}

    deleted, moves = _steps(order, count)
    steps = [
        press("alt", "f2"),
        wait("Run Application"),
        {"call": "computer_type", "with": {"text": "gedit Documents/mail.txt\n"}},
        wait("mail.txt"),
        {"call": "computer_activate_window", "with": {"title": "roof.pptx"}},
        press("ctrl", "shift", "s"),
        wait("Save"),
        press("ctrl", "a"),
        {"call": "computer_type", "with": {"text": f"{FOLDER}/roof-short.pptx\n"}},
        wait("roof-short.pptx"),
    ]
    for at in deleted:
        steps += [press("home"), press("pagedown", times=at - 1), press("alt", "l"), press("d")]
    for at, to in moves:
        steps += [press("home"), press("pagedown", times=at - 1)]
        steps.append(press("alt", "shift", "pageup", times=at - to))
    return [*steps, press("ctrl", "s")]
