"""Reads the browser's profile, for collection.

Databases are read from a copy, since the browser may have them locked.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Optional

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.chrome.devtools import connected, profile_in_use
from ambidex.mcp_tools.waiting import wait_for

__all__ = ["end_browser", "profile_json", "profile_rows"]

PROFILES = ("google-chrome", "chromium")
"""Folders in ~/.config; OSWorld's tasks refer to the first."""
QUERIES = {
    "cookie_data": ("Cookies", "SELECT * FROM cookies"),
    "history": ("History", "SELECT url, title, last_visit_time FROM urls"),
}
LARGEST = 256 << 20
MOST = 100_000
WITHIN, STEPS = 20.0, 100_000
"""Seconds for a query, and the number of SQLite's steps between checks of the time."""


def end_browser(within: float) -> bool:
    """Close the browser, and return whether it has released the profile within that many seconds.

    It is not ended by a signal: it delays writing settings, bookmarks and cookies for up to half a
    minute, so that some would be lost. It may remain if it does not answer, or if a page asks
    whether to leave.
    """
    with contextlib.suppress(ToolError), connected() as browser:
        browser.call("Browser.close")
    profiles = [Path.home() / ".config" / name for name in PROFILES]
    return bool(wait_for(lambda: not any(profile_in_use(profile) for profile in profiles), within))


def _file(name: str) -> Optional[Path]:
    for profile in PROFILES:
        path = Path.home() / ".config" / profile / "Default" / name
        if path.is_file():
            return path
    return None


def profile_json(name: str) -> Optional[dict[str, Any]]:
    """A file of the profile, such as `Preferences`; None if it is missing or not a JSON object."""
    path = _file(name)
    if path is None or path.stat().st_size > LARGEST:
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def profile_rows(table: str) -> Optional[list[list[Any]]]:
    """The rows of the table `cookie_data` or `history`, with bytes in hexadecimal; None if the
    database is missing or unreadable.
    """
    name, query = QUERIES[table]
    path = _file(name)
    if path is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        for file in (path, *path.parent.glob(f"{name}-*")):
            if file.is_file() and file.stat().st_size <= LARGEST:
                shutil.copy(file, folder)
        try:
            with closing(sqlite3.connect(Path(folder) / name)) as database:
                # The browser's own tables are fast; a view that the agent made may never end.
                end = time.monotonic() + WITHIN
                database.set_progress_handler(lambda: time.monotonic() > end, STEPS)
                rows = database.execute(query).fetchmany(MOST + 1)
        except sqlite3.Error:
            return None
    if len(rows) > MOST:
        raise ToolError(f"{name} has more than {MOST} rows.", code="too_much")
    return [[cell.hex() if isinstance(cell, bytes) else cell for cell in row] for row in rows]
