"""What a tool's declaration tells a model: its prompt, its arguments and their types."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ambidex.toolgen import Finding

__all__ = ["described", "told"]

LONGEST = 60
"""Lines of one tool: past that it is two tools, or has a helper in it."""
MOST_ARGUMENTS = 8
LONGEST_PROMPT = 600
"""Characters: every model that is offered the tool reads them."""
SAYS_NOTHING = frozenset({"Any", "object", "dict", "list"})
PLAIN = frozenset({"str", "int", "float", "bool"})


def described(tool: ast.FunctionDef) -> Iterator[Finding]:
    """What every tool is asked: a prompt, types, and a length that can be read."""
    doc = ast.get_docstring(tool) or ""
    if len(doc.split()) < 5:
        yield Finding(
            tool.lineno, "prompt", f"{tool.name}: its docstring is its prompt; say when to use it"
        )
    arguments = [*tool.args.posonlyargs, *tool.args.args, *tool.args.kwonlyargs]
    for argument in arguments:
        if argument.annotation is None:
            yield Finding(argument.lineno, "typed", f"{tool.name}: {argument.arg} has no type")
    if tool.args.vararg or tool.args.kwarg:
        yield Finding(tool.lineno, "typed", f"{tool.name}: * and ** give no schema")
    if tool.returns is None:
        yield Finding(tool.lineno, "typed", f"{tool.name}: what it returns has no type")
    length = (tool.end_lineno or tool.lineno) - tool.lineno + 1
    if length > LONGEST:
        yield Finding(
            tool.lineno, "size", f"{tool.name}: {length} lines; {LONGEST} is a question", False
        )


def told(tool: ast.FunctionDef) -> Iterator[Finding]:
    """What is asked of a new tool beyond that: that a schema says what may be given, and a prompt
    stays short."""
    arguments = [*tool.args.args, *tool.args.kwonlyargs]
    if len(arguments) > MOST_ARGUMENTS:
        text = f"{tool.name}: {len(arguments)} arguments; more than {MOST_ARGUMENTS} are two tools"
        yield Finding(tool.lineno, "schema", text)
    for argument in arguments:
        match argument.annotation:
            case ast.Name(id=name) if name in PLAIN:
                text = (
                    f"{tool.name}: {argument.arg} has no description: Annotated[{name}, Field(…)]"
                )
                yield Finding(argument.lineno, "schema", text)
            case ast.Name(id=name) if name in SAYS_NOTHING:
                text = f"{tool.name}: {argument.arg} may be anything: say what it is"
                yield Finding(argument.lineno, "schema", text)
            case ast.Subscript(
                value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[ast.Name(id=name), *_])
            ) if name in SAYS_NOTHING:
                text = f"{tool.name}: {argument.arg} may be anything: say what it is"
                yield Finding(argument.lineno, "schema", text)
    doc = ast.get_docstring(tool) or ""
    if len(doc) > LONGEST_PROMPT:
        text = f"{tool.name}: a prompt of {len(doc)} characters; at most {LONGEST_PROMPT}"
        yield Finding(tool.lineno, "prompt", text)
