"""Adds pages to the site that are not files of docs/: the API reference, and pages of the root.

The reference has a page for each package, with its own names and then those of its modules. It is
generated from the folders, so new and moved modules are included automatically.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
PACKAGES = ("host", "tasks", "evaluators", "vm", "guest", "mcp_tools", "toolgen")
OUTSIDE = Path("host/integrations/outside")
"""A package of its own for other environments."""
FROM_ROOT = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add a page for each package below `API`."""
    [api] = [part for part in config.nav or [] if "API" in part]
    api["API"] = ["api/index.md", *({name: f"api/{name}.md"} for name in packages())]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages = {f"api/{name}.md": package_page(name) for name in packages()}
    pages["api/index.md"] = index_page()
    for name in FROM_ROOT:
        text = (ROOT / name).read_text(encoding="utf-8")
        pages[name] = text.replace("](docs/", "](")
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Rewrite links out of docs/ to the copies that are part of the site."""
    for name in FROM_ROOT:
        markdown = markdown.replace(f"](../{name}", f"]({name}")
    return markdown


def packages() -> list[str]:
    """The dotted names of all packages, each parent before its subpackages."""
    folders = [
        path.parent.relative_to(ROOT)
        for top in PACKAGES
        for path in sorted((ROOT / top).rglob("__init__.py"))
    ]
    return [".".join(folder.parts) for folder in folders if not folder.is_relative_to(OUTSIDE)]


def modules(package: str) -> list[str]:
    """The dotted names of a package's modules that have public names."""
    folder = ROOT.joinpath(*package.split("."))
    paths = sorted(path for path in folder.glob("*.py") if not path.name.startswith("_"))
    return [f"{package}.{path.stem}" for path in paths if "__all__" in path.read_text("utf-8")]


def first_line(name: str) -> str:
    """The first sentence of a package's docstring."""
    path = ROOT.joinpath(*name.split("."), "__init__.py")
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def package_page(package: str) -> str:
    """The page of a package; mkdocstrings replaces `::: name`."""
    parts = [
        # Rank hand-written pages higher in search results.
        "---\nsearch:\n  boost: 0.2\n---\n",
        f"# {package}\n\n::: ambidex.{package}\n    options:\n      show_root_heading: false\n",
        *(
            f"::: ambidex.{name}\n    options:\n      heading_level: 2\n"
            for name in modules(package)
        ),
    ]
    return "\n".join(parts)


def index_page() -> str:
    """A table of all packages."""
    rows = [f"| [{name}]({name}.md) | {first_line(name)} |" for name in packages()]
    head = ["# API reference", "", "Generated from the docstrings.", "", "| package | what |"]
    return "\n".join((*head, "|---|---|", *rows, ""))
