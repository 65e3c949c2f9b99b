"""Bounded reading of archives (zip; tar, plain or compressed) into memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.evidence import LARGEST_UNPACKED, MOST_MEMBERS


class Stream(Protocol):
    """A stream that decompresses as it is read."""

    def read(self, size: int = ..., /) -> bytes:
        """The next bytes."""


TARS: dict[str, Callable[[io.BytesIO], Stream]] = {
    ".tar": lambda content: content,
    ".tar.gz": lambda content: gzip.GzipFile(fileobj=content),
    ".tgz": lambda content: gzip.GzipFile(fileobj=content),
    ".tar.bz2": bz2.BZ2File,
    ".tbz2": bz2.BZ2File,
    ".tar.xz": lzma.LZMAFile,
    ".txz": lzma.LZMAFile,
}
BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
)
"""What the libraries raise for a damaged archive, unknown compression or a password."""


def members(content: bytes, name: str) -> dict[str, bytes]:
    """Unpack an archive: the content of each file by its path, without a leading "./".

    Folders are left out. Raises `UnreadableError` if the archive is damaged, exceeds the bounds,
    has two files with the same name or contains anything but files and folders (a link, a device).
    The suffix of `name` determines the format, as it does for programs that unpack archives.
    """
    unwrappers = [unwrap for suffix, unwrap in TARS.items() if name.lower().endswith(suffix)]
    files: dict[str, bytes] = {}
    unpacked = 0
    try:
        parts = _tar(content, unwrappers[-1], name) if unwrappers else _zip(content, name)
        for path, part in parts:
            if path in files:
                raise UnreadableError(f"{name} has two members with the same name")
            files[path] = part
            unpacked += len(part)
            if unpacked > LARGEST_UNPACKED:
                raise UnreadableError(f"{name} unpacks to more than {LARGEST_UNPACKED} bytes")
    except BROKEN as error:
        raise UnreadableError(f"{name} is not an intact archive: {error}") from error
    return files


def _zip(content: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = archive.infolist()
        _check_count(len(entries), name)
        for entry in entries:
            if not entry.is_dir():
                with archive.open(entry) as stream:
                    yield entry.filename.removeprefix("./"), _read(stream, name)


def _tar(
    content: bytes, unwrap: Callable[[io.BytesIO], Stream], name: str
) -> Iterator[tuple[str, bytes]]:
    # Decompress first, because tarfile trusts the sizes that the headers declare.
    plain = _read(unwrap(io.BytesIO(content)), name)
    with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as archive:
        for number, entry in enumerate(archive, start=1):
            _check_count(number, name)
            if entry.isdir():
                continue
            stream = archive.extractfile(entry) if entry.isreg() else None
            if stream is None:
                raise tarfile.ReadError(f"its member {entry.name} is not a file")
            yield entry.name.removeprefix("./"), stream.read()


def _read(stream: Stream, name: str) -> bytes:
    # One byte past the bound is enough to detect an overflow.
    content = stream.read(LARGEST_UNPACKED + 1)
    if len(content) > LARGEST_UNPACKED:
        raise UnreadableError(f"{name} unpacks to more than {LARGEST_UNPACKED} bytes")
    return content


def _check_count(number: int, name: str) -> None:
    if number > MOST_MEMBERS:
        raise UnreadableError(f"{name} has more than {MOST_MEMBERS} members")
