"""The list of modules in mcp_tools/catalogue.py, changed as text: one line in, one line out."""

from __future__ import annotations

import ast
from pathlib import Path

from host.errors import UsageError
from toolgen.gate.tools_text import Declared, declared, home_of
from toolgen.store import write_whole

__all__ = ["CATALOGUE", "listed", "place", "tool_name", "unlisted"]

CATALOGUE = Path("mcp_tools") / "catalogue.py"


def listed(text: str, module: str, root: Path, house: list[Declared], app: str) -> str:
    """The catalogue's text with the module after the last one of its app."""
    names = _names(text)
    if module in names:
        return text
    home = home_of(root, app)
    own = {each.module for each in house if each.name.startswith(f"{app}_")} | {home}
    lines = [line for name, line in names.items() if name in own]
    if not lines:
        raise UsageError(f"{CATALOGUE} lists no module of {app}")
    before = text.splitlines(keepends=True)
    at = max(lines)
    row = before[at - 1]
    if row.strip() != f'"{_at(names, at)}",':
        # A worker with one module has it on the line of its own name.
        return _opened(before, at, module)
    indent = row[: len(row) - len(row.lstrip())]
    return "".join([*before[:at], f'{indent}"{module}",\n', *before[at:]])


def place(root: Path, tool: str, app: str, house: list[Declared]) -> str:
    """Put a draft among the tools of the tree; its name there."""
    name = tool_name(tool, app)
    catalogue = (root / CATALOGUE).read_text(encoding="utf-8")
    write_whole(root / "mcp_tools" / f"{name}.py", tool.encode())
    write_whole(root / CATALOGUE, listed(catalogue, name, root, house, app).encode())
    return name


def tool_name(text: str, app: str) -> str:
    """What the one tool of a draft is called, with the app before it."""
    return f"{app}_{next(node for _, node in declared(ast.parse(text))).name}"


def unlisted(text: str, module: str) -> str:
    """The catalogue's text without the module."""
    line = _names(text).get(module)
    if line is None:
        return text
    rows = text.splitlines(keepends=True)
    if rows[line - 1].strip() != f'"{module}",':
        raise UsageError(f"{CATALOGUE}:{line} holds more than {module}", hint="Edit it by hand.")
    return "".join([*rows[: line - 1], *rows[line:]])


def _opened(rows: list[str], at: int, module: str) -> str:
    row = rows[at - 1]
    head, _, inner = row.partition("(")
    first = inner.partition(",")[0]
    indent = head[: len(head) - len(head.lstrip())]
    opened = f'{head}(\n{indent}    {first},\n{indent}    "{module}",\n{indent}),\n'
    return "".join([*rows[: at - 1], opened, *rows[at:]])


def _names(text: str) -> dict[str, int]:
    """The listed modules, and the line of each."""
    for node in ast.parse(text, str(CATALOGUE)).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="MODULES")], value=ast.Dict(values=values)):
                return {
                    each.value: each.lineno
                    for worker in values
                    if isinstance(worker, ast.Tuple)
                    for each in worker.elts
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                }
    raise UsageError(f"{CATALOGUE} has no MODULES")


def _at(names: dict[str, int], line: int) -> str:
    return next(name for name, each in names.items() if each == line)
