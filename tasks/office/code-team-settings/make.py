"""What a team agreed on for its editors, and a project whose settings follow some of it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

FOLDERS = ("build", "dist", "node_modules", "coverage", "target", "out")


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """The note and the settings; what is expected is computed from both."""
    ruler, old = random.choice((88, 100, 110)), random.choice((72, 80))
    tab = random.choice((2, 3))
    hidden, also = random.sample(FOLDERS, 2)
    searched = random.choice(("archive", "vendor", "samples"))
    before = {
        "search.exclude": {f"**/{searched}": True},
        "editor.rulers": [old],
        "files.exclude": {"**/*.pyc": True},
    }
    after = {
        **before,
        "editor.rulers": [ruler],
        "files.exclude": {"**/*.pyc": True, f"**/{hidden}": True, f"**/{also}": True},
        "editor.tabSize": tab,
        "files.trimTrailingWhitespace": True,
        "editor.formatOnSave": True,
        "files.insertFinalNewline": True,
    }
    note = (
        "# How our editors are set in this project\n\n"
        "Agreed on 9 November. It goes into the settings of the project, so that it does not touch\n"
        "what each of us has elsewhere.\n\n"
        f"- a ruler at column {ruler}, and at no other (it was {old} in the old style guide)\n"
        f"- a tab is {tab} columns wide\n"
        "- files are formatted when they are saved\n"
        "- blanks at the ends of lines are trimmed, and each file ends with a new line, also on saving\n"
        f"- the folders {hidden} and {also} are hidden in the explorer, wherever they are (a pattern with **/)\n"
        "- ~~auto save is on~~ (dropped: Priya loses her undo history)\n\n"
        "What else is set in the project already stays.\n"
    )
    (files / "editors.md").write_text(note, encoding="utf-8")
    (files / "settings.json").write_text(json.dumps(before, indent=4) + "\n", encoding="utf-8")
    typed = json.dumps(after, indent=4) + "\n"
    fresh = {key: value for key, value in after.items() if key != "search.exclude"}
    excluded = after["files.exclude"]
    return {
        "ruler": [ruler],
        "tab": tab,
        "excluded": excluded,
        "after": after,
        "typed": typed,
        "fresh": json.dumps(fresh, indent=4) + "\n",
        "saving_on": json.dumps({**after, "files.autoSave": "afterDelay"}, indent=4) + "\n",
    }
