"""Hashes of the files that a task consists of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from ambidex.evaluators.registry import SHARED

__all__ = ["content_hash", "files_of", "hash_of_files", "task_hash"]


def files_of(folder: Path) -> list[Path]:
    """All files in a directory but compiled Python, sorted by path."""
    paths = (path for path in folder.rglob("*") if "__pycache__" not in path.parts)
    return sorted(path for path in paths if path.is_file())


def content_hash(folder: Path) -> str:
    """SHA-256 over the relative paths and contents of all files in a directory, sorted by path."""
    return hash_of_files((path.relative_to(folder).as_posix(), path) for path in files_of(folder))


def task_hash(folder: Path) -> str:
    """SHA-256 over everything that a task consists of: its directory and, if its TOML files name
    any, the files that the suite's tasks share."""
    named = any(SHARED in path.read_text("utf-8", "replace") for path in folder.glob("*.toml"))
    if not named:
        return content_hash(folder)
    shared = folder / SHARED
    return hash_of_files(
        (path.relative_to(folder).as_posix(), path) for path in files_of(folder) + files_of(shared)
    )


def hash_of_files(files: Iterable[tuple[str, Path]]) -> str:
    """SHA-256 over names and contents of files, in the order given."""
    total = hashlib.sha256()
    for name, path in files:
        content = path.read_bytes()
        total.update(b"%d:%s%d:" % (len(name.encode()), name.encode(), len(content)))
        total.update(content)
    return total.hexdigest()
