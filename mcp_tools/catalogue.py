"""Discovery of the apps that are served and their tools.

An app is a package of `mcp_tools` whose `__init__` defines an `App` named `app`; its tools are
those that the package's modules declare with it. Nothing has to be registered anywhere else.
`python -m ambidex.mcp_tools.catalogue` prints the catalogue as JSON.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

from ambidex import mcp_tools
from ambidex.mcp_tools import App, Tool, aliases
from ambidex.mcp_tools.recorded import add_recorded_tools

__all__ = ["apps", "describe", "installed", "tools"]


def apps(
    worker: Optional[str] = None, wanted: Callable[[App], bool] = lambda app: True
) -> dict[str, App]:
    """All apps with their tools, sorted by name. With `worker`, only the apps of that worker, and
    only those that are `wanted`; the tool modules of other apps are then not imported."""
    by_name: dict[str, App] = {}
    for package in pkgutil.iter_modules(mcp_tools.__path__):
        if not package.ispkg:
            continue
        imported = importlib.import_module(f"ambidex.mcp_tools.{package.name}")
        app = getattr(imported, "app", None)
        if app is None or worker not in (None, app.worker) or not wanted(app):
            continue
        for module in pkgutil.iter_modules(imported.__path__):
            importlib.import_module(f"ambidex.mcp_tools.{package.name}.{module.name}")
        add_recorded_tools(app, Path(imported.__path__[0]))
        by_name[app.name] = app
    return by_name


def installed(*, desktop: bool, worker: Optional[str] = None) -> dict[str, App]:
    """The apps that can be served here: what they need exists, and there is a desktop (`desktop`)
    if they act on one. With `worker`, only the apps of that worker."""

    def served(app: App) -> bool:
        if app.needs_desktop and not desktop:
            return False
        return not app.needs or any(Path(path).exists() for path in app.needs.split(":"))

    return apps(worker, served)


def tools(served: Optional[dict[str, App]] = None, *, listed: bool = True) -> dict[str, Tool]:
    """The tools of these apps, or of all, sorted by name: those that agents are told of, or with
    `listed` false the others."""
    chosen = (apps() if served is None else served).values()
    by_name = {
        name: tool for app in chosen if app.listed is listed for name, tool in app.tools.items()
    }
    return dict(sorted(by_name.items()))


def describe(served: Optional[dict[str, Tool]] = None) -> list[dict[str, Any]]:
    """The tools, all unless given, as JSON data: what a host can know without a machine."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "reads_only": tool.reads_only,
            "parameters": tool.parameters,
            **aliases.metadata(tool),
        }
        for tool in (tools() if served is None else served).values()
    ]


if __name__ == "__main__":
    print(json.dumps(describe(), indent=1, ensure_ascii=False))
