"""The tools of a source tree, read as text: which module declares which tool, and what each one
calls.

Nothing here imports mcp_tools: drafts are compared with its tools on the host, where no tool runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ambidex.evaluators.bounded import parse_python
from ambidex.host.errors import UsageError

__all__ = [
    "DeclaredTool",
    "behaviour_of",
    "example_module",
    "existing_tools",
    "module_of_app",
    "tool_file",
    "tool_name",
    "tools_declared",
]

COMMON_NAMES = frozenset((
    "str", "int", "float", "bool", "list", "dict", "set", "tuple", "len", "sorted", "range",
    "zip", "min", "max", "sum", "any", "all", "map", "repr", "isinstance", "hasattr",
    "getattr", "enumerate", "append", "join", "format", "items", "keys", "values", "get",
    "strip", "split", "lower", "upper", "replace", "Path", "ToolError", "Field", "editing",
    "answering",
))  # fmt: skip
"""Names that say nothing about what a tool does."""


@dataclass(frozen=True)
class DeclaredTool:
    """A function that declares a tool."""

    name: str
    """The tool's name, with the app's in front."""
    module: str
    node: ast.FunctionDef
    behaviour: frozenset[str]
    """See `behaviour_of`."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The names of its arguments."""
        arguments = [*self.node.args.args, *self.node.args.kwonlyargs]
        return tuple(argument.arg for argument in arguments)


def tools_declared(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """(name of the app, function) of every tool in the file. An imported app is named by the module
    that it comes from."""
    apps: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(
                targets=targets,
                value=ast.Call(func=ast.Name(id="App"), args=[ast.Constant(value=str(name)), *_]),
            ):
                apps |= {target.id: name for target in targets if isinstance(target, ast.Name)}
            case ast.ImportFrom(module=str(module), names=names) if module.startswith(
                "ambidex.mcp_tools."
            ):
                own = module.removeprefix("ambidex.mcp_tools.")
                apps |= {alias.asname or alias.name: own for alias in names if alias.name == "app"}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                match decorator:
                    case ast.Call(func=ast.Attribute(value=ast.Name(id=app), attr="tool")):
                        yield apps.get(app, app), node


def behaviour_of(function: ast.AST, others: Mapping[str, ast.FunctionDef]) -> frozenset[str]:
    """The behaviour of a function as far as its text shows: the names that it and the functions it
    uses of `others` call, read and set, and the constants they use. Constants with spaces are
    sentences for people and left out."""
    behaviour: set[str] = set()
    visited: set[str] = set()

    def add_call(name: str) -> None:
        behaviour.add(f"{name} again" if name in behaviour else name)

    def walk(root: ast.AST) -> None:
        for node in ast.walk(root):
            match node:
                case ast.Call(func=ast.Name(id=name)):
                    if name in others and name not in visited:
                        visited.add(name)
                        walk(others[name])
                    elif name not in others:
                        add_call(name)
                case ast.Call(func=ast.Attribute(attr=name)):
                    add_call(name)
                case ast.Attribute(attr=name, ctx=ast.Store()):
                    behaviour.add(f"={name}")
                case ast.Attribute(attr=name):
                    behaviour.add(f".{name}")
                case ast.Constant(value=bool() | int() | float() | str() as value):
                    if not (isinstance(value, str) and (" " in value or not value)):
                        behaviour.add(repr(value))

    body = function.body if isinstance(function, ast.FunctionDef) else [function]
    for statement in body:
        walk(statement)
    return frozenset(behaviour - COMMON_NAMES)


def tool_name(text: str, app: str) -> str:
    """The name of a draft's first tool, with the app's in front."""
    return f"{app}_{next(node for _, node in tools_declared(parse_python(text))).name}"


def tool_file(tool: str) -> Path:
    """The path of an admitted tool, relative to the root of the tree: in the folder of its app."""
    app, _, function = tool.partition("_")
    return Path("mcp_tools") / app / f"{function}.py"


def existing_tools(root: Path) -> list[DeclaredTool]:
    """All tools of the tree's mcp_tools/, from the text of its modules."""
    apps = {module: app for app, module in _modules_by_app(root).items()}
    return [
        DeclaredTool(f"{apps.get(owner, owner)}_{node.name}", module, node, behaviour)
        for module, text in _module_texts(root)
        for owner, node, behaviour in _tools_in(module, text)
    ]


def module_of_app(root: Path, app: str) -> str:
    """The module that defines the app. `UsageError` lists the known apps."""
    modules = _modules_by_app(root)
    if app not in modules:
        raise UsageError(f"no app {app!r}", hint=f"Apps: {', '.join(sorted(modules))}.")
    return modules[app]


def example_module(root: Path, app: str) -> str:
    """The text of the app's smallest module that declares tools, as an example of the form."""
    home = module_of_app(root, app)
    modules = {tool.module for tool in existing_tools(root) if tool.name.startswith(f"{app}_")}
    files = [_module_file(root, module) for module in modules or {home}]
    return min(files, key=lambda file: file.stat().st_size).read_text(encoding="utf-8")


def _modules_by_app(root: Path) -> dict[str, str]:
    return {app: module for module, text in _module_texts(root) for app in _apps_in(module, text)}


def _module_texts(root: Path) -> Iterator[tuple[str, str]]:
    folder = root / "mcp_tools"
    for file in sorted(folder.rglob("*.py")):
        parts = file.relative_to(folder).with_suffix("").parts
        if parts != ("__init__",):
            yield ".".join(parts).removesuffix(".__init__"), file.read_text(encoding="utf-8")


def _module_file(root: Path, module: str) -> Path:
    place = (root / "mcp_tools").joinpath(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


# The gate, the review page and the pipeline need the same tools many times. The result depends only
# on the text, which is read from the file each time.
@cache
def _tools_in(module: str, text: str) -> tuple[tuple[str, ast.FunctionDef, frozenset[str]], ...]:
    """(name or module of the app, function, behaviour) of every tool."""
    tree = parse_python(text, f"{module}.py")
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    tools = []
    for owner, node in tools_declared(tree):
        others = {name: function for name, function in functions.items() if function is not node}
        tools.append((owner, node, behaviour_of(node, others)))
    return tuple(tools)


@cache
def _apps_in(module: str, text: str) -> tuple[str, ...]:
    apps = []
    for node in parse_python(text, f"{module}.py").body:
        match node:
            case ast.Assign(
                value=ast.Call(func=ast.Name(id="App"), args=[ast.Constant(value=str(app)), *_])
            ):
                apps.append(app)
    return tuple(apps)
