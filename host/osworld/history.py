"""Browser histories: the benchmark's empty database with visits inserted."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ambidex.host.client.guest import Guest
from ambidex.host.errors import StageError
from ambidex.host.osworld.shutdown import end_browser
from ambidex.tasks.assets import AssetStore
from ambidex.tasks.osworld.setup_steps import BrowseHistory
from ambidex.tasks.osworld.task import EMPTY_HISTORY

__all__ = ["PLACE", "filled", "install_history"]

PLACE = "~/.config/google-chrome/Default/History"
EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
"""Start of the browser's microsecond timestamps."""
LINK = 0x30000000
"""The browser's transition code for a visit by a link, first and last of its redirect chain."""


def install_history(guest: Guest, store: AssetStore, step: BrowseHistory) -> None:
    """Install a history in the guest's browser. A running browser is closed first: it would
    overwrite the history, or leave a journal that is rolled back into it.
    """
    empty = store.at(EMPTY_HISTORY)
    if empty is None:
        hint = "Use `ambidex assets fetch` or `ambidex assets import`."
        raise StageError(f"the asset {EMPTY_HISTORY} is not in the store", hint=hint)
    end_browser(guest)
    guest.put(PLACE, filled(empty.read_bytes(), step, datetime.now(UTC)))


def filled(empty: bytes, step: BrowseHistory, now: datetime) -> bytes:
    """The database with the visits inserted, at their times relative to `now`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "History"
        path.write_bytes(empty)
        with closing(sqlite3.connect(path)) as database:
            for visit in step.history:
                when = now - timedelta(seconds=visit.visit_time_from_now_in_seconds)
                stamp = (when - EPOCH) // timedelta(microseconds=1)
                row = database.execute(
                    "INSERT INTO urls (url, title, visit_count, typed_count, last_visit_time, "
                    "hidden) VALUES (?, ?, 1, 0, ?, 0)",
                    (visit.url, visit.title, stamp),
                )
                database.execute(
                    "INSERT INTO visits (url, visit_time, from_visit, transition, segment_id, "
                    "visit_duration) VALUES (?, ?, 0, ?, 0, 0)",
                    (row.lastrowid, stamp, LINK),
                )
            database.commit()
        return path.read_bytes()
