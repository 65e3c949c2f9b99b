"""The static files of pages: our own, and noVNC."""

from __future__ import annotations

import sys
from pathlib import Path

from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

__all__ = ["NOVNC", "PAGES", "mounts", "room_page"]

PAGES = Path(__file__).with_name("pages")
NOVNC = [Path(sys.prefix) / "share" / "novnc", Path("/usr/share/novnc")]
"""Where noVNC may be installed: by `make setup`, or by Debian's package."""


def room_page() -> str:
    """The control room's page. It names all modules, so that a browser loads them at once, and not
    each after the one that imports it."""
    modules = sorted(path.name for path in PAGES.glob("*.js") if path.stem != "standalone")
    links = "".join(f'<link rel="modulepreload" href="/pages/{name}">\n' for name in modules)
    return (PAGES / "index.html").read_text(encoding="utf-8").replace("</head>", f"{links}</head>")


def mounts() -> list[BaseRoute]:
    """Routes for our own files at /pages and, if installed, noVNC at /novnc."""
    parts: list[BaseRoute] = [Mount("/pages", StaticFiles(directory=PAGES))]
    if viewer := next((path for path in NOVNC if path.is_dir()), None):
        parts.append(Mount("/novnc", StaticFiles(directory=viewer, follow_symlink=True)))
    return parts
