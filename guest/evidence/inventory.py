"""Takes inventories of the files that the desktop user can change; two of them show what changed.

Files are compared by content, whatever their size. A file is read again only if its time of change
(ctime), which ordinary users cannot set, differs from the last inventory's.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Inventory"]

PLACES = ("/tmp", "/var/tmp")
"""Folders that every user may write to; they follow the home folder."""
MOST = 200_000
"""Maximum number of entries; more are refused, which is evidence too."""
WITHIN = 100.0
"""Maximum time in seconds."""
YOUNG = 1.0
"""Seconds before an inventory in which a change may have the same ctime as one after it."""
BLOCK = 1 << 20


class FileVersion(NamedTuple):
    """Identifies the content of a file at one time."""

    device: int
    number: int
    size: int
    changed: int


class Inventory:
    """Takes inventories, and caches hashes so that only changed files are read again."""

    def __init__(self) -> None:
        self._hashes: dict[FileVersion, str] = {}

    def take(self, home: Path) -> dict[str, Any]:
        """Take an inventory: `{"files", "refused"}`.

        `files` maps each path to a hash of the content and the permissions, `folder`, `-> TARGET`,
        or the kind of a special file. `refused` says why the list is incomplete, if it is.
        """
        began, wall = time.monotonic(), time.time()
        files: dict[str, str] = {}
        refused = ""
        hashes: dict[FileVersion, str] = {}
        for path, about in entries([str(home), *PLACES]):
            if len(files) >= MOST:
                refused = f"there are more than {MOST:,} files"
            elif time.monotonic() - began > WITHIN:
                refused = f"they could not be read within {WITHIN:g} s"
            if refused:
                break
            name = os.fsencode(path).decode(errors="backslashreplace")
            files[name] = self._state(path, about, wall, hashes)
        self._hashes = hashes
        return {"files": files, "refused": refused}

    def _state(
        self, path: str, about: os.stat_result, now: float, hashes: dict[FileVersion, str]
    ) -> str:
        mode = about.st_mode
        if stat.S_ISDIR(mode):
            return "folder"
        if stat.S_ISLNK(mode):
            return f"-> {link_target(path)}"
        if not stat.S_ISREG(mode):
            return f"special {stat.S_IFMT(mode):o}"
        version = FileVersion(about.st_dev, about.st_ino, about.st_size, about.st_ctime_ns)
        content = self._hashes.get(version)
        if content is None:
            content = digest(path, about)
        if now - about.st_ctime > YOUNG:
            hashes[version] = content
        return f"{content} {about.st_mode & 0o7777:o}"


def entries(roots: list[str]) -> Iterator[tuple[str, os.stat_result]]:
    """Every path in these folders with its status, recursively; links are not followed."""
    folders = [each for each in roots if os.path.isdir(each) and not os.path.islink(each)]
    while folders:
        folder = folders.pop()
        try:
            listed = list(os.scandir(folder))
        except OSError:
            continue
        for entry in listed:
            try:
                about = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if stat.S_ISDIR(about.st_mode):
                folders.append(entry.path)
                yield entry.path + "/", about
            else:
                yield entry.path, about


def link_target(path: str) -> str:
    """The target of a link; empty if it cannot be read."""
    try:
        return os.fsencode(os.readlink(path)).decode(errors="backslashreplace")
    except OSError:
        return ""


def digest(path: str, about: os.stat_result) -> str:
    """A hash of the file's content; the reason if it cannot be read or has been replaced."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        return f"unread {error.errno}"
    with open(number, "rb", buffering=0) as file:
        now = os.fstat(number)
        if (now.st_dev, now.st_ino) != (about.st_dev, about.st_ino):
            return "replaced"
        # Holes are not read: a file of many gigabytes may contain no data.
        if now.st_size > about.st_blocks * 512 + BLOCK:
            return sparse(number, now.st_size)
        total = hashlib.blake2b(digest_size=16)
        while block := file.read(BLOCK):
            total.update(block)
    return total.hexdigest()


def sparse(number: int, size: int) -> str:
    """A hash of a file with holes: of the positions and content of its data."""
    total, at = hashlib.blake2b(digest_size=16), 0
    while at < size:
        try:
            begin = os.lseek(number, at, os.SEEK_DATA)
            end = os.lseek(number, begin, os.SEEK_HOLE)
        except OSError:
            break
        total.update(f"{begin} {end} ".encode())
        for offset in range(begin, end, BLOCK):
            total.update(os.pread(number, min(BLOCK, end - offset), offset))
        at = end
    return f"sparse {total.hexdigest()}"
