"""Evaluation of the declarations in one file of tools, from its syntax tree.

Only the small part of Python that declarations need is understood: names, constants, subscripts,
operators on constants, and calls of a few functions that only describe types.
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
"""Bound on the absolute value of computed constants."""
BUILTINS: dict[str, Any] = {
    name: getattr(builtins, name)
    for name in ("str", "int", "float", "bool", "bytes", "list", "dict", "set", "frozenset")
} | {"tuple": tuple, "object": object, "type": type, "None": None, "Exception": Exception}
TYPE_FUNCTIONS = (
    "ConfigDict",
    "Field",
    "AfterValidator",
    "BeforeValidator",
    "PlainValidator",
    "StringConstraints",
)
"""Functions of pydantic that a declaration may call."""
IMPORTABLE: dict[str, Any] = {
    "typing": typing,
    "typing_extensions": typing_extensions,
    "pydantic": pydantic,
    "dataclasses": dataclasses,
    "datetime": datetime,
    "enum": enum,
    "collections.abc": collections.abc,
    "ambidex.mcp_tools": mcp_tools,
}
"""Modules from which a declaration may use names."""


PLAIN_BASES: tuple[Any, ...] = (object, pydantic.BaseModel, str, enum.Enum, enum.IntEnum)
"""Base classes that a class in a declaration may have."""


class DeclarationError(Exception):
    """A declaration that cannot be understood without running code."""


class OpaqueFunction:
    """Placeholder for a function: declarations may refer to it, but it is never executed."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, value: Any) -> Any:
        """Act as a validator that accepts everything."""
        return value


class Files(Protocol):
    """The other modules of the package, from which declarations import."""

    classes: set[Any]
    """Classes built from declarations."""

    def has(self, name: str) -> bool:
        """Whether the module exists."""

    def module(self, name: str) -> Module:
        """Return a module of the package."""


