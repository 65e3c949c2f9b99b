"""Ten contracts, each with a term and a time for notice."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

from ambidex.tasks.authoring.words import COMPANIES

TODAYS = (date(2026, 10, 5), date(2026, 11, 9), date(2026, 9, 14))
KINDS = (
    "Cleaning", "Coffee machine", "Copier", "Heating", "Internet", "Lift", "Security", "Telephone",
    "Waste", "Windows",
)  # fmt: skip
FOLDER = "~/Documents/Contracts"


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Four can still be cancelled, one of them today for the last time."""
    today = TODAYS[number - 1]
    firms = random.sample(COMPANIES, 10)
    weeks = [random.choice((4, 6, 8, 12)) for _ in firms]
    # Days from today to the last day for notice.
    spare = [0, 9, 23, 40, -1, -2, -15, -30, 12, -8]
    kinds = random.sample(KINDS, 10)
    texts = []
    for firm, kind, count, left in zip(firms, kinds, weeks, spare, strict=True):
        end = today + timedelta(days=left, weeks=count)
        begun = end.replace(year=end.year - random.randint(2, 5)) + timedelta(days=1)
        text = [
            f"{kind}: contract with {firm}",
            "",
            f"In force since {_day(begun)}. The present term ends on {_day(end)}; it is prolonged by a"
            f" year unless notice is given at least {count} weeks before that day.",
        ]
        texts.append((kind, firm, text))
    texts[8][2].append(f"\nNotice was given on {_day(today - timedelta(days=20))}, and confirmed.")
    names = {firm: f"{kind.lower().replace(' ', '-')}.txt" for kind, firm, _ in texts}
    for _, firm, text in texts:
        (files / names[firm]).write_text("\n".join([*text, ""]), encoding="utf-8")
    setup: list[dict[str, Any]] = [
        {"put": f"files/{number}/{name}", "to": f"{FOLDER}/{name}"}
        for name in sorted(names.values())
    ]
    setup.append({"run": ["nautilus", FOLDER], "wait_window": "Contracts", "timeout": 120})
    right = firms[:4]
    turned = right[::-1]
    return {
        "today": _day(today),
        "setup": setup,
        "facts": [[firm] for firm in right],
        "others": firms[4:],
        "paths": [f"{FOLDER}/{name}" for name in sorted(names.values())],
        "answer": ", ".join(right),
        "sentence": f"There is still time with {', '.join(turned[:-1])} and {turned[-1]}.",
        "late": firms[4],
        "cancelled": firms[8],
        "first": f"{FOLDER}/{names[firms[0]]}",
    }


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
