"""The tools there are, read as text: which module declares which, and what each of them calls.

Nothing here imports mcp_tools: drafts are compared with it on the host, where tools do not run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ambidex.host.errors import UsageError

__all__ = [
    "GENERAL",
    "Declared",
    "declared",
    "example",
    "file_of",
    "home_of",
    "house_tools",
    "tool_name",
    "touched",
]

GENERAL = frozenset((
    "str", "int", "float", "bool", "list", "dict", "set", "tuple", "len", "sorted", "range",
    "zip", "min", "max", "sum", "any", "all", "map", "repr", "isinstance", "hasattr",
    "getattr", "enumerate", "append", "join", "format", "items", "keys", "values", "get",
    "strip", "split", "lower", "upper", "replace", "Path", "ToolError", "Field", "editing",
    "answering",
))  # fmt: skip
"""Names that say nothing about what a tool does."""


@dataclass(frozen=True)
class Declared:
    """One function that is a tool."""

    name: str
    """With the app before it."""
    module: str
    node: ast.FunctionDef
    touches: frozenset[str]
    """What it calls and sets; see `touched`."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(each.arg for each in [*self.node.args.args, *self.node.args.kwonlyargs])


def declared(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """(name of the app, function) of every tool in the file. An app that is imported goes by the
    module that it comes from."""
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


def touched(function: ast.AST, others: Mapping[str, ast.FunctionDef]) -> frozenset[str]:
    """What the function calls, reads, sets and says to others, through the functions of its own
    file: its behaviour, as far as text tells. Sentences are for people and left out."""
    found: set[str] = set()
    seen: set[str] = set()

    def called(name: str) -> None:
        found.add(f"{name} again" if name in found else name)

    def walk(node: ast.AST) -> None:
        for each in ast.walk(node):
            match each:
                case ast.Call(func=ast.Name(id=name)):
                    if name in others and name not in seen:
                        seen.add(name)
                        walk(others[name])
                    elif name not in others:
                        called(name)
                case ast.Call(func=ast.Attribute(attr=name)):
                    called(name)
                case ast.Attribute(attr=name, ctx=ast.Store()):
                    found.add(f"={name}")
                case ast.Attribute(attr=name):
                    found.add(f".{name}")
                case ast.Constant(value=bool() | int() | float() | str() as value):
                    if not (isinstance(value, str) and (" " in value or not value)):
                        found.add(repr(value))

    body = function.body if isinstance(function, ast.FunctionDef) else [function]
    for statement in body:
        walk(statement)
    return frozenset(found - GENERAL)


def tool_name(text: str, app: str) -> str:
    """The name of the one tool of a draft, with its app in front."""
    return f"{app}_{next(node for _, node in declared(ast.parse(text))).name}"


def file_of(tool: str) -> Path:
    """Where an admitted tool is stored, from the root of the tree: the folder of its app."""
    app, _, function = tool.partition("_")
    return Path("mcp_tools") / app / f"{function}.py"


def house_tools(root: Path) -> list[Declared]:
    """Every tool of the tree's mcp_tools/, from the text of its modules."""
    apps = {module: app for app, module in _homes(root).items()}
    return [
        Declared(f"{apps.get(owner, owner)}_{node.name}", module, node, touches)
        for module, text in _texts(root)
        for owner, node, touches in _tools_in(module, text)
    ]


def home_of(root: Path, app: str) -> str:
    """The package that makes the app; `UsageError` names the apps there are."""
    homes = _homes(root)
    if app not in homes:
        raise UsageError(f"no app {app!r}", hint=f"There are: {', '.join(sorted(homes))}.")
    return homes[app]


def example(root: Path, app: str) -> str:
    """The text of the app's smallest module that declares tools: how its neighbours are written."""
    home = home_of(root, app)
    files = {each.module for each in house_tools(root) if each.name.startswith(f"{app}_")}
    modules = [_file(root, name) for name in files or {home}]
    return min(modules, key=lambda file: file.stat().st_size).read_text(encoding="utf-8")


def _homes(root: Path) -> dict[str, str]:
    return {app: module for module, text in _texts(root) for app in _apps_in(module, text)}


def _texts(root: Path) -> Iterator[tuple[str, str]]:
    folder = root / "mcp_tools"
    for file in sorted(folder.rglob("*.py")):
        parts = file.relative_to(folder).with_suffix("").parts
        if parts != ("__init__",):
            yield ".".join(parts).removesuffix(".__init__"), file.read_text(encoding="utf-8")


def _file(root: Path, module: str) -> Path:
    place = (root / "mcp_tools").joinpath(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


# A gate, a page and a pipeline ask about the same tools again and again. What a text says cannot
# change; whether a file still says it is looked up each time.
@cache
def _tools_in(module: str, text: str) -> tuple[tuple[str, ast.FunctionDef, frozenset[str]], ...]:
    """(name or module of the app, function, what it touches) of every tool."""
    tree = ast.parse(text, f"{module}.py")
    functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    found = []
    for owner, node in declared(tree):
        others = {name: each for name, each in functions.items() if each is not node}
        found.append((owner, node, touched(node, others)))
    return tuple(found)


@cache
def _apps_in(module: str, text: str) -> tuple[str, ...]:
    found = []
    for node in ast.parse(text, f"{module}.py").body:
        match node:
            case ast.Assign(
                value=ast.Call(func=ast.Name(id="App"), args=[ast.Constant(value=str(app)), *_])
            ):
                found.append(app)
    return tuple(found)
