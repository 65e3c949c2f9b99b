"""The slides of a talk, and a script that was written before the slides were rearranged."""

from __future__ import annotations

import textwrap
from pathlib import Path
from random import Random
from typing import Any

import pptx

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import CITIES, FIRST_NAMES, LAST_NAMES

WATER = "Drink some water first."
"""The note that one of the slides has already."""
ASKED = "Only if somebody asks."
"""The note of the slide that has no part in the script."""


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Nine slides, two of them with the same title; a script of nine parts, one of them without
    a slide, in another order."""
    city = random.choice(CITIES)
    name = f"{random.choice(FIRST_NAMES)} {random.choice(LAST_NAMES)}"
    year, bridge, share = random.randint(2022, 2025), random.randint(31, 58), random.randint(21, 38)
    title = f"Cycling to work in {city}"
    middle = [
        ("Why we counted", "The city builds, but for whom?",
         f"Every year {city} builds new paths for bicycles. Until now nobody knew who uses them. "
         "We wanted to know before the next one is built, so we counted."),
        ("How we counted", "Twelve counters under the road",
         "A counter is a loop of wire under the road. It notices metal and nothing else. It knows "
         "neither who you are nor where you go. I say that twice, since people worry."),
        ("Results", f"The bridge: {bridge}00 bicycles a day\nThe station: fewer than we thought",
         f"Look at the bridge. There are {bridge}00 bicycles on a working day, more than cars. The "
         "station is a surprise, for there they wait behind the buses."),
        ("Results", f"In sunshine: all of them\nIn rain: {share} of 100 stay at home",
         f"Now the weather. Of a hundred people, {share} leave the bicycle at home when it rains. "
         "The others come anyway, and most of them are older than fifty."),
        ("What people say", "More light\nFewer kerbs",
         "We asked four hundred people what they miss. Most of them did not ask for more paths. "
         "They asked for light on those that are there."),
        ("Three streets first", "Mill Street\nCanal Street\nSchool Lane",
         "If you remember one thing, then these three streets. They are short, they are cheap, "
         "and half of all accidents happen there."),
    ]  # fmt: skip
    random.shuffle(middle)
    opening = f"Good morning. I am {name}, and I count bicycles. Give me twelve minutes."
    closing = "Thank you. I stay for a while, and the figures are on our pages for everybody."
    costs = ("What it costs", "Light: little\nKerbs: more", "")
    content = [
        (title, f"{name}, {year}", opening),
        *middle[:4],
        costs,
        *middle[4:],
        ("Questions?", f"Counting office {city}", closing),
    ]
    keeper = random.choice([at for at, part in enumerate(content, 1) if part in middle])
    deck = pptx.Presentation()
    for at, (head, text, _) in enumerate(content, 1):
        slide = deck.slides.add_slide(deck.slide_layouts[0 if at in (1, len(content)) else 1])
        slide.shapes.title.text, slide.placeholders[1].text = head, text
        slide.notes_slide.notes_text_frame.text = {keeper: WATER}.get(at, "")
        if head == costs[0]:
            slide.notes_slide.notes_text_frame.text = ASKED
    write_document(deck, files / "talk.pptx")

    spoken = [at for at, part in enumerate(content) if part[2]]
    order = random.sample(spoken[1:-1], len(spoken) - 2)
    parts = [content[at] for at in (spoken[0], *order, spoken[-1])]
    sponsors = f"We thank the savings bank of {city}, which paid for all twelve counters."
    parts.insert(len(parts) // 2, ("Our sponsors", "", sponsors))
    script = "\n\n".join(f"[{_named(*part[:2])}]\n{textwrap.fill(part[2], 72)}" for part in parts)
    (files / "script.txt").write_text(script + "\n", encoding="utf-8")

    def notes(texts: list[str], kept: bool = True) -> dict[int, str]:
        given = {at + 1: text for at, text in zip(spoken, texts, strict=True)}
        return {at: f"{WATER}\n{text}" if at == keeper and kept else text
                for at, text in given.items()}  # fmt: skip

    right = notes([content[at][2] for at in spoken])
    wrapped = notes([textwrap.fill(content[at][2], 72) for at in spoken])
    one, other = (at for at, part in enumerate(content, 1) if part[0] == "Results")
    texts = {at: content[at - 1][2] for at in right}
    texts[one], texts[other] = texts[other], texts[one]
    read = [
        {"call": "filesystem_read_text_file", "with": {"path": "/home/user/Documents/script.txt"}},
        {"call": "impress_env_info"},
    ]
    check, save = {"call": "impress_env_info"}, {"call": "impress_save"}
    retitled = {"content": "Results in the rain", "page_index": other, "box_index": 0}
    return {
        "slides": [[head, *text.split("\n")] for head, text, _ in content],
        "notes": {
            str(at): ASKED if part[0] == costs[0] else right[at]
            for at, part in enumerate(content, 1)
        },
        "tools": [*read, *_writes(right), check, save],
        "wrapped": [*_writes(wrapped), save],
        "gui": _keys(right, keeper, len(content)),
        "exchanged": [*_writes(notes([*texts.values()])), save],
        "replaced": [*_writes(notes([content[at][2] for at in spoken], kept=False)), save],
        "retitled": [*_writes(right), {"call": "impress_write_text", "with": retitled}, save],
    }


def _named(title: str, text: str) -> str:
    """What the script calls a slide: its title, and what it is about if that is not enough."""
    if title != "Results":
        return title
    return "Results, the weather" if "rain" in text else "Results, the bridge"


def _writes(notes: dict[int, str]) -> list[dict[str, Any]]:
    return [
        {"call": "impress_set_notes", "with": {"slide_index": at, "notes": text}}
        for at, text in notes.items()
    ]


def _keys(notes: dict[int, str], keeper: int, count: int) -> list[dict[str, Any]]:
    """In the notes view, Tab selects first the slide, then the notes, and F2 edits them."""

    def press(*keys: str, **more: int) -> dict[str, Any]:
        return {"call": "computer_key", "with": {"keys": [*keys], **more}}

    steps = [
        press("alt", "f2"),
        {"call": "computer_wait", "with": {"seconds": 30, "window": "Run Application"}},
        {"call": "computer_type", "with": {"text": "gedit Documents/script.txt\n"}},
        {"call": "computer_wait", "with": {"seconds": 30, "window": "script.txt"}},
        {"call": "computer_activate_window", "with": {"title": "talk.pptx"}},
        press("alt", "v"),
        press("e"),
    ]
    for at in range(1, count + 1):
        if text := notes.get(at):
            added = text.removeprefix(WATER) if at == keeper else text
            steps += [
                press("tab", times=2),
                press("f2"),
                press("ctrl", "end"),
                {"call": "computer_type", "with": {"text": added}},
                press("escape", times=2),
            ]
        steps.append(press("pagedown"))
    return [*steps[:-1], press("ctrl", "s")]
