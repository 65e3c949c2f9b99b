"""The imports of a Python file, read from its syntax tree once for all tests of a process."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["Import", "imports_of"]


@dataclass(frozen=True)
class Import:
    """One module that an import statement names."""

    line: int
    module: str
    names: tuple[str, ...]
    """What is taken from the module; nothing if the module itself is imported."""
    level: int
    """The leading dots of a relative import."""
    at_import: bool
    """Whether it is imported together with the file: outside of functions, and not for types alone.
    """


@cache
def imports_of(path: Path) -> tuple[Import, ...]:
    """All imports of the file, in its order."""
    return (*_imports(ast.parse(path.read_text(encoding="utf-8")).body, at_import=True),)


def _imports(statements: list[ast.stmt], *, at_import: bool) -> Iterator[Import]:
    # Imports are statements: looking through expressions takes ten times as long.
    for node in statements:
        match node:
            case ast.Import(names=names):
                yield from (Import(node.lineno, each.name, (), 0, at_import) for each in names)
            case ast.ImportFrom(names=names):
                taken = tuple(each.name for each in names)
                yield Import(node.lineno, node.module or "", taken, node.level, at_import)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _imports(node.body, at_import=False)
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                yield from _imports([*node.body, *node.orelse], at_import=False)
            case _:
                yield from _imports(_inside(node), at_import=at_import)


def _inside(node: ast.stmt) -> list[ast.stmt]:
    """The statements of a compound statement."""
    blocks = [getattr(node, name, ()) for name in ("body", "orelse", "finalbody")]
    blocks += [part.body for name in ("handlers", "cases") for part in getattr(node, name, ())]
    return [statement for block in blocks for statement in block]
