"""Discovery of the apps that are served and their tools.

An app is a package of `mcp_tools` whose `__init__` defines an `App` named `app`; its tools are
those that the package's modules declare with it. Nothing has to be registered anywhere else.
`python -m ambidex.mcp_tools.catalogue` prints the catalogue as JSON.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from typing import Any, Optional

from ambidex import mcp_tools
from ambidex.mcp_tools import App, Tool, aliases


def apps(worker: Optional[str] = None) -> dict[str, App]:
    """All apps with their tools, sorted by name. With `worker`, only the apps of that worker; the
    tool modules of other apps are then not imported."""
    by_name: dict[str, App] = {}
    for package in pkgutil.iter_modules(mcp_tools.__path__):
        if not package.ispkg:
            continue
        imported = importlib.import_module(f"ambidex.mcp_tools.{package.name}")
        app = getattr(imported, "app", None)
        if app is None or worker not in (None, app.worker):
            continue
        for module in pkgutil.iter_modules(imported.__path__):
            importlib.import_module(f"ambidex.mcp_tools.{package.name}.{module.name}")
        by_name[app.name] = app
    return by_name


def tools() -> dict[str, Tool]:
    """All tools, sorted by name."""
    by_name = {name: tool for app in apps().values() for name, tool in app.tools.items()}
    return dict(sorted(by_name.items()))


def describe() -> list[dict[str, Any]]:
    """The catalogue as JSON data: what a host can know about the tools without a machine."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "reads_only": tool.reads_only,
            "parameters": tool.parameters,
            **aliases.metadata(tool),
        }
        for tool in tools().values()
    ]


if __name__ == "__main__":
    print(json.dumps(describe(), indent=1, ensure_ascii=False))
