"""An offer with last year's prices in its table, and the list of this year's."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import docx

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import CITIES, COMPANIES, PRODUCTS

MANY = 50


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Five articles; one is ordered in a quantity for which the list has a lower price."""
    customer, city = random.choice(COMPANIES), random.choice(CITIES)
    articles = random.sample(PRODUCTS, 9)
    quantities = random.sample(range(3, 38), 5)
    many = random.randrange(5)
    quantities[many] = random.randrange(60, 95)
    old_cents = _distinct(random, quantities)
    new_cents = [cents + random.randrange(15, 140) for cents in old_cents]
    lower = new_cents[many] - random.randrange(21, 60)

    def table(cents: list[int]) -> list[list[str]]:
        rows = [
            [name, str(count), _euros(price), _euros(count * price)]
            for name, count, price in zip(articles, quantities, cents, strict=False)
        ]
        return [["Article", "Quantity", "Price", "Total"], *rows, ["Sum", "", "", _sum(rows)]]

    charged = [lower if at == many else price for at, price in enumerate(new_cents)]
    old, new, unaware = table(old_cents), table(charged), table(new_cents)

    def paragraphs(rows: list[list[str]]) -> list[str]:
        return [
            f"Offer for {customer}",
            "Thank you for your interest. We are pleased to offer you the following:",
            *(text for row in rows for text in row if text),
            f"Delivery to {city} takes two weeks and is free of charge.",
            "All prices are in euros, without value added tax.",
        ]

    document = docx.Document()
    texts = paragraphs([])
    document.add_paragraph(texts[0], style="Heading 1")
    document.add_paragraph(texts[1])
    grid = document.add_table(rows=len(old), cols=4, style="Table Grid")
    for row, values in zip(grid.rows, old, strict=True):
        for cell, text in zip(row.cells, values, strict=True):
            cell.text = text
    for text in texts[2:]:
        document.add_paragraph(text)
    write_document(document, files / "offer.docx")

    others = [random.randrange(150, 4_000) for _ in articles[5:]]
    listed = sorted(zip(articles, [*new_cents, *others], strict=True))
    lines = [f"{name:<16} {_euros(price):>8}" for name, price in listed]
    name = articles[many]
    (files / "prices.txt").write_text(
        "\n".join(
            (
                "PRICE LIST, valid from January",
                "euros for one piece, without value added tax",
                "",
                *lines,
                "",
                f"{name}: {_euros(lower)} each, if {MANY} or more are ordered.",
                f"{articles[8]}: sold in pairs only.",
                "",
            )
        ),
        encoding="utf-8",
    )

    def cells(before: list[list[str]], after: list[list[str]]) -> dict[str, str]:
        return {
            f"{letter}{at}": now
            for at, (was_row, row) in enumerate(zip(before, after, strict=True), 1)
            for letter, was, now in zip("ABCD", was_row, row, strict=True)
            if was != now
        }

    def fill(values: dict[str, str]) -> list[dict[str, Any]]:
        return [
            {"call": "writer_set_table_cell", "with": {"table": 0, "cell": cell, "text": text}}
            for cell, text in values.items()
        ]

    changed = cells(old, new)
    pairs = [
        [was, now]
        for was_row, row in zip(old, new, strict=True)
        for was, now in zip(was_row, row, strict=True)
        if was != now
    ]
    # Prices are replaced from the last to the first: no new one is found as an old one then.
    pairs.reverse()
    save = [{"call": "writer_save"}]
    dialog: list[dict[str, Any]] = []
    for was, now in pairs:
        dialog += [
            {"call": "computer_key", "with": {"keys": ["alt", "f"]}},
            {"call": "computer_type", "with": {"text": was}},
            {"call": "computer_key", "with": {"keys": ["alt", "p"]}},
            {"call": "computer_type", "with": {"text": now}},
            {"call": "computer_key", "with": {"keys": ["alt", "l"]}},
        ]
    _check(old, pairs)
    return {
        "customer": customer,
        "paragraphs": paragraphs(new),
        "tools": [
            {"call": "files_read_text", "with": {"path": "~/Documents/prices.txt"}},
            {"call": "writer_get_tables"},
            *fill(changed),
            *save,
        ],
        "replaced": [
            *(
                {
                    "call": "writer_find_and_replace",
                    "with": {"pattern": was, "replacement": now, "regular_expression": False},
                }
                for was, now in pairs
            ),
            *save,
        ],
        "gui": [
            {"call": "computer_activate_window", "with": {"title": "offer.docx"}},
            {"call": "computer_key", "with": {"keys": ["ctrl", "h"]}},
            {"call": "computer_wait", "with": {"seconds": 30, "window": "Find and Replace"}},
            *dialog,
            {"call": "computer_key", "with": {"keys": ["alt", "c"]}},
            {"call": "computer_key", "with": {"keys": ["ctrl", "s"]}},
        ],
        "without": [*fill(cells(old, unaware)), *save],
        "prices_only": [
            *fill({cell: text for cell, text in changed.items() if cell.startswith("C")}),
            *save,
        ],
        "reworded": [
            *fill(changed),
            {
                "call": "writer_find_and_replace",
                "with": {"pattern": "takes two weeks", "replacement": "takes 14 days"},
            },
            *save,
        ],
    }


def _distinct(random: Random, quantities: list[int]) -> list[int]:
    """Prices in cents of which none is found within another price, total or quantity."""
    while True:
        cents = [random.randrange(1_000, 9_900) for _ in quantities]
        numbers = [_euros(price) for price in cents]
        numbers += [_euros(price * count) for price, count in zip(cents, quantities, strict=True)]
        numbers.append(_euros(sum(p * n for p, n in zip(cents, quantities, strict=True))))
        if sum(one in other for one in numbers for other in numbers) == len(numbers):
            return cents


def _check(old: list[list[str]], pairs: list[list[str]]) -> None:
    """Each text to be replaced is found once at that moment."""
    text = "\n".join("\t".join(row) for row in old)
    for was, now in pairs:
        assert text.count(was) == 1, was
        text = text.replace(was, now)


def _euros(cents: int) -> str:
    return f"{cents / 100:.2f}"


def _sum(rows: list[list[str]]) -> str:
    return f"{sum(round(float(row[3]) * 100) for row in rows) / 100:.2f}"
