"""What pages are made of."""

from __future__ import annotations

import sys
from pathlib import Path

from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

__all__ = ["NOVNC", "PAGES", "mounts"]

PAGES = Path(__file__).with_name("pages")
NOVNC = [Path(sys.prefix) / "share" / "novnc", Path("/usr/share/novnc")]
"""Where the viewer may be: as `make setup` puts it, or as Debian's package does."""


def mounts() -> list[BaseRoute]:
    """Our own parts at /pages, and the viewer of screens, where the machine has it, at /novnc."""
    parts: list[BaseRoute] = [Mount("/pages", StaticFiles(directory=PAGES))]
    if viewer := next((path for path in NOVNC if path.is_dir()), None):
        parts.append(Mount("/novnc", StaticFiles(directory=viewer, follow_symlink=True)))
    return parts
