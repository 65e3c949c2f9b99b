"""One file of tools, read from its syntax tree.

Declarations are understood in the small part of Python that they need: names, constants,
subscripts, operators on constants, and calls of a few functions that do nothing but describe types.
"""

from __future__ import annotations

import ast
import builtins
import collections.abc
import dataclasses
import datetime
import enum
import inspect
import operator
import types
import typing
from collections.abc import Callable
from typing import Any, Optional, Protocol

import pydantic
import typing_extensions

from ambidex import mcp_tools
from ambidex.mcp_tools import App, Picture, ToolError

__all__ = ["DeclarationError", "Files", "Module"]

OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Pow: operator.pow,
    ast.FloorDiv: operator.floordiv, ast.LShift: operator.lshift, ast.USub: operator.neg,
    ast.BitOr: operator.or_,
}  # fmt: skip
LARGEST = 1 << 63
"""A constant that is computed has at most this size."""
BUILTINS: dict[str, Any] = {
    name: getattr(builtins, name)
    for name in ("str", "int", "float", "bool", "bytes", "list", "dict", "set", "frozenset")
} | {"tuple": tuple, "object": object, "type": type, "None": None, "Exception": Exception}
DESCRIBES = (
    "ConfigDict",
    "Field",
    "AfterValidator",
    "BeforeValidator",
    "PlainValidator",
    "StringConstraints",
)
"""Of pydantic: what may be called in a declaration."""
KNOWN: dict[str, Any] = {
    "typing": typing,
    "typing_extensions": typing_extensions,
    "pydantic": pydantic,
    "dataclasses": dataclasses,
    "datetime": datetime,
    "enum": enum,
    "collections.abc": collections.abc,
    "ambidex.mcp_tools": mcp_tools,
}
"""Modules whose names may stand in a declaration."""


PLAIN_BASES: tuple[Any, ...] = (object, pydantic.BaseModel, str, enum.Enum, enum.IntEnum)
"""Of classes that stand in declarations."""


class DeclarationError(Exception):
    """A declaration says what is not understood without running it."""


