"""Every file of the desktop user and of nobody in particular, so that two looks tell what changed.

A file is told by its content, whatever its size. Its time of change (ctime), which no ordinary user
can set, says whether it has to be read again since the last look.
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
"""Folders that everybody may write to; the home folder comes first."""
MOST = 200_000
"""Entries after which it is not gone on; so many are evidence of their own."""
WITHIN = 100.0
"""Seconds after which neither."""
YOUNG = 1.0
"""Seconds before a look in which a change may have the same time as another one after it."""
BLOCK = 1 << 20


class Known(NamedTuple):
    """What a file was when it was read."""

    device: int
    number: int
    size: int
    changed: int


class Inventory:
    """Looks again and again, and reads what changed in between."""

    def __init__(self) -> None:
        self._read: dict[Known, str] = {}

    def take(self, home: Path) -> dict[str, Any]:
        """`files` by path: a hash of the content and the permissions, `folder`, `-> TARGET`, or the
        kind of a special file. `refused` says why there is no more, if so: too many, too slow.
        """
        began, wall = time.monotonic(), time.time()
        files: dict[str, str] = {}
        refused = ""
        seen: dict[Known, str] = {}
        for path, about in entries([str(home), *PLACES]):
            if len(files) >= MOST:
                refused = f"there are more than {MOST:,} files"
            elif time.monotonic() - began > WITHIN:
                refused = f"they could not be read within {WITHIN:g} s"
            if refused:
                break
            name = os.fsencode(path).decode(errors="backslashreplace")
            files[name] = self._state(path, about, wall, seen)
        self._read = seen
        return {"files": files, "refused": refused}

    def _state(self, path: str, about: os.stat_result, now: float, seen: dict[Known, str]) -> str:
        mode = about.st_mode
        if stat.S_ISDIR(mode):
            return "folder"
        if stat.S_ISLNK(mode):
            return f"-> {target_of(path)}"
        if not stat.S_ISREG(mode):
            return f"special {stat.S_IFMT(mode):o}"
        known = Known(about.st_dev, about.st_ino, about.st_size, about.st_ctime_ns)
        content = self._read.get(known)
        if content is None:
            content = digest(path, about)
        if now - about.st_ctime > YOUNG:
            seen[known] = content
        return f"{content} {about.st_mode & 0o7777:o}"


def entries(roots: list[str]) -> Iterator[tuple[str, os.stat_result]]:
    """Everything below these folders with its status, no link followed and nothing left out."""
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


def target_of(path: str) -> str:
    """Where a link leads."""
    try:
        return os.fsencode(os.readlink(path)).decode(errors="backslashreplace")
    except OSError:
        return ""


def digest(path: str, about: os.stat_result) -> str:
    """The content of that very file, as a hash; what it is instead, if it is another by now."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        return f"unread {error.errno}"
    with open(number, "rb", buffering=0) as file:
        now = os.fstat(number)
        if (now.st_dev, now.st_ino) != (about.st_dev, about.st_ino):
            return "replaced"
        # Holes are not read: a file of many gigabytes may hold nothing.
        if now.st_size > about.st_blocks * 512 + BLOCK:
            return sparse(number, now.st_size)
        total = hashlib.blake2b(digest_size=16)
        while block := file.read(BLOCK):
            total.update(block)
    return total.hexdigest()


def sparse(number: int, size: int) -> str:
    """The same for a file with holes: where its data lies, and what it is."""
    total, at = hashlib.blake2b(digest_size=16), 0
    while at < size:
        try:
            begin = os.lseek(number, at, os.SEEK_DATA)
            end = os.lseek(number, begin, os.SEEK_HOLE)
        except OSError:
            break
        total.update(f"{begin} {end} ".encode())
        for place in range(begin, end, BLOCK):
            total.update(os.pread(number, min(BLOCK, end - place), place))
        at = end
    return f"sparse {total.hexdigest()}"
