"""The libraries that a verifier imports: a task whose image lacks one would fail whatever an agent
did."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from ambidex.evaluators.bounded import BoundsError, parse_python

__all__ = ["libraries_of"]


def libraries_of(programs: Iterable[Path], files: Iterable[Path]) -> tuple[str, ...]:
    """The modules that Python programs import and that are neither Python's own nor in one of
    `files`. What cannot be parsed imports nothing."""
    known = {"tasks", *sys.stdlib_module_names}  # all files are below `tasks`
    known |= {name for path in files for name in (path.stem, path.parent.name)}
    imported = {name for path in programs if path.suffix == ".py" for name in _imported(path)}
    return tuple(sorted(imported - known))


def _imported(path: Path) -> Iterator[str]:
    try:
        tree = parse_python(path.read_bytes())
    except BoundsError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
