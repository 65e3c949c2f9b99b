"""An offer that names two prices for the same thing, and a confirmation that needs one."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import docx

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import COMPANIES, PRODUCTS


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """The text of the offer and its table contradict each other."""
    seller, product = random.choice(COMPANIES), random.choice(PRODUCTS).lower()
    price = random.randint(120, 480) * 10
    other = price + random.choice((-110, 90, 180))
    pieces = random.randint(20, 60)
    offer = docx.Document()
    offer.add_heading(f"Offer of {seller}", level=1)
    offer.add_paragraph(
        f"We offer you {pieces} pieces of the article {product}, delivered free to your gate."
    )
    offer.add_paragraph(
        f"The price of all pieces together is {price} euros, payable within thirty days."
    )
    table = offer.add_table(rows=3, cols=2)
    for row, words in enumerate(
        (("Article", product), ("Pieces", str(pieces)), ("Price of all pieces", f"{other} euros"))
    ):
        for column, word in enumerate(words):
            table.cell(row, column).text = word
    offer.add_paragraph(
        "This offer is valid until the end of the month. There is no other agreement."
    )
    write_document(offer, files / "offer.docx")
    order = docx.Document()
    order.add_heading(f"Order to {seller}", level=1)
    order.add_paragraph(f"We order {pieces} pieces of the article {product} as you offered.")
    order.add_paragraph("The price agreed for all pieces together is ______ euros.")
    write_document(order, files / "order.docx")

    def fill(value: int) -> list[dict[str, Any]]:
        given = {"pattern": "______", "replacement": str(value), "document": "order.docx"}
        return [
            {"call": "writer_find_and_replace", "with": given},
            {"call": "writer_save", "with": {"document": "order.docx"}},
        ]

    return {"seller": seller, "first": fill(price), "second": fill(other)}
