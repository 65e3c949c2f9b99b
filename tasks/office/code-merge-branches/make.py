"""A merge that has stopped at two files, which both branches changed at the same place."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from ambidex.tasks.authoring.repository import Commit, history

BETWEEN = (("bialy", "brezel"), ("bagel", "brioche"), ("bun", "challah"))
"""Loaves between baguette and ciabatta in the alphabet: the one of the branch, then that of main."""


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """The history, and both files as they are once the changes of both sides are in them."""
    theirs, ours = BETWEEN[number - 1]
    cents = dict(
        zip(
            ("baguette", "ciabatta", "rye", theirs, ours),
            random.sample(range(180, 590, 10), 5),
            strict=True,
        )
    )
    opens, earlier = random.choice((("7:00", "6:30"), ("7:30", "6:45"), ("8:00", "7:15")))
    closes, sooner = random.choice((("18:00", "17:00"), ("18:30", "17:30"), ("19:00", "18:15")))

    def prices(*names: str) -> str:
        rows = "".join(f'    "{name}": {cents[name]},\n' for name in names)
        return f'"""What a loaf costs, in cents."""\n\nPRICES = {{\n{rows}}}\n'

    def shop(begin: str, end: str) -> str:
        return f'"""The shop."""\n\nNAME = "Holm & Daughters"\nHOURS = "{begin}-{end}"\nPHONE = "040 555 0134"\n'

    readme = "# Menu\n\nWhat the till and the web site read: prices.py and shop.py.\nThe loaves in prices.py are in the order of the alphabet; a test of the till insists on it.\n"
    old = ("baguette", "ciabatta", "rye")
    commits = [
        Commit(
            "The menu",
            {"README.md": readme, "prices.py": prices(*old), "shop.py": shop(opens, closes)},
        ),
        Commit(
            f"Add the {theirs}",
            {"prices.py": prices("baguette", theirs, "ciabatta", "rye")},
            "winter",
            "main",
        ),
        Commit(f"Close at {sooner} in winter", {"shop.py": shop(opens, sooner)}, "winter"),
        Commit(f"Add the {ours}", {"prices.py": prices("baguette", ours, "ciabatta", "rye")}),
        Commit(f"Open at {earlier}", {"shop.py": shop(earlier, closes)}),
    ]
    (files / "history").write_text(history(commits), encoding="utf-8")
    return {
        "theirs": theirs,
        "ours": ours,
        "prices": prices("baguette", theirs, ours, "ciabatta", "rye"),
        "unordered": prices("baguette", ours, theirs, "ciabatta", "rye"),
        "shop": shop(earlier, sooner),
        "winter": f"refs/heads/winter Close at {sooner} in winter\n",
        "parents": f"Open at {earlier}\nClose at {sooner} in winter\n",
    }
