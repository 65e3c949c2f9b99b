"""The statutes of a club with the tracked changes of the committee in them."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import CITIES, FIRST_NAMES, LAST_NAMES

KINDS = ("Rowing", "Chess", "Choral", "Hiking", "Garden")


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Paragraphs in which words were deleted and others inserted, by two people."""
    club = f"{random.choice(KINDS)} Society {random.choice(CITIES)}"
    authors = [
        f"{first} {last}"
        for first, last in zip(
            random.sample(FIRST_NAMES, 2), random.sample(LAST_NAMES, 2), strict=True
        )
    ]
    old_fee, fee = random.sample(range(20, 95, 5), 2)
    old_month, month = random.sample(("January", "March", "May", "September"), 2)
    members, old_members = random.choice(((10, 7), (12, 15), (8, 5)))
    # Each piece is (text, "" | "del" | "ins", author).
    pieces: list[list[tuple[str, str, int]]] = [
        [(f"Statutes of the {club}", "", 0)],
        [("The society is open to everybody who is at least ", "", 0), ("sixteen", "del", 0),
         ("fourteen", "ins", 0), (" years old.", "", 0)],
        [("The fee is ", "", 0), (str(old_fee), "del", 1), (str(fee), "ins", 1),
         (" euros a year. It is due at the end of ", "", 0), (old_month, "del", 1), (month, "ins", 1),
         (".", "", 0)],
        [("The committee has five members", "", 0), (", one of whom keeps the accounts", "ins", 0),
         (".", "", 0)],
        [("A general meeting is called if ", "", 0), (str(old_members), "del", 1),
         (str(members), "ins", 1), (" members ask for it", "", 0), (" in writing and in person", "del", 0),
         (".", "", 0)],
        [("These statutes replace those of 1998.", "", 0)],
    ]  # fmt: skip
    document = docx.Document()
    identity = 100
    for line in pieces:
        paragraph = document.add_paragraph()
        for text, kind, author in line:
            tag = "delText" if kind == "del" else "t"
            run = f'<w:r {nsdecls("w")}><w:{tag} xml:space="preserve">{text}</w:{tag}></w:r>'
            if kind:
                identity += 1
                run = (
                    f'<w:{kind} {nsdecls("w")} w:id="{identity}" w:author="{authors[author]}"'
                    f' w:date="2025-01-02T08:00:00Z">{run}</w:{kind}>'
                )
            paragraph._p.append(parse_xml(run))
    document.paragraphs[0].style = document.styles["Heading 1"]
    write_document(document, files / "statutes.docx")
    accepted = ["".join(text for text, kind, _ in line if kind != "del") for line in pieces]
    return {
        "club": club,
        "paragraphs": accepted,
    }
