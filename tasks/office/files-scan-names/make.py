"""Scanned letters with numbers for names, and the list of what they are."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

from ambidex.tasks.authoring.words import COMPANIES

SUBJECTS = (
    "invoice", "offer", "reminder", "contract", "delivery note", "new address", "price list",
    "complaint", "receipt", "insurance", "tax", "thanks",
)  # fmt: skip
FOLDER = "~/Documents/Scans"


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Eleven scans, ten of which are on the list; the list has one more that is not there."""
    numbers = random.sample(range(102, 198), 12)
    senders = random.sample(COMPANIES, 11)
    subjects = random.sample(SUBJECTS, 11)
    start = date(2025, 1 + 3 * number, 1)
    days = [start + timedelta(days=random.randrange(0, 75)) for _ in senders]
    days = [day if day.day <= 12 or at % 2 else day.replace(day=day.day % 12 + 1)
            for at, day in enumerate(days)]  # fmt: skip
    entries = list(zip(numbers, days, senders, subjects, strict=False))
    missing, unlisted = entries[10], numbers[11]
    listed = entries[:10]
    order = entries[:]
    random.shuffle(order)
    lines = [
        f"{scan:04d}  {day:%d/%m/%Y}  {sender}, {subject}" for scan, day, sender, subject in order
    ]
    (files / "list.txt").write_text(
        "\n".join(["Scans. No., day/month/year, sender, subject", "", *lines, ""]), encoding="utf-8"
    )
    names = {scan: f"scan{scan:04d}.pdf" for scan in numbers if scan != missing[0]}
    for scan, name in names.items():
        (files / name).write_bytes(f"%PDF-1.4\n% scan {scan}\n%%EOF\n".encode())
    setup: list[dict[str, Any]] = [
        {"put": f"files/{number}/{name}", "to": f"{FOLDER}/{name}"}
        for name in sorted([*names.values(), "list.txt"])
    ]
    setup.append({"run": ["nautilus", FOLDER], "wait_window": "Scans", "timeout": 120})

    def named(entry: tuple[int, date, str, str], american: bool = False) -> str:
        _, day, sender, subject = entry
        if american and day.day <= 12:
            day = date(day.year, day.day, day.month)
        return f"{day} {sender} - {subject}.pdf"

    def move(call: str, american: bool = False) -> list[dict[str, Any]]:
        return [
            {
                "call": call,
                "with": {
                    "source": f"{FOLDER}/{names[entry[0]]}",
                    "destination": f"{FOLDER}/{named(entry, american)}",
                },
            }
            for entry in listed
        ]

    assert any(named(entry) != named(entry, american=True) for entry in listed)
    typed = [
        {"call": "computer_type", "with": {"text": f'mv -n {names[entry[0]]} "{named(entry)}"\n'}}
        for entry in listed
    ]
    return {
        "setup": setup,
        "paths": sorted([*map(named, listed), names[unlisted], "list.txt"]),
        "sample": named(listed[3]),
        "sampled": names[listed[3][0]],
        "changed": [
            f"{FOLDER}/{name}" for entry in listed for name in (names[entry[0]], named(entry))
        ],
        "tools": [
            {"call": "files_list_directory", "with": {"path": FOLDER}},
            {"call": "files_read_text", "with": {"path": f"{FOLDER}/list.txt"}},
            *move("files_move"),
        ],
        "gui": [
            {"call": "computer_key", "with": {"keys": ["ctrl", "alt", "t"]}},
            {"call": "computer_wait", "with": {"seconds": 30, "window": "user@"}},
            {"call": "computer_type", "with": {"text": "cd Documents/Scans; cat list.txt; ls\n"}},
            *typed,
        ],
        "american": move("files_move", american=True),
        "copied": move("files_copy"),
    }
