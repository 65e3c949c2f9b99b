"""What a model would be told of a draft, read from its text: nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ambidex.toolgen.gate.tools_text import declared, touched

__all__ = ["Argument", "Signature", "signature"]


@dataclass(frozen=True)
class Argument:
    """One argument, as the text has it."""

    name: str
    type: str
    default: str
    """Empty where it must be given."""
    description: str


@dataclass(frozen=True)
class Signature:
    """Name, arguments and prompt of a tool."""

    name: str
    arguments: tuple[Argument, ...]
    returns: str
    description: str
    reads_only: bool
    touches: frozenset[str]
    """What it calls and sets."""


def signature(text: str, app: str) -> Signature | None:
    """Of the one tool of a draft; None where the text cannot be read, or declares none."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    tools = list(declared(tree))
    if not tools:
        return None
    _, tool = tools[0]
    functions = [each for each in tree.body if isinstance(each, ast.FunctionDef)]
    return Signature(
        name=f"{app}_{tool.name}",
        arguments=tuple(_arguments(tool)),
        returns=ast.unparse(tool.returns) if tool.returns else "",
        description=ast.get_docstring(tool) or "",
        reads_only=any(
            word.arg == "reads_only" and ast.unparse(word.value) == "True"
            for decorator in tool.decorator_list
            if isinstance(decorator, ast.Call)
            for word in decorator.keywords
        ),
        touches=touched(tool, {each.name: each for each in functions if each is not tool}),
    )


def _arguments(tool: ast.FunctionDef) -> Iterator[Argument]:
    given = tool.args
    placed = [*given.posonlyargs, *given.args]
    defaults = [*[None] * (len(placed) - len(given.defaults)), *given.defaults, *given.kw_defaults]
    for argument, default in zip([*placed, *given.kwonlyargs], defaults, strict=True):
        kind, description = _type(argument.annotation)
        yield Argument(argument.arg, kind, ast.unparse(default) if default else "", description)


def _type(annotation: ast.expr | None) -> tuple[str, str]:
    match annotation:
        case None:
            return "", ""
        case ast.Subscript(
            value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[kind, *described])
        ):
            return ast.unparse(kind), " ".join(filter(None, map(_description, described)))
    return ast.unparse(annotation), ""


def _description(node: ast.expr) -> str:
    if not isinstance(node, ast.Call):
        return ""
    for word in node.keywords:
        if word.arg == "description" and isinstance(word.value, ast.Constant):
            return str(word.value.value)
    return ""
