"""The draft of a grant proposal with the remarks of two reviewers in its margin."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import docx

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import CITIES, FIRST_NAMES, LAST_NAMES


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Three remarks that ask for a change, and one that does not."""
    city = random.choice(CITIES)
    lead = f"{random.choice(FIRST_NAMES)} {random.choice(LAST_NAMES)}"
    wrong_lead = lead[:-1] + ("m" if lead[-1] != "m" else "n")
    right_day, wrong_day = random.sample(range(3, 28), 2)
    month = random.choice(("March", "May", "October"))
    cost = random.randint(31, 79) * 100
    wrong_cost = cost + random.choice((-900, 1800))
    one, other = random.sample(FIRST_NAMES, 2)
    swap = random.choice((("visitors", "readers"), ("pupils", "students"), ("guests", "members")))

    def text(people: str, named: str, day: int, euros: int) -> list[str]:
        return [
            f"A reading room for {city}",
            f"The old customs house in {city} has stood empty since the ferry moved. We propose to turn"
            f" its ground floor into a reading room that is open to all {people}, six days a week.",
            f"The work is led by {named}, who has run the mobile library for eleven years.",
            f"Building starts on {day} {month} and takes nine weeks. During that time the side entrance"
            " stays open.",
            f"We ask for {euros} euros. Half of the sum pays for shelves and lamps, the rest for two"
            f" ramps, so that {people} in wheelchairs can enter by themselves.",
            "The town council has agreed to pay for heating in the first two winters.",
        ]

    before = text(swap[0], wrong_lead, wrong_day, wrong_cost)
    document = docx.Document()
    document.core_properties.author = one
    paragraphs = [document.add_paragraph(line) for line in before]
    paragraphs[0].style = document.styles["Heading 1"]
    remarks = [
        (1, one, f"We call them {swap[1]} everywhere else. Please write {swap[1]} instead of {swap[0]},"
         " in the whole proposal."),
        (2, other, f"The name is misspelt, it is {lead}."),
        (3, other, f"The builders told me that they start on {right_day} {month}."),
        (4, one, f"The offer came to {cost} euros, please correct the sum."),
        (5, other, "That was good of them, I had not expected it."),
    ]  # fmt: skip
    for at, author, remark in remarks:
        initials = "".join(word[0] for word in author.split())
        comment = document.add_comment(
            paragraphs[at].runs, text=remark, author=author, initials=initials
        )
        stamp = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}date"
        comment._comment_elm.set(stamp, "2025-01-02T08:00:00Z")
    write_document(document, files / "proposal.docx")
    first = [[swap[0], swap[1]], [wrong_lead, lead]]
    second = [
        [f"on {wrong_day} {month}", f"on {right_day} {month}"],
        [f"{wrong_cost} euros", f"{cost} euros"],
    ]

    def replace(pairs: list[list[str]]) -> list[dict[str, Any]]:
        return [
            {"call": "writer_find_and_replace", "with": {"pattern": old, "replacement": new}}
            for old, new in pairs
        ]

    # In the dialog, Alt+F and Alt+P are the fields, Alt+L the button Replace All, Alt+C Close.
    dialog: list[dict[str, Any]] = []
    for old, new in first + second:
        dialog += [
            {"call": "computer_key", "with": {"keys": ["alt", "f"]}},
            {"call": "computer_type", "with": {"text": old}},
            {"call": "computer_key", "with": {"keys": ["alt", "p"]}},
            {"call": "computer_type", "with": {"text": new}},
            {"call": "computer_key", "with": {"keys": ["alt", "l"]}},
        ]
    read = [{"call": "writer_get_comments"}, {"call": "writer_get_text"}]
    save = [{"call": "writer_save"}]
    after = text(swap[1], lead, right_day, cost)
    once = {"pattern": swap[0], "replacement": swap[1], "paragraph_indices": [1]}
    remove = {
        "pattern": f" {after[5]}".strip(),
        "replacement": "The town council pays for heating.",
    }
    return {
        "one": one,
        "other": other,
        "paragraphs": after,
        "comments": [remark for _, _, remark in remarks],
        "tools": read + replace(first + second) + save,
        "reordered": replace(second[::-1] + first[::-1]) + save,
        "gui": [
            {"call": "computer_activate_window", "with": {"title": "proposal.docx"}},
            {"call": "computer_key", "with": {"keys": ["ctrl", "h"]}},
            {"call": "computer_wait", "with": {"seconds": 30, "window": "Find and Replace"}},
            *dialog,
            {"call": "computer_key", "with": {"keys": ["alt", "c"]}},
            {"call": "computer_key", "with": {"keys": ["ctrl", "s"]}},
        ],
        "partly": [
            {"call": "writer_find_and_replace", "with": once},
            *replace(first[1:] + second),
            *save,
        ],
        "tidied": [
            *replace(first + second),
            {"call": "writer_find_and_replace", "with": remove},
            *save,
        ],
    }
