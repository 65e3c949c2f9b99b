"""Every app that is served, and their tools by name.

`python -m mcp_tools.catalogue` prints them as JSON.
"""

from __future__ import annotations

import importlib
import json
from typing import Any

from mcp_tools import App, Tool

MODULES = (
    "computer",
    "windows",
    "calc",
    "calc_layout",
    "writer",
    "vlc",
    "gnome",
    "files",
    "chrome",
    "chrome_data",
    "chrome_pages",
)
"""Modules of this package that declare tools, each with its `App` as `app`; an app may have
several.
"""


def apps() -> dict[str, App]:
    """The apps by name, in the order of `MODULES`."""
    found = (importlib.import_module(f"mcp_tools.{module}").app for module in MODULES)
    return {app.name: app for app in found}


def tools() -> dict[str, Tool]:
    """All tools by name."""
    return {name: tool for app in apps().values() for name, tool in app.tools.items()}


def described() -> list[dict[str, Any]]:
    """The catalogue as data: what a host may know of a tool without a machine."""
    return [
        {
            "name": tool.name,
            "app": tool.app,
            "description": tool.description,
            "reads_only": tool.reads_only,
            "parameters": tool.parameters,
        }
        for tool in tools().values()
    ]


if __name__ == "__main__":
    print(json.dumps(described(), indent=1, ensure_ascii=False))
