"""A program that is to be released, and how its releases are made."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from ambidex.tasks.authoring.repository import Commit, history

RELEASING = """# How a release is made

1. A branch release/VERSION starts at main. Nothing is committed to main itself.
2. The new VERSION follows from what CHANGELOG.md lists under "Unreleased". If something is added,
   the second number goes up and the third becomes 0. Otherwise the third number goes up.
3. The version is changed in tracker/__init__.py, setup.cfg and docs/index.md. Where other texts
   name an earlier version, they tell what was, and stay.
4. In CHANGELOG.md the heading "Unreleased" becomes "VERSION (DAY)", with the day of the release as
   in the headings below it. The next change begins a new section.
5. All of it is one commit with the message "Release VERSION". Nothing else goes into it.
6. The tag is set by the server after the merge, not by us.
"""
DRAFT = "Ideas for the talk on tracking\n\n- begin with the lost parcel\n"


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """The history, and the four files as they are in the release."""
    major, minor, patch = random.randint(1, 4), random.randint(2, 9), random.randint(1, 6)
    old = f"{major}.{minor}.{patch}"
    adds = number != 2
    new = f"{major}.{minor + 1}.0" if adds else f"{major}.{minor}.{patch + 1}"
    other = f"{major}.{minor}.{patch + 1}" if adds else f"{major}.{minor + 1}.0"
    day, last = f"2026-12-{random.randint(1, 18):02}", f"2026-10-{random.randint(1, 28):02}"
    added = "### Added\n\n- parcels that come back are tracked as well\n\n" if adds else ""
    fixed = "### Fixed\n\n- a number with blanks in it is found\n- times are those of the depot\n\n"

    def texts(version: str, heading: str) -> dict[str, str]:
        return {
            "tracker/__init__.py": f'"""Tracks parcels."""\n\n__version__ = "{version}"\n',
            "setup.cfg": f"[metadata]\nname = tracker\nversion = {version}\nlicense = MIT\n",
            "docs/index.md": f"# Tracker\n\nThe current version is {version}.\n",
            "CHANGELOG.md": f"# Changes\n\n## {heading}\n\n{added}{fixed}## {old} ({last})\n\n### Fixed\n\n- the list of depots is sorted\n",
        }

    before, after = texts(old, "Unreleased"), texts(new, f"{new} ({day})")
    rest = {
        "RELEASING.md": RELEASING,
        "docs/depots.md": f"# Depots\n\nSince version {old} the list of depots is sorted.\n",
        "tracker/depots.py": '"""The depots."""\n\nDEPOTS = ["Halden", "Moss", "Skien"]\n',
    }
    first = {
        **before,
        "CHANGELOG.md": before["CHANGELOG.md"]
        .replace("## Unreleased\n\n", "")
        .replace(added + fixed, ""),
    }
    commits = [
        Commit(f"Release {old}", {**rest, **first}),
        Commit("Find numbers with blanks", {"CHANGELOG.md": before["CHANGELOG.md"]}),
    ]
    (files / "history").write_text(history(commits), encoding="utf-8")
    (files / "talk.txt").write_text(DRAFT, encoding="utf-8")

    def commit(*more: str) -> str:
        names = sorted(["CHANGELOG.md", "docs/index.md", "setup.cfg", "tracker/__init__.py", *more])
        return f"Release {new}\n\n" + "".join(f"M\t{name}\n" for name in names)

    return {
        "day": day,
        "old": old,
        "new": new,
        "branch": f"release/{new}",
        "heading": f"{new} ({day})",
        "message": f"Release {new}",
        "module": after["tracker/__init__.py"],
        "config": after["setup.cfg"],
        "page": after["docs/index.md"],
        "changelog": after["CHANGELOG.md"],
        "commit": commit(),
        "refs": f"refs/heads/main Find numbers with blanks\nrefs/heads/release/{new} Release {new}\n",
        "other": other,
        "other_branch": f"release/{other}",
        "other_heading": f"{other} ({day})",
        "other_message": f"Release {other}",
    }