class Module:
    """One file of this package, evaluated as far as declarations need it."""

    def __init__(self, file: str, text: str, tree: Files) -> None:
        self.file = file
        self._tree = tree
        self.body = ast.parse(text, file).body
        self._values: dict[str, Any] = {}
        self._resolving: set[str] = set()

    def fail(self, node: ast.AST, what: str) -> DeclarationError:
        """An error that names the file and the line of a construct."""
        line = getattr(node, "lineno", 1)
        return DeclarationError(f"{self.file}, line {line}: {what}")

    def assigns(self, name: str) -> bool:
        """Whether the module assigns that name."""
        return any(
            isinstance(statement, ast.Assign)
            and any(
                isinstance(target, ast.Name) and target.id == name for target in statement.targets
            )
            for statement in self.body
        )

    def value(self, name: str, node: ast.AST) -> Any:
        """Value of a name in the module's namespace."""
        if name not in self._values:
            if name in self._resolving:
                raise self.fail(node, f"{name} is defined in terms of itself")
            self._resolving.add(name)
            self._values[name] = self._resolve(name, node)
            self._resolving.discard(name)
        return self._values[name]

    def _resolve(self, name: str, node: ast.AST) -> Any:
        for statement in reversed(self.body):
            match statement:
                case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                    return self.read(value)
                case ast.AnnAssign(target=ast.Name(id=target), value=value) if target == name:
                    if value is not None:
                        return self.read(value)
                case ast.Assign(targets=[ast.Tuple(elts=elements)], value=value):
                    names = [getattr(element, "id", "") for element in elements]
                    if name in names:
                        return self.read(value)[names.index(name)]
                case ast.FunctionDef(name=target) | ast.AsyncFunctionDef(name=target):
                    if target == name:
                        return OpaqueFunction(name)
                case ast.ClassDef(name=target) if target == name:
                    return self._class(statement)
                case ast.ImportFrom(module=str(module), names=aliases, level=0):
                    for alias in aliases:
                        if (alias.asname or alias.name) == name:
                            return self._imported(module, alias.name, statement)
        if name in BUILTINS:
            return BUILTINS[name]
        raise self.fail(node, f"{name} is not defined in this file")

    def _imported(self, module: str, name: str, node: ast.AST) -> Any:
        package, _, inner = module.removeprefix("ambidex.").partition(".")
        if module.startswith("ambidex.") and package == "mcp_tools":
            submodule = f"{inner}.{name}" if inner else name
            if self._tree.has(submodule):
                return self._tree.module(submodule)
            if inner:
                return self._tree.module(inner).value(name, node)
        source = IMPORTABLE.get(module)
        if source is None or name.startswith("_") or not hasattr(source, name):
            return OpaqueFunction(name)
        return getattr(source, name)

    def read(self, node: ast.expr) -> Any:
        """Evaluate an expression of a declaration."""
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
                return tuple(self.read(element) for element in elements)
            case ast.List(elts=elements):
                return [self.read(element) for element in elements]
            case ast.Set(elts=elements):
                return {self.read(element) for element in elements}
            case ast.Dict(keys=keys, values=values) if None not in keys:
                pairs = zip(keys, values, strict=True)
                return {self.read(key): self.read(item) for key, item in pairs if key is not None}
            case ast.JoinedStr(values=parts):
                return "".join(str(self.read(part)) for part in parts)
            case ast.FormattedValue(value=value, conversion=-1, format_spec=spec):
                return format(self.read(value), self.read(spec) if spec else "")
            case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATORS:
                return OPERATORS[type(op)](self._check_number(self.read(operand), node))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                return self._operate(type(op), self.read(left), self.read(right), node)
            case ast.Call(
                func=ast.Attribute(value=ast.Constant(value=str(separator)), attr="join"),
                args=[items],
            ):
                return separator.join(str(item) for item in self.read(items))
            case ast.Call(func=function, args=arguments, keywords=named):
                return self._call(function, arguments, named, node)
        raise self.fail(node, f"not allowed in a declaration: `{ast.unparse(node)[:80]}`")

    def _attribute(self, owner: Any, name: str, node: ast.AST) -> Any:
        if isinstance(owner, Module):
            return owner.value(name, node)
        if isinstance(owner, type) and issubclass(owner, enum.Enum):
            return getattr(owner, name)
        if isinstance(owner, types.ModuleType) and owner in IMPORTABLE.values():
            return getattr(owner, name)
        raise self.fail(
            node, f"not allowed in a declaration: `.{name}` of a {type(owner).__name__}"
        )

    def _subscript(self, owner: Any, index: Any, node: ast.AST) -> Any:
        if isinstance(owner, OpaqueFunction):
            return owner
        try:
            return owner[index]
        except (TypeError, KeyError, IndexError) as error:
            raise self.fail(node, f"cannot evaluate this subscript: {error}") from None

    def _check_number(self, value: Any, node: ast.AST) -> Any:
        if not isinstance(value, (int, float)) or abs(value) > LARGEST:
            raise self.fail(node, f"not a small number: {value!r:.80}")
        return value

    def _operate(self, op: type, left: Any, right: Any, node: ast.AST) -> Any:
        if op is ast.BitOr:
            return typing.Union[left, right]  # noqa: UP007  the guest's Python is 3.10
        sequences = all(isinstance(side, (str, tuple, list)) for side in (left, right))
        if not (sequences and op is ast.Add):
            left, right = self._check_number(left, node), self._check_number(right, node)
            if op in (ast.Pow, ast.LShift) and right > 64:
                raise self.fail(node, "this number is too large")
        return OPERATORS[op](left, right)

    def _call(
        self,
        expression: ast.expr,
        arguments: list[ast.expr],
        named: list[ast.keyword],
        node: ast.AST,
    ) -> Any:
        function = self.read(expression)
        type_functions = [getattr(pydantic, name) for name in TYPE_FUNCTIONS]
        if isinstance(function, OpaqueFunction) and function.__name__ in OPAQUE_FUNCTIONS:
            return function
        plain = (frozenset, tuple, list, dict, App, dataclasses.field)
        if function not in type_functions and function not in plain:
            raise self.fail(node, f"not callable in a declaration: `{ast.unparse(expression)}()`")
        keywords = {keyword.arg: self.read(keyword.value) for keyword in named if keyword.arg}
        if len(keywords) != len(named):
            raise self.fail(node, "`**` is not allowed in a declaration")
        return function(*(self.read(argument) for argument in arguments), **keywords)

    def _class(self, node: ast.ClassDef) -> Any:
        """Build a class from its fields; only a placeholder for a class of another kind."""
        bases = [self.read(base) for base in node.bases]
        is_typed_dict = any(
            base in (typing.TypedDict, typing_extensions.TypedDict) for base in bases
        )
        if not is_typed_dict and not all(
            base in PLAIN_BASES or base in self._tree.classes for base in bases
        ):
            return OpaqueFunction(node.name)
        namespace = self._fields(node)
        if is_typed_dict:
            return typing_extensions.TypedDict(node.name, namespace["__annotations__"])  # type: ignore
        cls: Any = types.new_class(
            node.name, tuple(bases), {}, lambda target: target.update(namespace)
        )
        for decorator in node.decorator_list:
            function = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self.read(function) is dataclasses.dataclass:
                options = decorator.keywords if isinstance(decorator, ast.Call) else []
                frozen = any(option.arg == "frozen" for option in options)
                cls = dataclasses.dataclass(frozen=frozen)(cls)
        self._tree.classes.add(cls)
        return cls

    def _fields(self, node: ast.ClassDef) -> dict[str, Any]:
        """Namespace of a class from its body, without methods."""
        namespace: dict[str, Any] = {
            "__module__": "ambidex.mcp_tools.declared",
            "__qualname__": node.name,
        }
        if text := ast.get_docstring(node):
            namespace["__doc__"] = text
        annotations: dict[str, Any] = {}
        for statement in node.body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                    annotations[name] = self.read(annotation)
                    if value is not None:
                        namespace[name] = self.read(value)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    namespace[name] = self.read(value)
        return {**namespace, "__annotations__": annotations}

    def declare_tools(self, app: App) -> None:
        """Declare the tools of this file with their app."""
        for node in self.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for decorator in node.decorator_list:
                    match decorator:
                        case ast.Call(
                            func=ast.Attribute(value=owner, attr="tool"), keywords=keywords
                        ):
                            if self.read(owner) is app:
                                options = {
                                    keyword.arg: self.read(keyword.value)
                                    for keyword in keywords
                                    if keyword.arg
                                }
                                app.tool(**options)(self._stub(node))

    def _stub(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Callable[..., object]:
        """A function with the signature and docstring of `node` that only raises."""

        def stub() -> None:
            raise ToolError("a stub of a tool cannot be called")

        signature = node.args
        if signature.vararg or signature.kwarg or signature.posonlyargs:
            raise self.fail(node, f"{node.name} has positional-only or variadic arguments")
        missing = [None] * (len(signature.args) - len(signature.defaults))
        pairs: list[tuple[ast.arg, Optional[ast.expr], Any]] = [
            *(
                (argument, default, inspect.Parameter.POSITIONAL_OR_KEYWORD)
                for argument, default in zip(
                    signature.args, [*missing, *signature.defaults], strict=True
                )
            ),
            *(
                (argument, default, inspect.Parameter.KEYWORD_ONLY)
                for argument, default in zip(
                    signature.kwonlyargs, signature.kw_defaults, strict=True
                )
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
        result = Picture if self._returns_picture(node) else object
        stub.__name__ = node.name
        stub.__doc__ = ast.get_docstring(node, clean=False)
        stub.__annotations__ = {
            **{item.name: item.annotation for item in parameters if item.annotation is not empty},
            "return": result,
        }
        stub.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return stub

    def _returns_picture(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        return isinstance(node.returns, ast.Name) and node.returns.id == "Picture"


OPAQUE_FUNCTIONS = frozenset({"TypeVar", "NewType", "compile"})
"""Functions whose result a declaration may refer to but not inspect."""
