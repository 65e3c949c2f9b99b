"""What a file of tools does when it is imported: it declares, and nothing else."""

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
"""What may be called where a file is imported."""
DECORATE = frozenset(
    {"dataclass", "contextmanager", "cache", "lru_cache", "property", "cached_property"}
    | {"staticmethod", "classmethod", "field_validator", "model_validator", "wraps"}
)
ACTS = frozenset({"antigravity", "this", "idlelib", "turtle", "turtledemo", "tkinter", "test"})
"""Modules of the standard library that do something when they are imported."""
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
            yield from (each for name in names for each in _import(node, name.name))
        case ast.ImportFrom(module=module, level=level):
            yield from _import(node, module or "") if not level else [_acts(node, "import from .")]
        case ast.If(test=ast.Name(id="TYPE_CHECKING"), body=body, orelse=[]):
            yield from (each for inner in body for each in _statement(inner))
        case ast.Assign(targets=targets, value=value):
            yield from (each for target in targets for each in _expression(target))
            yield from _expression(value)
        case ast.AnnAssign(annotation=kind, value=value):
            yield from _expression(kind)
            yield from _expression(value) if value else ()
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from _function(node)
        case ast.ClassDef():
            yield from _class(node)
        case _:
            yield _acts(node, ast.unparse(node).splitlines()[0])


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Finding]:
    if node.name in HOOKS:
        yield _acts(node, node.name)
    for decorator in node.decorator_list:
        match decorator:
            case ast.Call(func=ast.Attribute(value=ast.Name(), attr="tool"), keywords=words):
                yield from (each for word in words for each in _expression(word.value))
            case ast.Call(func=called, args=given, keywords=words) if _name(called) in DECORATE:
                inner = [*given, *(word.value for word in words)]
                yield from (each for value in inner for each in _expression(value))
            case _ if _name(decorator) in DECORATE:
                continue
            case _:
                yield _acts(decorator, f"@{ast.unparse(decorator)}")
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    values = [each.annotation for each in every] + [*arguments.defaults, *arguments.kw_defaults]
    for value in [*values, node.returns]:
        if value is not None:
            yield from _expression(value)


def _class(node: ast.ClassDef) -> Iterator[Finding]:
    if node.keywords:
        yield _acts(node, f"class {node.name}({ast.unparse(node.keywords[0])})")
    for value in node.bases:
        yield from _expression(value)
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if _name(called) not in DECORATE:
            yield _acts(decorator, f"@{ast.unparse(decorator)}")
    for each in node.body:
        yield from _statement(each)


def _import(node: ast.stmt, name: str) -> Iterator[Finding]:
    top = name.removeprefix("ambidex.").partition(".")[0]
    known = top in PACKAGES or (top in sys.stdlib_module_names and top not in ACTS)
    if not known:
        yield _acts(node, f"import {name}: import it inside the function that needs it")


def _expression(node: ast.expr, depth: int = 0) -> Iterator[Finding]:
    """What in an expression is more than a name, a constant or a description of a type."""
    if depth > DEEPEST:
        yield Finding(node.lineno, "deep", "an expression nests too deep")
        return
    match node:
        case ast.Constant() | ast.Name():
            return
        case ast.Attribute(attr=name) if name.startswith("__"):
            yield _acts(node, f".{name}")
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr="compile")):
            pass
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="join")):
            pass
        case ast.Call(func=called) if _name(called) not in DESCRIBE:
            yield _acts(node, f"{ast.unparse(called)}()")
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
            yield _acts(node, ast.unparse(node)[:60])
            return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield from _expression(child, depth + 1)
        elif isinstance(child, ast.keyword):
            yield from _expression(child.value, depth + 1)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _acts(node: ast.AST, what: str) -> Finding:
    line = getattr(node, "lineno", 1)
    said = f"only declarations stand at the top level, and this does something: {what[:100]}"
    return Finding(line, "acts at import", said)


RULES = (declares_only,)
