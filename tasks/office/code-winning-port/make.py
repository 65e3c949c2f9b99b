"""A service whose port is set in many files, and the rule by which one of them wins."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

MIDDLE = ("site", "hall", "depot", "plant")
OTHER = (
    "NAME=stock",
    "WORKERS=4",
    "LOG=info",
    "TIMEOUT=30",
    "CACHE=on",
    "RETRIES=3",
    "REGION=west",
)


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """The files; `line` is where the winning one sets the port."""
    wrong, right, first, old = random.sample(range(8100, 9900), 4)
    site, later = random.sample(MIDDLE, 2)
    low, high = random.choice((20, 30)), random.choice((50, 60))
    base, winning, last = "10-base.env", f"{low}-{site}.env", f"{high}-{later}.env"

    def lines(entry: str, at: int) -> str:
        others = random.sample(OTHER, 6)
        return "\n".join([*others[: at - 1], entry, *others[at - 1 :]]) + "\n"

    line = random.randint(3, 6)
    (files / "stock.toml").write_text(
        f'name = "stock"\nport = {right}\nworkers = 2\n', encoding="utf-8"
    )
    (files / "base.env").write_text(lines(f"PORT={first}", 2), encoding="utf-8")
    (files / "winning.env").write_text(lines(f"PORT={wrong}", line), encoding="utf-8")
    (files / "last.env").write_text(lines(f"# PORT={old}", random.randint(2, 5)), encoding="utf-8")
    (files / "README.md").write_text(
        "# Stock service\n\n"
        "Settings come from config/stock.toml. The files of deploy/ are read after it in the order of\n"
        "their names, and a later one overrides what an earlier one has set. A line that begins with #\n"
        "is a comment. Files of deploy/off are not read: they are kept for the next move.\n",
        encoding="utf-8",
    )
    (files / "off.env").write_text(f"PORT={wrong}\n", encoding="utf-8")
    return {
        "base": base,
        "winning": winning,
        "last": last,
        "wrong": wrong,
        "right": right,
        "lines": [str(line), f"line {line}"],
        "answer": f"deploy/{winning}, line {line}",
        "words": f"It is line {line} of {winning}.",
        "off": "90-move.env",
        "misled": "deploy/off/90-move.env, line 1",
        "other_files": [base, last, "90-move.env", "stock.toml"],
        "set_wrong": f"PORT={wrong}",
        "set_right": f"PORT={right}",
    }
