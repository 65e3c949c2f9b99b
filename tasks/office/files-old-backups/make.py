"""A folder of backups, and the rule that says which of them are kept."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

TODAYS = (date(2026, 3, 20), date(2026, 7, 15), date(2026, 11, 18))
README = """\
Which backups are kept

1. All of the last seven days, today included.
2. Of the older ones, the last one of each month.
3. Every one with the word keep in its name.

All others may go.
"""


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Four backups of the last week and some of the months before, of which six may go."""
    today = TODAYS[number - 1]
    days = {today - timedelta(days=ago) for ago in (0, 2, 4, 6)}
    older: dict[str, list[date]] = {}
    at = today - timedelta(days=7)
    while sum(len(month) - 1 for month in older.values()) < 8:
        days.add(at)
        older.setdefault(f"{at:%Y-%m}", []).append(at)
        at -= timedelta(days=random.randint(6, 11))
    months = [sorted(month) for month in older.values()]
    last = {month[-1] for month in months}
    # A month that has others, whose first is then taken for its last.
    confused = next(month for month in months if len(month) > 2)
    spare = sorted(day for month in months for day in month if day not in last)
    marked = set(random.sample([day for day in spare if day != confused[0]], 2))
    gone = [day for day in spare if day not in marked]

    def name(day: date) -> str:
        return f"photos-{day}{'-keep' if day in marked else ''}.tar"

    for day in days:
        (files / name(day)).write_bytes(f"backup of {day}\n".encode())
    (files / "README.txt").write_text(README, encoding="utf-8")
    everything = sorted([*map(name, days), "README.txt"])
    setup: list[dict[str, Any]] = [
        {"put": f"files/{number}/{file}", "to": f"~/Backups/{file}"} for file in everything
    ]
    setup.append({"run": ["nautilus", "~/Backups"], "wait_window": "Backups", "timeout": 120})

    def trash(chosen: list[date]) -> list[dict[str, Any]]:
        return [
            {"call": "files_trash", "with": {"path": f"~/Backups/{name(day)}"}} for day in chosen
        ]

    swapped = [day for day in gone if day != confused[0]] + [confused[-1]]
    return {
        "today": f"{today.day} {today:%B %Y}",
        "setup": setup,
        "kept": [file for file in everything if file not in set(map(name, gone))],
        "gone": [name(day) for day in gone],
        "changed": [*(f"~/Backups/{name(day)}" for day in gone), "~/.local/share/Trash/"],
        "names": " ".join(name(day) for day in gone),
        "tools": [
            {"call": "files_read_text", "with": {"path": "~/Backups/README.txt"}},
            {"call": "files_list_directory", "with": {"path": "~/Backups"}},
            *trash(gone),
        ],
        "first_kept": trash(swapped),
        "marked_gone": trash([*gone, min(marked)]),
    }
