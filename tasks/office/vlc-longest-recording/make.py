"""Recordings of choir rehearsals, of different lengths."""

from __future__ import annotations

import wave
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

RATE = 4000
"""Samples a second."""


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Four recordings. The longest is not the latest, and another one has the largest file, for it
    is in stereo."""
    first = date(2025, random.randint(1, 10), 4)
    days = [first + timedelta(days=7 * at) for at in range(4)]
    names = [f"rehearsal-{day.isoformat()}.wav" for day in days]
    low, middle, high, top = sorted(random.sample(range(18, 55, 3), 4))
    seconds = [middle, low, high, high - 1]
    longest, large = random.sample(range(3), 2)
    seconds[longest] = top
    seconds[large] = top - 2
    for at, name in enumerate(names):
        channels = 2 if at == large else 1
        with wave.open(str(files / name), "wb") as recording:
            recording.setparams((channels, 1, RATE, 0, "NONE", ""))
            recording.writeframes(b"\x80" * RATE * channels * seconds[at])

    def spoken(at: int) -> str:
        return f"{days[at].day} {days[at]:%B}"

    others = [at for at in range(4) if at != longest]
    return {
        **{f"take_{at}": name for at, name in enumerate(names, 1)},
        "facts": [
            [
                spoken(longest),
                f"{days[longest]:%B} {days[longest].day}",
                days[longest].isoformat(),
                names[longest],
            ],
            [str(top), f"0:{top}", f"00:{top}"],
        ],
        "absent": [text for at in others for text in (spoken(at), days[at].isoformat())],
        "right": f"The rehearsal of {spoken(longest)} is the longest: {top} seconds.",
        "words": f"{names[longest]}, 00:{top}",
        "largest": f"The rehearsal of {spoken(large)} is the longest: {seconds[large]} seconds.",
        "latest": f"The rehearsal of {spoken(longest)} is the longest: {seconds[3]} seconds.",
    }
