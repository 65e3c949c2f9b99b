"""A workspace of several projects, one of which is over and another has been added."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

NAMES = (
    "till",
    "oven-plan",
    "labels",
    "flour-orders",
    "web-shop",
    "shifts",
    "recipes",
    "deliveries",
)
HOME = "/home/user/Projects"


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """The workspace, and the folders that it has afterwards: by names or by whole paths."""
    first, over, stays, new = random.sample(NAMES, 4)
    old = f"{new}-2023"
    settings = {"editor.rulers": [100], "files.exclude": {"**/__pycache__": True}}
    before = {"folders": [{"path": each} for each in (first, over, stays)], "settings": settings}
    text = json.dumps(before, indent=4) + "\n"
    (files / "bakery.code-workspace").write_text(text, encoding="utf-8")
    for name in (first, over, stays, new):
        (files / f"{name}.md").write_text(
            f"# {name}\n\nPart of the software of the bakery.\n", encoding="utf-8"
        )
    (files / "old.md").write_text(
        f"# {new}, as it was in 2023\n\nKept for its figures. The project is {new}.\n",
        encoding="utf-8",
    )
    (files / "moves.md").write_text(
        "# Changes to what we work on\n\n"
        f"- {over} is over as of this month: it leaves the workspace. Its folder stays, for the audit.\n"
        f"- {new} has been taken over from the agency. It goes into the workspace, as the last folder.\n",
        encoding="utf-8",
    )
    # VS Code itself writes the name of a folder that it adds.
    added = [
        {**name, "path": path}
        for path in (new, f"./{new}", f"{HOME}/{new}")
        for name in ({}, {"name": new})
    ]
    one_of = [
        {"folders": [{"path": at}, {"path": also}, then], "settings": settings}
        for at, also, then in product((first, f"{HOME}/{first}"), (stays, f"{HOME}/{stays}"), added)
    ]
    without = json.dumps({"folders": [{"path": each} for each in (first, stays, new)]}, indent=4)
    return {
        "first": first,
        "over": over,
        "stays": stays,
        "new": new,
        "old": old,
        "one_of": one_of,
        "typed": json.dumps(one_of[0], indent=4) + "\n",
        "whole": json.dumps(one_of[-2], indent=4) + "\n",
        "without": without + "\n",
    }
