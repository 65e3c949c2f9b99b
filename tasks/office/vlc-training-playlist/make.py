"""The chapters of a training video, as files whose names do not tell the order."""

from __future__ import annotations

import wave
from pathlib import Path
from random import Random
from typing import Any

TOPICS = (
    "Fire doors", "Ladders", "Lifting", "First aid", "Chemicals", "Forklifts", "Night shift",
    "Emergency exits", "Ear protection", "Machine stop",
)  # fmt: skip


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """Seven recordings, and a plan that orders them and withdraws one."""
    topics = random.sample(TOPICS, 7)
    codes = random.sample(range(100, 999), 7)
    names = [f"take-{code}.wav" for code in codes]
    for name in names:
        with wave.open(str(files / name), "wb") as recording:
            recording.setparams((1, 1, 4000, 0, "NONE", ""))
            recording.writeframes(b"\x80" * 4000 * random.randint(2, 5))
    withdrawn = random.randint(2, 5)
    moved = random.randint(1, withdrawn - 1)
    listed = [f"{topic}: {name}" for topic, name in zip(topics, names, strict=True)]
    plan = [
        "Safety training, running order",
        "",
        *(f"{at}. {line}" for at, line in enumerate(listed, 1)),
        "",
        "Changes of the safety officer:",
        f"- {topics[withdrawn]} is withdrawn, the law has changed.",
        f"- {topics[6]} comes right after {topics[moved - 1]}.",
    ]
    (files / "plan.txt").write_text("\n".join(plan) + "\n", encoding="utf-8")
    order = [name for at, name in enumerate(names[:6]) if at != withdrawn]
    order.insert(order.index(names[moved - 1]) + 1, names[6])
    folder = "/home/user/Videos"
    full = [f"{folder}/{name}" for name in order]
    return {
        **{f"take_{at}": name for at, name in enumerate(names, 1)},
        "order": order,
        "m3u": "\n".join(full) + "\n",
        "named": "#EXTM3U\n" + "".join(f"#EXTINF:-1,{name}\n{name}\n" for name in order),
        "as_listed": "".join(f"{folder}/{name}\n" for name in names),
        "withdrawn": f"{folder}/{names[withdrawn]}",
    }
