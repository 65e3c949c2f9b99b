"""What is left of the one case in a draft: words and figures of its task that should have become
arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ambidex.tasks import Task, verbs_of
from ambidex.tasks.spec import Put
from ambidex.toolgen import Finding
from ambidex.toolgen.gate.values import scalars

__all__ = ["leftovers", "literals_of"]

SHORTEST = 3
"""Characters of a text that says something about the case."""
SMALLEST = 10
"""Whole numbers below it are counts and places of every tool."""
COMMON = frozenset({100, 255, 360, 1000, 1024, 2540})
NAMES = re.compile(r"[a-z][a-z0-9]*([.-][a-z0-9]+)+")
"""How programs name what is theirs: org.gnome.desktop.interface, text-scaling-factor."""
CELLS = re.compile(r"[A-Z]{1,3}[1-9]\d{0,6}(:[A-Z]{1,3}[1-9]\d{0,6})?")


def literals_of(task: Task, house: str) -> tuple[frozenset[str], frozenset[float]]:
    """Texts and numbers that belong to the task and not to the programs: `house` is the text of the
    tools there are, and what is a word there is a word of theirs."""
    texts: set[str] = set()
    numbers: set[float] = set()
    calls = [call for oracle in task.spec.oracle for call in oracle.calls]
    for said in scalars(
        [call.with_ for call in calls] + [c.with_ for c in verbs_of(task).spec.check]
    ):
        if isinstance(said, bool):
            continue
        if isinstance(said, str):
            texts.add(said.strip())
        elif isinstance(said, int | float) and abs(said) >= SMALLEST and said not in COMMON:
            numbers.add(said)
    files = {PurePosixPath(v.to).name for v in verbs_of(task).spec.setup if isinstance(v, Put)}
    files |= {PurePosixPath(name).stem for name in files}
    own = {
        text
        for text in texts
        if len(text) >= SHORTEST and f'"{text}"' not in house and not NAMES.fullmatch(text)
    }
    return frozenset(own | files), frozenset(numbers)


def leftovers(tree: ast.Module, task: Task, root: Path) -> Iterator[Finding]:
    """A refusal for each of them in the draft, wherever it stands: in code, in a default, or in
    what a model is told."""
    house = "\n".join(p.read_text(encoding="utf-8") for p in (root / "mcp_tools").rglob("*.py"))
    texts, numbers = literals_of(task, house)
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(said)):
                for text in sorted(texts):
                    if _holds(said, text):
                        yield Finding(node.lineno, "leftover", f"{text!r} is of the task")
            case ast.Constant(value=bool()):
                continue
            case ast.Constant(value=int() | float() as number) if number in numbers:
                yield Finding(node.lineno, "leftover", f"{number!r} is of the task")


def _holds(said: str, text: str) -> bool:
    if CELLS.fullmatch(text):
        return said == text  # B2 as an example is everybody's
    return bool(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", said))
