"""Drafts by the stand-in for a model, as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ambidex.tasks.hashing import content_hash
from ambidex.toolgen import Candidate
from ambidex.toolgen.gate.lint import TEST_PLACE, TOOL_PLACE, formatted
from ambidex.toolgen.models.answer_blocks import block_named
from ambidex.toolgen.store import now
from examples.foundry.stand_in import ANSWERS, SECTION

ROOT = Path(__file__).parents[2]
TASKS = ROOT / "examples" / "foundry" / "tasks"
CANDIDATES = {
    "calc-reverse-rows": ("calc", TASKS / "calc-backwards"),
    "writer-delete-paragraphs": ("writer", TASKS / "writer-minutes"),
    "vlc-set-repeat": ("vlc", ROOT / "tasks" / "demo" / "vlc-repeat-track"),
    "gnome-set-night-light": ("gnome", TASKS / "gnome-night-light"),
    "calc-flip-list": ("calc", TASKS / "calc-backwards"),
    "writer-remove-lines": ("writer", TASKS / "writer-minutes"),
    "calc-write-cell": ("calc", None),
    "gnome-count-pictures": ("gnome", None),
}
"""The app and the task of each of the stand-in's candidates."""
GOOD = ("calc-reverse-rows", "writer-delete-paragraphs", "vlc-set-repeat", "gnome-set-night-light")


def draft_of(name: str, number: int = -1) -> tuple[str, str, list[Any]]:
    """Tool, tests and calls of a candidate's draft, by default the last one."""
    (file,) = ANSWERS.glob(f"*/{name}.md")
    _, *parts = SECTION.split(file.read_text(encoding="utf-8"))
    answers = [parts[at + 2] for at in range(0, len(parts), 3) if parts[at] == "wrap"]
    answer = answers[number]
    return (
        formatted(block_named(answer, "tool.py"), TOOL_PLACE, ROOT),
        formatted(block_named(answer, "test_tool.py"), TEST_PLACE, ROOT),
        json.loads(block_named(answer, "calls.json")),
    )


def candidate_of(name: str) -> Candidate:
    """The candidate that a draft belongs to."""
    app, task = CANDIDATES[name]
    return Candidate(
        name=name,
        app=app,
        origin="task" if task else "wish",
        created=now(),
        model="openai/careful",
        wish="What it is for.",
        task=str(task) if task else "",
        task_hash=content_hash(task) if task else "",
    )