class Unread:
    """What stands for a function: it is named in declarations, and never called."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, value: Any) -> Any:
        """As a validator of a type: no value is checked here."""
        return value


class Files(Protocol):
    """The other files of the package, for what a declaration imports."""

    made: set[Any]
    """Classes that were made of a declaration."""

    def has(self, name: str) -> bool:
        """Whether there is such a module."""

    def module(self, name: str) -> Module:
        """That module."""


class Module:
    """One file of this package, as far as declarations need it."""

    def __init__(self, file: str, text: str, tree: Files) -> None:
        self.file = file
        self._tree = tree
        self.body = ast.parse(text, file).body
        self._known: dict[str, Any] = {}
        self._under_way: set[str] = set()

    def fail(self, node: ast.AST, what: str) -> DeclarationError:
        """The error for a construct."""
        line = getattr(node, "lineno", 1)
        return DeclarationError(f"{self.file}, line {line}: {what}")

    def assigns(self, name: str) -> bool:
        """Whether the module assigns that name."""
        return any(
            isinstance(each, ast.Assign)
            and any(isinstance(one, ast.Name) and one.id == name for one in each.targets)
            for each in self.body
        )

    def value(self, name: str, node: ast.AST) -> Any:
        """What a name of the module stands for."""
        if name not in self._known:
            if name in self._under_way:
                raise self.fail(node, f"{name} is declared by itself")
            self._under_way.add(name)
            self._known[name] = self._found(name, node)
            self._under_way.discard(name)
        return self._known[name]

    def _found(self, name: str, node: ast.AST) -> Any:
        for each in reversed(self.body):
            match each:
                case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                    return self.read(value)
                case ast.AnnAssign(target=ast.Name(id=target), value=value) if target == name:
                    if value is not None:
                        return self.read(value)
                case ast.Assign(targets=[ast.Tuple(elts=elements)], value=value):
                    names = [getattr(one, "id", "") for one in elements]
                    if name in names:
                        return self.read(value)[names.index(name)]
                case ast.FunctionDef(name=target) | ast.AsyncFunctionDef(name=target):
                    if target == name:
                        return Unread(name)
                case ast.ClassDef(name=target) if target == name:
                    return self._class(each)
                case ast.ImportFrom(module=str(module), names=names_, level=0):
                    for alias in names_:
                        if (alias.asname or alias.name) == name:
                            return self._imported(module, alias.name, each)
        if name in BUILTINS:
            return BUILTINS[name]
        raise self.fail(node, f"{name} is not declared here")

    def _imported(self, module: str, name: str, node: ast.AST) -> Any:
        package, _, inner = module.removeprefix("ambidex.").partition(".")
        if module.startswith("ambidex.") and package == "mcp_tools":
            below = f"{inner}.{name}" if inner else name
            if self._tree.has(below):
                return self._tree.module(below)
            if inner:
                return self._tree.module(inner).value(name, node)
        known = KNOWN.get(module)
        if known is None or name.startswith("_") or not hasattr(known, name):
            return Unread(name)
        return getattr(known, name)

    def read(self, node: ast.expr) -> Any:
        """The value of an expression of a declaration."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self.value(name, node)
            case ast.Attribute(value=owner, attr=attr) if not attr.startswith("_"):
                return self._attribute(self.read(owner), attr, node)
            case ast.Subscript(value=owner, slice=index):
                return self._subscript(self.read(owner), self.read(index), node)
            case ast.Tuple(elts=elements):
                return tuple(self.read(each) for each in elements)
            case ast.List(elts=elements):
                return [self.read(each) for each in elements]
            case ast.Set(elts=elements):
                return {self.read(each) for each in elements}
            case ast.Dict(keys=keys, values=values) if None not in keys:
                given = [each for each in keys if each is not None]
                return {self.read(a): self.read(b) for a, b in zip(given, values, strict=True)}
            case ast.JoinedStr(values=parts):
                return "".join(str(self.read(each)) for each in parts)
            case ast.FormattedValue(value=value, conversion=-1, format_spec=spec):
                return format(self.read(value), self.read(spec) if spec else "")
            case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATORS:
                return OPERATORS[type(op)](self._number(self.read(operand), node))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                return self._combined(type(op), self.read(left), self.read(right), node)
            case ast.Call(
                func=ast.Attribute(value=ast.Constant(value=str(glue)), attr="join"), args=[given]
            ):
                return glue.join(str(each) for each in self.read(given))
            case ast.Call(func=function, args=given, keywords=named):
                return self._called(function, given, named, node)
        raise self.fail(node, f"`{ast.unparse(node)[:80]}` is no declaration")

    def _attribute(self, owner: Any, name: str, node: ast.AST) -> Any:
        if isinstance(owner, Module):
            return owner.value(name, node)
        if isinstance(owner, type) and issubclass(owner, enum.Enum):
            return getattr(owner, name)
        if isinstance(owner, types.ModuleType) and owner in KNOWN.values():
            return getattr(owner, name)
        raise self.fail(node, f"`.{name}` of a {type(owner).__name__} is no declaration")

    def _subscript(self, owner: Any, index: Any, node: ast.AST) -> Any:
        if isinstance(owner, Unread):
            return owner
        try:
            return owner[index]
        except (TypeError, KeyError, IndexError) as error:
            raise self.fail(node, f"this subscript is no declaration: {error}") from None

    def _number(self, value: Any, node: ast.AST) -> Any:
        if not isinstance(value, (int, float)) or abs(value) > LARGEST:
            raise self.fail(node, f"{value!r:.80} is no small number")
        return value

    def _combined(self, op: type, left: Any, right: Any, node: ast.AST) -> Any:
        if op is ast.BitOr:
            return typing.Union[left, right]  # noqa: UP007  the guest's Python is 3.10
        texts = all(isinstance(each, (str, tuple, list)) for each in (left, right))
        if not (texts and op is ast.Add):
            left, right = self._number(left, node), self._number(right, node)
            if op in (ast.Pow, ast.LShift) and right > 64:
                raise self.fail(node, "this number is too large")
        return OPERATORS[op](left, right)

    def _called(
        self, function: ast.expr, given: list[ast.expr], named: list[ast.keyword], node: ast.AST
    ) -> Any:
        called = self.read(function)
        describes = [getattr(pydantic, name) for name in DESCRIBES]
        if isinstance(called, Unread) and called.__name__ in DECLARES:
            return called
        plain = (frozenset, tuple, list, dict, App, dataclasses.field)
        if called not in describes and called not in plain:
            raise self.fail(node, f"`{ast.unparse(function)}()` is called to declare")
        words = {each.arg: self.read(each.value) for each in named if each.arg}
        if len(words) != len(named):
            raise self.fail(node, "`**` in a declaration")
        return called(*(self.read(each) for each in given), **words)

    def _class(self, node: ast.ClassDef) -> Any:
        """A class as its fields have it; of one that declares no fields only its name."""
        bases = [self.read(each) for each in node.bases]
        typed = any(each in (typing.TypedDict, typing_extensions.TypedDict) for each in bases)
        if not typed and not all(each in PLAIN_BASES or each in self._tree.made for each in bases):
            return Unread(node.name)
        space = self._fields(node)
        if typed:
            return typing_extensions.TypedDict(node.name, space["__annotations__"])  # type: ignore
        made: Any = types.new_class(node.name, tuple(bases), {}, lambda into: into.update(space))
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self.read(called) is dataclasses.dataclass:
                words = decorator.keywords if isinstance(decorator, ast.Call) else []
                frozen = any(word.arg == "frozen" for word in words)
                made = dataclasses.dataclass(frozen=frozen)(made)
        self._tree.made.add(made)
        return made

    def _fields(self, node: ast.ClassDef) -> dict[str, Any]:
        """What the body of a class declares; its methods are left out."""
        space: dict[str, Any] = {
            "__module__": "ambidex.mcp_tools.declared",
            "__qualname__": node.name,
        }
        if text := ast.get_docstring(node):
            space["__doc__"] = text
        annotations: dict[str, Any] = {}
        for each in node.body:
            match each:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=kind, value=value):
                    annotations[name] = self.read(kind)
                    if value is not None:
                        space[name] = self.read(value)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    space[name] = self.read(value)
        return {**space, "__annotations__": annotations}

    def tools(self, app: App) -> None:
        """Declare the tools of this file with its app."""
        for node in self.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for each in node.decorator_list:
                    match each:
                        case ast.Call(func=ast.Attribute(value=owner, attr="tool"), keywords=words):
                            if self.read(owner) is app:
                                given = {w.arg: self.read(w.value) for w in words if w.arg}
                                app.tool(**given)(self._stub(node))

    def _stub(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Callable[..., object]:
        """A function with that signature and docstring, that does nothing."""

        def stub() -> None:
            raise ToolError("tools are not run here")

        arguments = node.args
        if arguments.vararg or arguments.kwarg or arguments.posonlyargs:
            raise self.fail(node, f"{node.name} takes arguments without names")
        missing = [None] * (len(arguments.args) - len(arguments.defaults))
        pairs: list[tuple[ast.arg, Optional[ast.expr], Any]] = [
            *(
                (each, default, inspect.Parameter.POSITIONAL_OR_KEYWORD)
                for each, default in zip(
                    arguments.args, [*missing, *arguments.defaults], strict=True
                )
            ),
            *(
                (each, default, inspect.Parameter.KEYWORD_ONLY)
                for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            ),
        ]
        parameters = []
        empty = inspect.Parameter.empty
        for argument, default, kind in pairs:
            annotation = self.read(argument.annotation) if argument.annotation else empty
            value = self.read(default) if default is not None else empty
            parameters.append(
                inspect.Parameter(argument.arg, kind, default=value, annotation=annotation)
            )
        returned = Picture if self._returns_picture(node) else object
        stub.__name__ = node.name
        stub.__doc__ = ast.get_docstring(node, clean=False)
        stub.__annotations__ = {
            **{each.name: each.annotation for each in parameters if each.annotation is not empty},
            "return": returned,
        }
        stub.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return stub

    def _returns_picture(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        return isinstance(node.returns, ast.Name) and node.returns.id == "Picture"


DECLARES = frozenset({"TypeVar", "NewType", "compile"})
"""Functions whose result a declaration names and does not look into."""
