"""Files that are either whole or not there."""

from __future__ import annotations

import os
import threading
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file, or replace it: a reader sees the old content or the new one, also after a
    crash. Several threads and processes may write the same file at the same time; the last one
    wins. Directories are made as needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    staging = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.new")
    try:
        with staging.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        staging.replace(path)
    finally:
        staging.unlink(missing_ok=True)
