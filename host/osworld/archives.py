"""Safe unpacking of asset archives: sizes are checked first, and no file leaves the folder."""

from __future__ import annotations

import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO

from ambidex.host.errors import UsageError

__all__ = ["unpack"]

MOST_MEMBERS = 100_000
LARGEST = 64 << 30
"""Largest total size of the files, in bytes."""
RATIO = 200
"""Largest ratio of the files' total size to the archive's."""

Member = tuple[str, int, Callable[[], IO[bytes]]]


def unpack(archive: Path, folder: Path) -> None:
    """Unpack the files of a ZIP or tar archive. Raises `UsageError` if it is too large, or if a
    member is not a plain file inside the folder."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zip_file:
            infos = [info for info in zip_file.infolist() if not info.is_dir()]
            members = [(info.filename, info.file_size, _reader(zip_file, info)) for info in infos]
            _unpack(archive, members, folder)
    else:
        with tarfile.open(archive) as tar_file:
            entries = [entry for entry in tar_file.getmembers() if not entry.isdir()]
            if odd := [entry.name for entry in entries if not entry.isfile()]:
                raise UsageError(f"{archive}: not a plain file: {odd[0]}")
            tar_members = [
                (entry.name, entry.size, _tar_reader(tar_file, entry)) for entry in entries
            ]
            _unpack(archive, tar_members, folder)


def _reader(opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: opened.open(info)


def _tar_reader(opened: tarfile.TarFile, entry: tarfile.TarInfo) -> Callable[[], IO[bytes]]:
    def read() -> IO[bytes]:
        file = opened.extractfile(entry)
        assert file is not None  # it is a plain file
        return file

    return read


def _unpack(archive: Path, members: list[Member], folder: Path) -> None:
    size = sum(member[1] for member in members)
    if len(members) > MOST_MEMBERS or size > LARGEST:
        raise UsageError(f"{archive} is too large: {len(members)} files with {size} bytes")
    if size > RATIO * max(archive.stat().st_size, 1 << 20):
        raise UsageError(
            f"{archive} would unpack to {size} bytes, more than {RATIO} times its size"
        )
    if size > shutil.disk_usage(folder).free:
        raise UsageError(f"not enough space in {folder} for the {size} bytes of {archive}")
    for name, expected, read in members:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts:
            raise UsageError(f"{archive}: the path {name} leads out of the folder")
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with read() as source, target.open("wb") as to:
            shutil.copyfileobj(_Bounded(source, expected, archive, name), to)


class _Bounded:
    """A stream that raises `UsageError` if it is longer than its member's declared size."""

    def __init__(self, source: IO[bytes], left: int, archive: Path, name: str) -> None:
        self._source = source
        self._left = left
        self._error = f"{archive}: {name} is larger than declared"

    def read(self, size: int = -1) -> bytes:
        """Read the next block."""
        block = self._source.read(size)
        self._left -= len(block)
        if self._left < 0:
            raise UsageError(self._error)
        return block
