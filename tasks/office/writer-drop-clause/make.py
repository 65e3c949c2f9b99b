"""A lease from which a clause is dropped, so that numbers and references after it move up."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import docx

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import CITIES, FIRST_NAMES, LAST_NAMES

DROPPED = {
    "pets": "One cat may be kept. A dog needs the consent of the landlord in writing.",
    "parking": "The tenant may park one car in the yard, on the left of the gate.",
    "subletting": "A room may be let to others for up to four weeks in a year.",
}
CLAUSES = {
    "deposit": ("Deposit", "The deposit is three months' rent. What is owed under <clauses {rent} and"
                " {damage}> is taken off when it is paid back."),
    "heating": ("Heating", "Costs of heating are shared by area, as section {other} of the Tenancy Act"
                " provides. They are paid <together with the rent (clause {rent})>."),
    "repairs": ("Repairs", "Small repairs are up to the tenant, others to the landlord, who may come in"
                " for them <as clause {access} says>."),
    "access": ("Access", "The landlord announces a visit two days before. Clause {other} of the house"
               " rules says at which hours workmen may be noisy."),
    "damage": ("Damage", "Whoever breaks something pays for it, unless it is a <repair under clause"
               " {repairs}>."),
    "rent": ("Rent", "The rent is {euros} euros a month and is due on the third. It is lowered for as"
             " long as <the heating (clause {heating})> does not work."),
    "noise": ("Quiet hours", "From ten in the evening it is quiet in the house. Clause {other} of the"
              " house rules has the hours at noon."),
}  # fmt: skip
LAST = (
    "End of the lease",
    "Either side may end the lease with three months' notice. The flat is handed back <as clauses 1 and"
    " {repairs} describe it>, the <deposit under clause {deposit}> within six weeks.",
)
PHRASE = re.compile("<(.*?)>")


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Ten clauses in an order of their own; the dropped one is among the first five."""
    topic = sorted(DROPPED)[number - 1]
    dropped = random.randrange(3, 6)
    keys = random.sample(sorted(CLAUSES), 7)
    keys.insert(dropped - 2, topic)
    places = {key: place for place, key in enumerate(keys, 2)}
    # Other papers are cited by numbers that clauses of the lease have, too.
    cited = random.choice([place for place in places.values() if dropped < place < 9])
    tenant, city = (
        f"{random.choice(FIRST_NAMES)} {random.choice(LAST_NAMES)}",
        random.choice(CITIES),
    )
    values = {"euros": random.randrange(61, 98) * 10, "other": cited}
    moved = {key: place - (place > dropped) for key, place in places.items()}

    def lease(numbers: dict[str, int], last: int) -> list[str]:
        lines = ["1. The flat", f"The flat is on the second floor in {city}, with a cellar."]
        for key, place in numbers.items():
            title, text = CLAUSES.get(key, (topic.capitalize(), DROPPED[topic]))
            lines += [f"{place}. {title}", text.format_map({**values, **numbers})]
        title, text = LAST
        return [*lines, f"{last}. {title}", text.format_map({**values, **numbers})]

    title = f"Lease: {tenant}"
    old, marked = lease(places, 10), lease(moved, 9)
    at = 2 * (dropped - 1)
    document = docx.Document()
    document.add_paragraph(title, style="Heading 1")
    for index, line in enumerate(old):
        style = None if index % 2 else "Heading 2"
        document.add_paragraph(PHRASE.sub(r"\1", line), style=style)
    write_document(document, files / "lease.docx")

    numbers, references = [], []
    for index, (before, after) in enumerate(zip(old, marked, strict=True)):
        if index % 2 == 0 and before != after:
            numbers.append((before, after))
        phrases = zip(PHRASE.findall(before), PHRASE.findall(after), strict=True)
        references += [(was, now) for was, now in phrases if was != now]
    gone = [PHRASE.sub(r"\1", line) for line in old[at : at + 2]]
    left = [PHRASE.sub(r"\1", line) for line in marked[:at] + marked[at + 2 :]]
    pairs = [*numbers, *references]
    _check(old, pairs, gone, left)

    def replace(replaced: list[tuple[str, str]]) -> list[dict[str, Any]]:
        return [
            {
                "call": "writer_find_and_replace",
                "with": {"pattern": was, "replacement": now, "regular_expression": False},
            }
            for was, now in replaced
        ]

    # Escape leaves the search bar with the title selected; two paragraphs go from its line's start.
    remove: list[dict[str, Any]] = [
        {"call": "computer_activate_window", "with": {"title": "lease.docx"}},
        {"call": "computer_key", "with": {"keys": ["ctrl", "f"]}},
        {"call": "computer_type", "with": {"text": f"{gone[0]}\n"}},
        {"call": "computer_key", "with": {"keys": ["escape"]}},
        {"call": "computer_key", "with": {"keys": ["home"]}},
        {"call": "computer_key", "with": {"keys": ["ctrl", "shift", "down"], "times": 2}},
        {"call": "computer_key", "with": {"keys": ["delete"]}},
    ]
    dialog: list[dict[str, Any]] = []
    for was, now in pairs:
        dialog += [
            {"call": "computer_key", "with": {"keys": ["alt", "f"]}},
            {"call": "computer_type", "with": {"text": was}},
            {"call": "computer_key", "with": {"keys": ["alt", "p"]}},
            {"call": "computer_type", "with": {"text": now}},
            {"call": "computer_key", "with": {"keys": ["alt", "l"]}},
        ]
    save = [{"call": "writer_save"}]
    emptied = replace([(gone[0], ""), (gone[1], "")])
    # From the lowest number to the highest, so that no clause moves up twice.
    expressions = [
        {
            "call": "writer_find_and_replace",
            "with": {
                "pattern": rf"^{n}(?=\. )|(?<=clause ){n}(?! of the house)|(?<=clauses ){n}\b"
                rf"|(?<=clauses \d and ){n}\b",
                "replacement": str(n - 1),
            },
        }
        for n in range(dropped + 1, 10)
    ]
    others = [("of the house rules", cited), ("of the Tenancy Act", cited)]
    return {
        "tenant": tenant,
        "topic": topic,
        "paragraphs": [title, *left],
        "headings": left[::2],
        "tools": [{"call": "writer_get_text"}, *replace(pairs), *remove, *save],
        "emptied": [*emptied, *expressions, *replace(_rest(numbers)), *save],
        "gui": [
            *remove,
            {"call": "computer_key", "with": {"keys": ["ctrl", "h"]}},
            {"call": "computer_wait", "with": {"seconds": 30, "window": "Find and Replace"}},
            *dialog,
            {"call": "computer_key", "with": {"keys": ["alt", "c"]}},
            {"call": "computer_key", "with": {"keys": ["ctrl", "s"]}},
        ],
        "numbers_only": [*emptied, *replace(numbers), *save],
        "all_moved": [
            *emptied,
            *replace([*pairs, *((f"{n} {rest}", f"{n - 1} {rest}") for rest, n in others)]),
            *save,
        ],
        "reworded": [*emptied, *replace([*pairs, ("on the third", "on the 3rd")]), *save],
    }


def _rest(numbers: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """What is left when the numbers of one digit have moved up."""
    return [(was, now) for was, now in numbers if was.startswith("10.")]


def _check(old: list[str], pairs: list[tuple[str, str]], gone: list[str], left: list[str]) -> None:
    """Each text to be replaced is found once at that moment, and the clauses left are right."""
    lines = [PHRASE.sub(r"\1", line) for line in old]
    text = "\n".join(line for line in lines if line not in gone)
    for was, now in pairs:
        assert text.count(was) == 1, was
        text = text.replace(was, now)
    assert text.splitlines() == left
