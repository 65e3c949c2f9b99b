"""The tool catalogue, read from source text without importing or running any of it.

`python -m ambidex.mcp_tools.declarations` prints what `mcp_tools.catalogue` would; with a folder,
of its apps; with the name of a module in it as well, only that module's tools.

A tool is declared by its signature, its docstring and the app that decorates it. These are read
from the syntax tree, in the small part of Python that declarations need: names, constants,
subscripts, operators on constants, and calls of a few functions that only describe types.
Anything else in a declaration is an error that names the file, the line and the construct.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ambidex.mcp_tools import App, Tool, aliases
from ambidex.mcp_tools.module_syntax import DeclarationError, Module
from ambidex.mcp_tools.recorded import add_recorded_tools

__all__ = ["DeclarationError", "Tree", "declared_apps", "describe", "describe_module"]

FOLDER = Path(__file__).parent


class Tree:
    """The modules of this package, parsed on demand."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder
        self._modules: dict[str, Module] = {}
        self.classes: set[Any] = set()
        """Classes built from declarations."""

    def file(self, name: str) -> Path:
        """Path of a module such as `calc.charts`, or of a package's `__init__`, existing or not.
        `DeclarationError` if the name is not a dotted name."""
        if not all(part.isidentifier() for part in name.split(".")):
            raise DeclarationError(f"not a module name: {name!r}")
        path = self.folder.joinpath(*name.split("."))
        return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")

    def has(self, name: str) -> bool:
        """Whether the module exists."""
        return self.file(name).is_file()

    def module(self, name: str) -> Module:
        """Parse a module. `DeclarationError` if it does not exist or is not valid Python."""
        if name not in self._modules:
            file = self.file(name)
            where = f"mcp_tools/{file.relative_to(self.folder).as_posix()}"
            try:
                text = file.read_text(encoding="utf-8")
                self._modules[name] = Module(where, text, self)
            except FileNotFoundError:
                raise DeclarationError(f"mcp_tools has no module {name}") from None
            except (SyntaxError, ValueError, RecursionError) as error:
                raise DeclarationError(f"{where} cannot be read: {error}") from None
        return self._modules[name]

    def packages(self) -> dict[str, list[str]]:
        """The modules of each package, sorted, without its `__init__`."""
        return {
            folder.name: sorted(
                f"{folder.name}.{file.stem}"
                for file in folder.glob("*.py")
                if file.name != "__init__.py"
            )
            for folder in sorted(self.folder.iterdir())
            if (folder / "__init__.py").is_file()
        }


def declared_apps(tree: Tree) -> dict[str, App]:
    """The apps by name with their tools, equal to `catalogue.apps`. `DeclarationError` if a
    declaration cannot be read, or a tool is declared in a module that no app would serve.
    """
    apps: dict[str, App] = {}
    without_app = [
        file.stem for file in sorted(tree.folder.glob("*.py")) if file.stem != "__init__"
    ]
    for name, modules in tree.packages().items():
        package = tree.module(name)
        app = package.value("app", ast.Name(id="app")) if package.assigns("app") else None
        if not isinstance(app, App):
            without_app += modules
            continue
        for module in modules:
            tree.module(module).declare_tools(app)
        add_recorded_tools(app, tree.folder / name)
        apps[app.name] = app
    for module in without_app:
        if _declares_tools(tree.module(module)):
            raise DeclarationError(
                f"{tree.module(module).file} declares tools but is in no app's package, so they"
                " would not be served. An app is a folder whose __init__.py defines `app`."
            )
    return apps


def _declares_tools(module: Module) -> bool:
    for node in module.body:
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                match decorator:
                    case ast.Call(func=ast.Attribute(value=ast.Name(id="app"), attr="tool")):
                        return True
    return False


def describe(folder: Path = FOLDER) -> list[dict[str, Any]]:
    """The catalogue as JSON data, equal to `catalogue.describe`."""
    apps = declared_apps(Tree(folder)).values()
    listed = (item for app in apps if app.listed for item in app.tools.items())
    return _described(sorted(listed, key=lambda item: item[0]))


def describe_module(folder: Path, name: str) -> list[dict[str, Any]]:
    """The tools of one module, such as `calc.charts`, as JSON data. `DeclarationError` if its
    package defines no app."""
    tree = Tree(folder)
    app = tree.module(name.partition(".")[0]).value("app", ast.Name(id="app"))
    if not isinstance(app, App):
        raise DeclarationError(f"the package of {name} defines no app")
    tree.module(name).declare_tools(app)
    return _described(sorted(app.tools.items(), key=lambda item: item[0]))


def _described(tools: Iterable[tuple[str, Tool]]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "description": tool.description,
            "reads_only": tool.reads_only,
            "parameters": tool.parameters,
            **aliases.metadata(tool),
        }
        for name, tool in tools
    ]


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if sys.argv[1:] else FOLDER
    described = describe_module(folder, sys.argv[2]) if sys.argv[2:] else describe(folder)
    print(json.dumps(described, indent=1, ensure_ascii=False))
