"""What the browser's profile says, for a host that collects: its files are read where they lie, and
the databases from a copy, since the browser may hold them.
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
"""Names under ~/.config, the one that OSWorld's tasks mean first."""
QUERIES = {
    "cookie_data": ("Cookies", "SELECT * FROM cookies"),
    "history": ("History", "SELECT url, title, last_visit_time FROM urls"),
}
LARGEST = 256 << 20
MOST = 100_000
WITHIN, STEPS = 20.0, 100_000
"""Seconds for a question to a database, and how many of its steps go by between looks at them."""


def end_browser(within: float) -> bool:
    """End the browser as closing its windows does: it puts off what it writes (settings, bookmarks,
    cookies, for up to half a minute), and where a signal ends it some of that is lost. Whether none
    holds the profile any more; one may stay that does not answer, or whose page asks whether to
    leave.
    """
    with contextlib.suppress(ToolError), connected() as browser:
        browser.call("Browser.close")
    profiles = [Path.home() / ".config" / name for name in PROFILES]
    return bool(wait_for(lambda: not any(profile_in_use(each) for each in profiles), within))


def _file(name: str) -> Optional[Path]:
    for profile in PROFILES:
        path = Path.home() / ".config" / profile / "Default" / name
        if path.is_file():
            return path
    return None


def profile_json(name: str) -> Optional[dict[str, Any]]:
    """A file of the profile, such as `Preferences`; None where there is none or it is no JSON."""
    path = _file(name)
    if path is None or path.stat().st_size > LARGEST:
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def profile_rows(table: str) -> Optional[list[list[Any]]]:
    """The rows of a table: `cookie_data` or `history`. Bytes are written in hexadecimal. None where
    there is no such database."""
    name, query = QUERIES[table]
    path = _file(name)
    if path is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        for beside in (path, *path.parent.glob(f"{name}-*")):
            if beside.is_file() and beside.stat().st_size <= LARGEST:
                shutil.copy(beside, folder)
        try:
            with closing(sqlite3.connect(Path(folder) / name)) as database:
                # The browser's own tables never take long; a view may take for ever.
                end = time.monotonic() + WITHIN
                database.set_progress_handler(lambda: time.monotonic() > end, STEPS)
                rows = database.execute(query).fetchmany(MOST + 1)
        except sqlite3.Error:
            return None
    if len(rows) > MOST:
        raise ToolError(f"{name} has more than {MOST} rows.", code="too_much")
    return [[cell.hex() if isinstance(cell, bytes) else cell for cell in row] for row in rows]
