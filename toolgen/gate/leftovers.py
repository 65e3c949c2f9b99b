"""Leftovers of the task in a draft: texts and numbers that should have become arguments."""

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
"""Minimum characters of a text that is specific to a task."""
SMALLEST = 10
"""Smaller numbers are counts and positions that occur in any tool."""
COMMON = frozenset({100, 255, 360, 1000, 1024, 2540})
"""Larger numbers that occur in any tool."""
NAMES = re.compile(r"[a-z][a-z0-9]*([.-][a-z0-9]+)+")
"""Identifiers of programs, such as org.gnome.desktop.interface or text-scaling-factor."""
CELLS = re.compile(r"[A-Z]{1,3}[1-9]\d{0,6}(:[A-Z]{1,3}[1-9]\d{0,6})?")
"""Addresses of cells and ranges."""


def literals_of(task: Task, tools_text: str) -> tuple[frozenset[str], frozenset[float]]:
    """Texts and numbers that are specific to the task. Strings that occur in `tools_text`, the text
    of the existing tools, belong to the programs instead."""
    texts: set[str] = set()
    numbers: set[float] = set()
    calls = [call for oracle in task.spec.oracle for call in oracle.calls]
    for value in scalars(
        [call.with_ for call in calls] + [c.with_ for c in verbs_of(task).spec.check]
    ):
        if isinstance(value, bool):
            continue
        if isinstance(value, str):
            texts.add(value.strip())
        elif isinstance(value, int | float) and abs(value) >= SMALLEST and value not in COMMON:
            numbers.add(value)
    files = {PurePosixPath(v.to).name for v in verbs_of(task).spec.setup if isinstance(v, Put)}
    files |= {PurePosixPath(name).stem for name in files}
    own = {
        text
        for text in texts
        if len(text) >= SHORTEST and f'"{text}"' not in tools_text and not NAMES.fullmatch(text)
    }
    return frozenset(own | files), frozenset(numbers)


def leftovers(tree: ast.Module, task: Task, root: Path) -> Iterator[Finding]:
    """Refuse each literal of the task anywhere in the draft: in code, in a default or in a
    description."""
    files = (root / "mcp_tools").rglob("*.py")
    tools_text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    texts, numbers = literals_of(task, tools_text)
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(value)):
                for text in sorted(texts):
                    if _contains(value, text):
                        message = f"{text!r} comes from the task: make it an argument"
                        yield Finding(node.lineno, "leftover", message)
            case ast.Constant(value=bool()):
                continue
            case ast.Constant(value=int() | float() as number) if number in numbers:
                message = f"{number!r} comes from the task: make it an argument"
                yield Finding(node.lineno, "leftover", message)


def _contains(value: str, text: str) -> bool:
    if CELLS.fullmatch(text):
        return value == text  # an address within a longer text, such as "for example B2", is fine
    return bool(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", value))
