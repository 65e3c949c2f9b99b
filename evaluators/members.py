"""Archives (zip; tar, plain or compressed) as the files in them: in memory, within bounds."""

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
    """What unpacks while it is read."""

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
"""The libraries' words for: no archive, unknown compression, a password, a broken stream."""


def members(content: bytes, name: str) -> dict[str, bytes]:
    """Every file of the archive by its path in it, without a leading "./"; folders are left out.

    `UnreadableError` where it is no whole archive, larger than the bounds, holds two files of one
    name or what is no file (a link, a device). The ending of `name` says what it is, as it does for
    programs that unpack it.
    """
    wrapped = [each for ending, each in TARS.items() if name.lower().endswith(ending)]
    found: dict[str, bytes] = {}
    unpacked = 0
    try:
        parts = _tar(content, wrapped[-1], name) if wrapped else _zip(content, name)
        for path, part in parts:
            if path in found:
                raise UnreadableError(f"{name} holds two members of one name")
            found[path] = part
            unpacked += len(part)
            if unpacked > LARGEST_UNPACKED:
                raise UnreadableError(f"{name} unpacks to more than {LARGEST_UNPACKED} bytes")
    except BROKEN as error:
        raise UnreadableError(f"{name} is not a whole archive: {error}") from error
    return found


def _zip(content: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        listed = archive.infolist()
        _count(len(listed), name)
        for each in listed:
            if not each.is_dir():
                with archive.open(each) as stream:
                    yield each.filename.removeprefix("./"), _read(stream, name)


def _tar(
    content: bytes, unwrap: Callable[[io.BytesIO], Stream], name: str
) -> Iterator[tuple[str, bytes]]:
    # Unpacked before the library looks: it believes the sizes that headers declare.
    plain = _read(unwrap(io.BytesIO(content)), name)
    with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as archive:
        for number, each in enumerate(archive, start=1):
            _count(number, name)
            if each.isdir():
                continue
            stream = archive.extractfile(each) if each.isreg() else None
            if stream is None:
                raise tarfile.ReadError(f"{each.name} in it is no file")
            yield each.name.removeprefix("./"), stream.read()


def _read(stream: Stream, name: str) -> bytes:
    # Read past the bound by one byte: enough to know.
    held = stream.read(LARGEST_UNPACKED + 1)
    if len(held) > LARGEST_UNPACKED:
        raise UnreadableError(f"{name} unpacks to more than {LARGEST_UNPACKED} bytes")
    return held


def _count(number: int, name: str) -> None:
    if number > MOST_MEMBERS:
        raise UnreadableError(f"{name} has more than {MOST_MEMBERS} members")
