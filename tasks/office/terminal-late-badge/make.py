"""What the doors of a firm write down in a week."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

ROOMS = (
    ("warehouse", "WAREHOUSE", 22),
    ("workshop", "WORKSHOP", 21),
    ("drawing office", "OFFICE", 20),
)
WORDS = ("five", "six", "seven")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday")


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Five logs, in which one badge opens a door late at night more often than any other."""
    room, code, hour = ROOMS[number - 1]
    others = [one for _, one, _ in ROOMS if one != code] + ["GATE"]
    badges = [f"B-{random.randrange(1000, 9999)}" for _ in range(5)]
    count = 4 + number
    start = date(2026, 11, 16) - timedelta(weeks=number - 1)
    lines: list[tuple[int, str, str, str, str]] = []

    def note(day: int, clock: str, door: str, badge: str, what: str = "opened") -> None:
        lines.append((day, clock, door, badge, what))

    def clock(first: int, last: int) -> str:
        return f"{random.randrange(first, last):02}:{random.randrange(60):02}:{random.randrange(60):02}"

    for day in range(5):
        for at in range(6, hour - 1):
            for _ in range(random.randrange(3, 7)):
                note(day, clock(at, at + 1), random.choice([code, *others]), random.choice(badges))
    for badge, times in zip(badges, (count, count - 2, 2), strict=False):
        for _ in range(times):
            note(random.randrange(5), clock(hour, 24), code, badge)
    # Nearly as late, in vain, and elsewhere.
    for _ in range(4):
        note(random.randrange(5), clock(hour - 1, hour), code, badges[1])
    for _ in range(count + 3):
        note(random.randrange(5), clock(hour, 24), code, badges[3], "denied")
        note(random.randrange(5), clock(hour, 24), random.choice(others), badges[4])
    note(0, "23:58:12", "GATE", badges[4])
    for day, name in enumerate(DAYS):
        text = "".join(
            f"{start + timedelta(days=day)} {time} {door:<9} badge {badge} {what}\n"
            for _, time, door, badge, what in sorted(line for line in lines if line[0] == day)
        )
        (files / f"door-{name}.log").write_text(text, encoding="utf-8")
    return {
        "room": room,
        "code": code,
        "hour": f"{hour}:00",
        "badge": badges[0],
        "count": count,
        "word": WORDS[number - 1],
        "facts": [[badges[0]], [str(count), WORDS[number - 1]]],
        "others": badges[1:],
        "denied": badges[3],
        "attempts": count + 3,
    }
