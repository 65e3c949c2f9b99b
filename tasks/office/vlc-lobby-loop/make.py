"""Clips for the screen in a lobby, whose names do not tell how long they are."""

from __future__ import annotations

import wave
from pathlib import Path
from random import Random
from typing import Any

PLACES = ("kitchen", "stairs", "roof", "garden", "workshop", "harbour", "school", "library", "barn")


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Six clips, of which one is withdrawn and one or two are too long."""
    names = [f"{place}.wav" for place in random.sample(PLACES, 6)]
    most = random.choice((15, 18, 20))
    lengths = [*random.sample(range(6, most), 3), most, most + random.randint(2, 4), most + 6]
    random.shuffle(lengths)
    seconds = dict(zip(names, lengths, strict=True))
    for name, length in seconds.items():
        with wave.open(str(files / name), "wb") as clip:
            clip.setparams((1, 1, 4000, 0, "NONE", ""))
            clip.writeframes(b"\x80" * 4000 * length)
    short = sorted((name for name in names if seconds[name] <= most), key=seconds.__getitem__)
    withdrawn = random.choice(short[:3])
    order = [name for name in short if name != withdrawn]
    folder = "/home/user/Videos/lobby"

    def playlist(*media: str) -> str:
        return "".join(f"{folder}/{name}\n" for name in media)

    return {
        **{f"clip_{at}": name for at, name in enumerate(names, 1)},
        "most": most,
        "withdrawn": withdrawn.removesuffix(".wav"),
        "order": order,
        "m3u": playlist(*order),
        "named": "#EXTM3U\n"
        + "".join(f"#EXTINF:{seconds[name]},{name}\n{name}\n" for name in order),
        "all_short": playlist(*short),
        "backwards": playlist(*reversed(order)),
        "too_long": max(names, key=seconds.__getitem__),
    }
