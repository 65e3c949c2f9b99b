"""Every app that is served, and their tools by name.

`python -m mcp_tools.catalogue` prints them as JSON.
"""

from __future__ import annotations

import importlib
import json
from typing import Any, Optional

from mcp_tools import App, Tool, aliases

MODULES = {
    "computer": (
        "computer",
        "windows",
    ),
    "office": (
        "calc",
        "calc_layout",
        "calc_lines",
        "calc_looks",
        "calc_numbers",
        "calc_data",
        "calc_columns",
        "calc_rules",
        "calc_charts",
        "calc_pivots",
        "calc_pages",
        "writer",
        "writer_look",
        "writer_insert",
        "writer_styles",
        "writer_tables",
        "writer_comments",
        "impress",
        "slide_text",
        "slide_boxes",
        "slide_media",
        "slide_order",
        "slide_files",
    ),
    "media": (
        "vlc",
        "vlc_playlist",
        "vlc_settings",
    ),
    "desktop": (
        "gnome",
        "files",
        "os_settings",
        "os_sound",
        "os_shell",
        "os_files",
        "os_trash",
        "os_media",
        "os_git",
    ),
    "browser": (
        "chrome",
        "chrome_data",
        "chrome_pages",
    ),
    "editor": (
        "code",
        "code_extensions",
        "code_settings",
        "code_keys",
        "code_search",
    ),
    "filesystem": ("filesystem",),
    "git": ("git",),
}
"""Modules of this package that declare tools, by the worker that runs them, each with its `App` as
`app`; an app may have several.
"""


def apps(worker: Optional[str] = None) -> dict[str, App]:
    """The apps by name, in the order of `MODULES`; of one worker only that worker's are loaded."""
    named = [module for each in MODULES if worker in (None, each) for module in MODULES[each]]
    found = [importlib.import_module(f"mcp_tools.{module}").app for module in named]
    return {app.name: app for app in found}


def tools() -> dict[str, Tool]:
    """All tools by name."""
    return {name: tool for app in apps().values() for name, tool in app.tools.items()}


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
