"""The catalogue read from the text of the tools, none of which is imported or run: `python -m
ambidex.mcp_tools.declarations` prints what `mcp_tools.catalogue` would.

A tool is declared by its signature, its docstring and the app that decorates it. Those are read
from the syntax tree, in the small part of Python that declarations need: names, constants,
subscripts, operators on constants, and calls of a few functions that do nothing but describe types.
Whatever else stands in a declaration is an error that names the file, the line and the construct.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

from ambidex.mcp_tools import App, aliases
from ambidex.mcp_tools.module_syntax import DeclarationError, Module

__all__ = ["DeclarationError", "Tree", "declared_apps", "described"]

FOLDER = Path(__file__).parent


class Tree:
    """The files of this package."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder
        self._modules: dict[str, Module] = {}
        self.made: set[Any] = set()
        """Classes that were made of a declaration."""

    def file(self, name: str) -> Path:
        """The file of a module such as `calc.charts`, or of a package, whether it is there or not.
        `DeclarationError` for a name that is none."""
        if not all(part.isidentifier() for part in name.split(".")):
            raise DeclarationError(f"{name!r} names no module")
        place = self.folder.joinpath(*name.split("."))
        return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")

    def has(self, name: str) -> bool:
        """Whether there is such a module."""
        return self.file(name).is_file()

    def module(self, name: str) -> Module:
        """That one; `DeclarationError` if there is none, or it is not Python."""
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
        """The modules of each package, sorted; the package itself is not among them."""
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
    """The apps by name with their tools, as `catalogue.apps` has them. `DeclarationError` names
    what cannot be read, and a tool that is declared where none would be served.
    """
    apps: dict[str, App] = {}
    outside = [file.stem for file in sorted(tree.folder.glob("*.py")) if file.stem != "__init__"]
    for name, modules in tree.packages().items():
        package = tree.module(name)
        app = package.value("app", ast.Name(id="app")) if package.assigns("app") else None
        if not isinstance(app, App):
            outside += modules
            continue
        for each in modules:
            tree.module(each).tools(app)
        apps[app.name] = app
    for each in outside:
        if _declares(tree.module(each)):
            raise DeclarationError(
                f"{tree.module(each).file} declares tools, and is in no package of an app: they"
                " would not be served. An app is a folder whose __init__.py makes `app`."
            )
    return apps


def _declares(module: Module) -> bool:
    for node in module.body:
        if isinstance(node, ast.FunctionDef):
            for each in node.decorator_list:
                match each:
                    case ast.Call(func=ast.Attribute(value=ast.Name(id="app"), attr="tool")):
                        return True
    return False


def described(folder: Path = FOLDER) -> list[dict[str, Any]]:
    """The catalogue as data, as `catalogue.described` has it."""
    apps = declared_apps(Tree(folder)).values()
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "reads_only": tool.reads_only,
            "parameters": tool.parameters,
            **aliases.about(tool),
        }
        for _, tool in sorted(
            (one for app in apps for one in app.tools.items()), key=lambda one: one[0]
        )
    ]


if __name__ == "__main__":
    print(json.dumps(described(), indent=1, ensure_ascii=False))
