"""The slides of a sales meeting, some of which show what the seller pays and earns."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pptx
from pptx.util import Cm

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import CITIES, COMPANIES, PRODUCTS

Table = list[list[str]]


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Four slides with purchase prices or margins, two that only seem to have them, and two that
    are hidden already."""
    seller, customer = random.sample(COMPANIES, 2)
    one, two, three = random.sample(PRODUCTS, 3)
    city = random.choice(CITIES)
    costs = random.sample(range(21, 60), 3)
    prices = [cost + random.randint(8, 19) for cost in costs]
    names = (one, two, three)
    list_prices: Table = [["", "Price"], *([n, f"{p} euros"] for n, p in zip(names, prices, strict=True))]  # fmt: skip
    paid: Table = [["", "To the works"], *([n, f"{c} euros"] for n, c in zip(names, costs, strict=True))]  # fmt: skip
    stock: Table = [["", "Pieces", "Margin"]]
    stock += [[n, str(random.randint(80, 900)), f"{p - c} euros"]
              for n, p, c in zip(names, prices, costs, strict=True)]  # fmt: skip
    middle: list[tuple[str, str, str | Table]] = [
        ("", "What is new", f"{one}: lighter\n{two}: in three sizes"),
        ("", "Our list prices", list_prices),
        ("inside", "What we buy for", paid),
        ("inside", "How we calculate", f"Freight and customs\n{prices[1] - costs[1]} euros on top for us per piece"),
        ("inside", "Next steps", f"Samples by post\nTalk to the works: {costs[2]} euros for the {three.lower()} is too much\nOffer in writing"),
        ("inside", "In stock", stock),
        ("words", "Guarantee", "Five years on all parts\nMarginal wear of the paint is not covered"),
        ("notes", "Delivery", f"From {city}\nWithin four days"),
        ("show", "Who works with them", "Two shipyards\nA railway"),
        ("old", "List prices of last year", f"{one}: {prices[0] - 3} euros\n{two}: {prices[1] - 2} euros"),
    ]  # fmt: skip
    random.shuffle(middle)
    content: list[tuple[str, str, str | Table]] = [
        ("", f"{seller}: our offer for spring", f"For our partners in {city}"),
        *middle,
        ("", "Questions?", f"{seller}, {city}"),
    ]
    numbers: dict[str, list[int]] = {}
    deck = pptx.Presentation()
    for at, (kind, title, inner) in enumerate(content, 1):
        numbers.setdefault(kind, []).append(at)
        layout = 0 if at in (1, len(content)) else 1 if isinstance(inner, str) else 5
        slide = deck.slides.add_slide(deck.slide_layouts[layout])
        slide.shapes.title.text = title
        if isinstance(inner, str):
            slide.placeholders[1].text = inner
        else:
            _add_table(slide, inner)
        if kind == "notes":
            text = "Our margin on the freight is small: do not promise three days."
            slide.notes_slide.notes_text_frame.text = text
        if kind in ("show", "old"):
            slide.element.set("show", "0")
    write_document(deck, files / "offer.pptx")

    inside, (shown,), (old,) = numbers["inside"], numbers["show"], numbers["old"]
    in_stock = next(at for at, part in enumerate(content, 1) if part[1] == "In stock")
    seeming = sorted([*inside, *numbers["words"], *numbers["notes"]])
    save = {"call": "impress_save"}
    empty = {"slide_index": numbers["notes"][0], "notes": ""}
    return {
        "customer": customer,
        "references": "Who works with them",
        "hidden": sorted([*inside, old]),
        "tools": [
            {"call": "impress_env_info"},
            {"call": "computer_activate_window", "with": {"title": "offer.pptx"}},
            *_by_tool(inside, shown),
            save,
        ],
        "gui": _by_hand(inside, shown, len(content)),
        "by_word": [*_by_tool(seeming, shown), save],
        "overlooked": [*_by_tool([at for at in inside if at != in_stock], shown), save],
        "emptied": [
            *_by_tool(inside, shown),
            {"call": "impress_set_notes", "with": empty},
            save,
        ],
    }


def _add_table(slide: Any, rows: Table) -> None:
    cells = slide.shapes.add_table(
        len(rows), len(rows[0]), Cm(3), Cm(6), Cm(5 * len(rows[0])), Cm(1.5 * len(rows))
    ).table
    for y, row in enumerate(rows):
        for x, text in enumerate(row):
            cells.cell(y, x).text = text


def _press(*keys: str, **more: int) -> dict[str, Any]:
    return {"call": "computer_key", "with": {"keys": [*keys], **more}}


def _by_tool(hidden: list[int], shown: int) -> list[dict[str, Any]]:
    """No tool hides a slide: in the menu Slide, H hides the slide in the window, W shows it."""
    return [
        step
        for at in sorted([*hidden, shown])
        for step in (
            {"call": "impress_goto_slide", "with": {"slide_index": at}},
            _press("alt", "l"),
            _press("w" if at == shown else "h"),
        )
    ]


def _by_hand(hidden: list[int], shown: int, count: int) -> list[dict[str, Any]]:
    steps = [{"call": "computer_activate_window", "with": {"title": "offer.pptx"}}, _press("home")]
    for at in range(1, count + 1):
        if at in hidden or at == shown:
            steps += [_press("alt", "l"), _press("w" if at == shown else "h")]
        steps.append(_press("pagedown"))
    return [*steps[:-1], _press("ctrl", "s")]
