"""Checks of a tool's declaration, which a model reads: its docstring, arguments and types."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ambidex.toolgen import Finding

__all__ = ["check_declaration", "check_schema"]

LONGEST = 60
"""Lines of a tool's function. A longer one is two tools, or contains a helper."""
MOST_ARGUMENTS = 8
LONGEST_PROMPT = 600
"""Characters of a docstring, which every model that is offered the tool has to read."""
VAGUE = frozenset({"Any", "object", "dict", "list"})
PLAIN = frozenset({"str", "int", "float", "bool"})


def check_declaration(tool: ast.FunctionDef) -> Iterator[Finding]:
    """Check what every tool needs: a docstring, types, and a reasonable length."""
    doc = ast.get_docstring(tool) or ""
    if len(doc.split()) < 5:
        yield Finding(
            tool.lineno,
            "prompt",
            f"{tool.name}: the docstring is the tool's prompt; say when to use the tool",
        )
    arguments = [*tool.args.posonlyargs, *tool.args.args, *tool.args.kwonlyargs]
    for argument in arguments:
        if argument.annotation is None:
            yield Finding(argument.lineno, "typed", f"{tool.name}: {argument.arg} has no type")
    if tool.args.vararg or tool.args.kwarg:
        yield Finding(tool.lineno, "typed", f"{tool.name}: * and ** arguments have no schema")
    if tool.returns is None:
        yield Finding(tool.lineno, "typed", f"{tool.name}: the return value has no type")
    length = (tool.end_lineno or tool.lineno) - tool.lineno + 1
    if length > LONGEST:
        text = f"{tool.name}: {length} lines, more than {LONGEST}"
        yield Finding(tool.lineno, "size", text, False)


def check_schema(tool: ast.FunctionDef) -> Iterator[Finding]:
    """Check what a new tool needs in addition: a schema that says what is allowed, and a short
    docstring."""
    arguments = [*tool.args.args, *tool.args.kwonlyargs]
    if len(arguments) > MOST_ARGUMENTS:
        text = f"{tool.name}: {len(arguments)} arguments; the maximum is {MOST_ARGUMENTS}"
        yield Finding(tool.lineno, "schema", text)
    for argument in arguments:
        match argument.annotation:
            case ast.Name(id=name) if name in PLAIN:
                text = (
                    f"{tool.name}: {argument.arg} has no description: Annotated[{name}, Field(…)]"
                )
                yield Finding(argument.lineno, "schema", text)
            case ast.Name(id=name) if name in VAGUE:
                text = f"{tool.name}: the type of {argument.arg} is too general: {name}"
                yield Finding(argument.lineno, "schema", text)
            case ast.Subscript(
                value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[ast.Name(id=name), *_])
            ) if name in VAGUE:
                text = f"{tool.name}: the type of {argument.arg} is too general: {name}"
                yield Finding(argument.lineno, "schema", text)
    doc = ast.get_docstring(tool) or ""
    if len(doc) > LONGEST_PROMPT:
        text = f"{tool.name}: a docstring of {len(doc)} characters; the maximum is {LONGEST_PROMPT}"
        yield Finding(tool.lineno, "prompt", text)
