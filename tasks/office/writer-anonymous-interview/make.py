"""An interview with three people, two of whom have names that are also words."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import docx

from ambidex.tasks.authoring.packages import write_document
from ambidex.tasks.authoring.words import CITIES, LAST_NAMES

MEN = ("Goran", "Imre", "Kenji", "Marek", "Oskar", "Rafael", "Viktor", "Yusuf")
FLOWERS = (
    ("Rose", "a rose", "roses"),
    ("Iris", "an iris", "irises"),
    ("Daisy", "a daisy", "daisies"),
)
MONTHS = ("April", "June", "May")


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Nine paragraphs in which they name each other in three ways."""
    man, city = random.choice(MEN), random.choice(CITIES)
    flower, one_flower, many_flowers = FLOWERS[number - 1]
    month = MONTHS[number - 1]
    lasts = random.sample(LAST_NAMES, 3)
    full = [f"{first} {last}" for first, last in zip((man, flower, month), lasts, strict=True)]
    codes = [f"P{code}" for code in random.sample(range(11, 90), 3)]

    def text(wholes: list[str], firsts: list[str], mister: str, miss: str) -> list[str]:
        him, her, young = firsts
        return [
            f"Interview {number + 6}: the allotments at the canal, {city}",
            "Interviewer: How did the three of you meet?",
            f"{him}: I had the plot next to {wholes[1]}. She grew {many_flowers}, I grew beans, and one"
            f" cold {month} we built a greenhouse.",
            f"{her}: {him} asked me for {one_flower} every Sunday, until I gave him a whole bed of them.",
            f"{young}: I came last. {miss} let me use her shed, and {wholes[0]} lent me his tools.",
            f"Interviewer: And the fire, {wholes[2]}?",
            f"{him}: It was at the end of {month}. {young} saw the smoke first and rang me.",
            f"{young}: I rang {her}, to be exact. {mister} came on his bicycle at midnight.",
            f"{her}: Nobody was hurt. We lost the {many_flowers} and the beans, and were laughing by"
            " the morning.",
        ]

    before = text(full, [man, flower, month], f"Mr {lasts[0]}", f"Ms {lasts[1]}")
    after = text(codes, codes, codes[0], codes[1])
    document = docx.Document()
    for at, line in enumerate(before):
        document.add_paragraph(line, style="Heading 1" if at == 0 else None)
    write_document(document, files / "interview.docx")
    lines = [f"{code} = {name}" for code, name in zip(codes, full, strict=True)]
    random.shuffle(lines)
    (files / "codes.txt").write_text(
        "\n".join((f"Interview {number + 6}, codes. Not for the archive.", "", *lines, "")),
        encoding="utf-8",
    )
    wholes = list(zip(full, codes, strict=True))
    titles = [(f"Mr {lasts[0]}", codes[0]), (f"Ms {lasts[1]}", codes[1])]
    alone = [
        (f"{man}:", f"{codes[0]}:"),
        (f"{man} asked", f"{codes[0]} asked"),
        (f"{flower}:", f"{codes[1]}:"),
        (f"rang {flower},", f"rang {codes[1]},"),
        (f"{month}:", f"{codes[2]}:"),
        (f"{month} saw", f"{codes[2]} saw"),
    ]

    def replace(pairs: list[tuple[str, str]], regular: bool = False) -> list[dict[str, Any]]:
        return [
            {
                "call": "writer_find_and_replace",
                "with": {"pattern": was, "replacement": now, "regular_expression": regular},
            }
            for was, now in pairs
        ]

    pairs = [*wholes, *titles, *alone]
    replaced = "\n".join(before)
    for was, now in pairs:
        replaced = replaced.replace(was, now)
    assert replaced.splitlines() == after
    save = [{"call": "writer_save"}]
    expressions = [
        (rf"{man} {lasts[0]}|Mr {lasts[0]}|\b{man}\b", codes[0]),
        (rf"\b{flower}( {lasts[1]})?\b|Ms {lasts[1]}", codes[1]),
        (rf"\b{month}( {lasts[2]}|(?=:| saw))", codes[2]),
    ]
    # The dialog completes what is typed to an earlier text that begins with it, so none does.
    assert not any(one != other and other.startswith(one) for one, _ in pairs for other, _ in pairs)
    dialog: list[dict[str, Any]] = []
    for was, now in pairs:
        dialog += [
            {"call": "computer_key", "with": {"keys": ["alt", "f"]}},
            {"call": "computer_type", "with": {"text": was}},
            {"call": "computer_key", "with": {"keys": ["alt", "p"]}},
            {"call": "computer_type", "with": {"text": now}},
            {"call": "computer_key", "with": {"keys": ["alt", "l"]}},
        ]
    return {
        "flower": flower,
        "month": month,
        "paragraphs": after,
        "tools": [
            {"call": "files_read_text", "with": {"path": "~/Documents/codes.txt"}},
            {"call": "writer_get_text"},
            *replace(pairs),
            {"call": "writer_get_text"},
            *save,
        ],
        "expressions": [*replace(expressions, regular=True), *save],
        "gui": [
            {"call": "computer_activate_window", "with": {"title": "interview.docx"}},
            {"call": "computer_key", "with": {"keys": ["ctrl", "h"]}},
            {"call": "computer_wait", "with": {"seconds": 30, "window": "Find and Replace"}},
            *dialog,
            {"call": "computer_key", "with": {"keys": ["alt", "c"]}},
            {"call": "computer_key", "with": {"keys": ["ctrl", "s"]}},
        ],
        "month_gone": [*replace([*wholes, *titles, *alone[:4], (month, codes[2])]), *save],
        "titles_left": [
            *replace([*wholes, (lasts[0], codes[0]), (lasts[1], codes[1]), *alone]),
            *save,
        ],
        "shortened": [*replace([*pairs, (" at midnight", "")]), *save],
    }
