"""Every app that is served, and their tools by name.

An app is a package of `mcp_tools` whose `__init__` makes an `App` named `app`; its tools are those
that the package's modules declare with it. No list names them.
`python -m ambidex.mcp_tools.catalogue` prints them as JSON.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from typing import Any, Optional

from ambidex import mcp_tools
from ambidex.mcp_tools import App, Tool, aliases


def apps(worker: Optional[str] = None) -> dict[str, App]:
    """The apps by name, sorted, each with the tools of its modules; with `worker`, only those of
    that worker, and no module of another is imported."""
    found: dict[str, App] = {}
    for package in pkgutil.iter_modules(mcp_tools.__path__):
        if not package.ispkg:
            continue
        loaded = importlib.import_module(f"ambidex.mcp_tools.{package.name}")
        app = getattr(loaded, "app", None)
        if app is None or worker not in (None, app.worker):
            continue
        for module in pkgutil.iter_modules(loaded.__path__):
            importlib.import_module(f"ambidex.mcp_tools.{package.name}.{module.name}")
        found[app.name] = app
    return found


def tools() -> dict[str, Tool]:
    """All tools by name, sorted."""
    found = {name: tool for app in apps().values() for name, tool in app.tools.items()}
    return dict(sorted(found.items()))


def described() -> list[dict[str, Any]]:
    """The catalogue as data: what a host may know of a tool without a machine."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "reads_only": tool.reads_only,
            "parameters": tool.parameters,
            **aliases.about(tool),
        }
        for tool in tools().values()
    ]


if __name__ == "__main__":
    print(json.dumps(described(), indent=1, ensure_ascii=False))
