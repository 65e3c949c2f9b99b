"""Archives of assets: measured before anything is unpacked, and nothing leaves its folder."""

from __future__ import annotations

import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO

from ambidex.host.errors import UsageError

__all__ = ["unpacked"]

MOST_MEMBERS = 100_000
LARGEST = 64 << 30
"""Bytes of all files together."""
RATIO = 200
"""How much larger than the archive its files may be."""

Member = tuple[str, int, Callable[[], IO[bytes]]]


def unpacked(archive: Path, folder: Path) -> None:
    """Unpack the files of a ZIP or tar archive; `UsageError` where it is too much, or where a
    member is no plain file in its own place."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as opened:
            infos = [info for info in opened.infolist() if not info.is_dir()]
            members = [(info.filename, info.file_size, _reader(opened, info)) for info in infos]
            _unpack(archive, members, folder)
    else:
        with tarfile.open(archive) as opened_tar:
            entries = [entry for entry in opened_tar.getmembers() if not entry.isdir()]
            if odd := [entry.name for entry in entries if not entry.isfile()]:
                raise UsageError(f"{archive}: {odd[0]} is no plain file")
            found = [(entry.name, entry.size, _tar_reader(opened_tar, entry)) for entry in entries]
            _unpack(archive, found, folder)


def _reader(opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: opened.open(info)


def _tar_reader(opened: tarfile.TarFile, entry: tarfile.TarInfo) -> Callable[[], IO[bytes]]:
    def read() -> IO[bytes]:
        found = opened.extractfile(entry)
        assert found is not None  # it is a plain file
        return found

    return read


def _unpack(archive: Path, members: list[Member], folder: Path) -> None:
    size = sum(member[1] for member in members)
    if len(members) > MOST_MEMBERS or size > LARGEST:
        raise UsageError(f"{archive} holds {len(members)} files with {size} bytes: too much")
    if size > RATIO * max(archive.stat().st_size, 1 << 20):
        raise UsageError(f"{archive} unpacks to {size} bytes: no archive of assets does that")
    if size > shutil.disk_usage(folder).free:
        raise UsageError(f"{archive} unpacks to {size} bytes, and {folder} has not that much room")
    for name, expected, read in members:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts:
            raise UsageError(f"{archive}: {name} leads out of the archive")
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with read() as source, target.open("wb") as to:
            shutil.copyfileobj(_Bounded(source, expected, archive, name), to)


class _Bounded:
    """A stream that ends where its member said that it would."""

    def __init__(self, source: IO[bytes], left: int, archive: Path, name: str) -> None:
        self._source = source
        self._left = left
        self._said = f"{archive}: {name} is larger than it says"

    def read(self, size: int = -1) -> bytes:
        """The next block."""
        block = self._source.read(size)
        self._left -= len(block)
        if self._left < 0:
            raise UsageError(self._said)
        return block
