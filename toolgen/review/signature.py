"""The declaration of a draft as a model would see it, read from its text without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ambidex.evaluators.bounded import BoundsError, parse_python
from ambidex.toolgen.gate.tools_text import behaviour_of, tools_declared

__all__ = ["Argument", "Signature", "signature"]


@dataclass(frozen=True)
class Argument:
    """One argument of a tool, as written in its code."""

    name: str
    type: str
    default: str
    """Empty if the argument is required."""
    description: str


@dataclass(frozen=True)
class Signature:
    """The declaration of a tool: its name, arguments and description."""

    name: str
    arguments: tuple[Argument, ...]
    returns: str
    description: str
    reads_only: bool
    behaviour: frozenset[str]
    """See `tools_text.behaviour_of`. Not sent to the page."""


def signature(text: str, app: str) -> Signature | None:
    """The declaration of a draft's first tool. None if the text cannot be parsed or declares
    none."""
    try:
        tree = parse_python(text)
    except BoundsError:
        return None
    tools = list(tools_declared(tree))
    if not tools:
        return None
    _, tool = tools[0]
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
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
        behaviour=behaviour_of(tool, {node.name: node for node in functions if node is not tool}),
    )


def _arguments(tool: ast.FunctionDef) -> Iterator[Argument]:
    args = tool.args
    positional = [*args.posonlyargs, *args.args]
    required = [None] * (len(positional) - len(args.defaults))
    defaults = [*required, *args.defaults, *args.kw_defaults]
    for argument, default in zip([*positional, *args.kwonlyargs], defaults, strict=True):
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
