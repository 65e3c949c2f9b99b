"""Checks that a tool file only declares when it is imported, and does nothing else."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from ambidex.toolgen import Finding

__all__ = ["RULES"]

DESCRIBE = frozenset(
    {"Annotated", "App", "AfterValidator", "BeforeValidator", "ConfigDict", "Field", "NewType"}
    | {"TypeVar", "dataclass", "field", "frozenset", "tuple", "timedelta", "Path"}
)
"""Functions and classes that may be called at the top level."""
DECORATE = frozenset(
    {"dataclass", "contextmanager", "cache", "lru_cache", "property", "cached_property"}
    | {"staticmethod", "classmethod", "field_validator", "model_validator", "wraps"}
)
ACTING_MODULES = frozenset(
    {"antigravity", "this", "idlelib", "turtle", "turtledemo", "tkinter", "test"}
)
"""Standard-library modules that do something when they are imported."""
PACKAGES = frozenset({"mcp_tools", "pydantic", "typing_extensions"})
HOOKS = frozenset({"__init_subclass__", "__class_getitem__", "__set_name__", "__prepare__"})
DEEPEST = 60


def declares_only(tree: ast.Module) -> Iterator[Finding]:
    """Every statement at the top level is a declaration."""
    for node in tree.body:
        yield from _statement(node)


def _statement(node: ast.stmt) -> Iterator[Finding]:
    match node:
        case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
            return
        case ast.Import(names=names):
            yield from (finding for name in names for finding in _import(node, name.name))
        case ast.ImportFrom(module=module, level=level):
            yield from (
                _import(node, module or "") if not level else [_refusal(node, "import from .")]
            )
        case ast.If(test=ast.Name(id="TYPE_CHECKING"), body=body, orelse=[]):
            yield from (finding for inner in body for finding in _statement(inner))
        case ast.Assign(targets=targets, value=value):
            yield from (finding for target in targets for finding in _expression(target))
            yield from _expression(value)
        case ast.AnnAssign(annotation=kind, value=value):
            yield from _expression(kind)
            yield from _expression(value) if value else ()
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from _function(node)
        case ast.ClassDef():
            yield from _class(node)
        case _:
            yield _refusal(node, ast.unparse(node).splitlines()[0])


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Finding]:
    if node.name in HOOKS:
        yield _refusal(node, node.name)
    for decorator in node.decorator_list:
        match decorator:
            case ast.Call(func=ast.Attribute(value=ast.Name(), attr="tool"), keywords=words):
                yield from (finding for word in words for finding in _expression(word.value))
            case ast.Call(func=called, args=values, keywords=words) if _name(called) in DECORATE:
                inner = [*values, *(word.value for word in words)]
                yield from (finding for value in inner for finding in _expression(value))
            case _ if _name(decorator) in DECORATE:
                continue
            case _:
                yield _refusal(decorator, f"@{ast.unparse(decorator)}")
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    annotations = [argument.annotation for argument in named]
    for value in [*annotations, *arguments.defaults, *arguments.kw_defaults, node.returns]:
        if value is not None:
            yield from _expression(value)


def _class(node: ast.ClassDef) -> Iterator[Finding]:
    if node.keywords:
        yield _refusal(node, f"class {node.name}({ast.unparse(node.keywords[0])})")
    for value in node.bases:
        yield from _expression(value)
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if _name(called) not in DECORATE:
            yield _refusal(decorator, f"@{ast.unparse(decorator)}")
    for statement in node.body:
        yield from _statement(statement)


def _import(node: ast.stmt, name: str) -> Iterator[Finding]:
    top = name.removeprefix("ambidex.").partition(".")[0]
    known = top in PACKAGES or (top in sys.stdlib_module_names and top not in ACTING_MODULES)
    if not known:
        yield _refusal(node, f"import {name}: import it inside the function that needs it")


def _expression(node: ast.expr, depth: int = 0) -> Iterator[Finding]:
    """Findings on anything in an expression that is not a name, a constant or a type."""
    if depth > DEEPEST:
        yield Finding(node.lineno, "deep", "an expression is nested too deeply")
        return
    match node:
        case ast.Constant() | ast.Name():
            return
        case ast.Attribute(attr=name) if name.startswith("__"):
            yield _refusal(node, f".{name}")
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr="compile")):
            pass
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="join")):
            pass
        case ast.Call(func=called) if _name(called) not in DESCRIBE:
            yield _refusal(node, f"{ast.unparse(called)}()")
        case (
            ast.Lambda()
            | ast.Await()
            | ast.Yield()
            | ast.YieldFrom()
            | ast.NamedExpr()
            | ast.ListComp()
            | ast.SetComp()
            | ast.DictComp()
            | ast.GeneratorExp()
        ):
            yield _refusal(node, ast.unparse(node)[:60])
            return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield from _expression(child, depth + 1)
        elif isinstance(child, ast.keyword):
            yield from _expression(child.value, depth + 1)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _refusal(node: ast.AST, what: str) -> Finding:
    line = getattr(node, "lineno", 1)
    message = f"only declarations are allowed at the top level: {what[:100]}"
    return Finding(line, "acts at import", message)


RULES = (declares_only,)
