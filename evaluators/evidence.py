"""Bounded reading of collected files, which are untrusted content from a guest.

A file beyond a bound is refused with `UnreadableError`. Nothing is unpacked to disk, nothing is
executed, and an archive is measured before a library opens it.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from pathlib import Path

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.manifest import source_of

MIB = 1024 * 1024
LARGEST_FILE = 64 * MIB
LARGEST_UNPACKED = 128 * MIB
LARGEST_XML = 32 * MIB
"""Maximum size of one XML part in bytes: parsed as a tree it takes about ten times the memory."""
MOST_MEMBERS = 4096
PROPERTY_LIST = re.compile(
    rb'<!DOCTYPE plist PUBLIC "-//Apple(?: Computer)?//DTD PLIST 1\.0//EN"'
    rb' "https?://www\.apple\.com/DTDs/PropertyList-1\.0\.dtd">'
)
"""The one document type that real packages contain: that of printer settings saved on a Mac. It
declares nothing itself, and no library here fetches the address it names."""
BROKEN = (
    SyntaxError,  # raised by both lxml and ElementTree
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    OSError,  # a truncated stream; the content itself is in memory
    EOFError,
)
"""What the parsing libraries raise for a part that is missing or violates its schema, since they
have no exceptions of their own. Catch these around library calls only, never around an
evaluator."""


def read(evidence: Path, name: str, largest: int = LARGEST_FILE) -> bytes:
    """Read one collected file. Raises `UnreadableError` if it is absent, not a file or too large,
    or if its collection failed."""
    path = evidence / name
    source = source_of(evidence, name)
    if source and source.flaw:
        raise UnreadableError(f"{name} cannot be judged: {source.flaw}")
    # The host writes the evidence, but a link in it must not lead to another file of the host.
    if not path.resolve().is_relative_to(evidence.resolve()):
        raise UnreadableError(f"{name} points outside the evidence directory")
    try:
        if not path.is_file():
            raise UnreadableError(f"{name} was not collected: the file is missing")
        size = path.stat().st_size
        if size > largest:
            raise UnreadableError(f"{name} is too large to judge ({size} bytes, at most {largest})")
        return path.read_bytes()
    except OSError as error:
        raise UnreadableError(f"{name} cannot be read: {error.strerror}") from error


def read_text(evidence: Path, name: str, largest: int = 8 * MIB) -> str:
    """Read one collected file as UTF-8 text."""
    try:
        return read(evidence, name, largest).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{name} is not UTF-8 text (byte {error.start})") from error


def read_package(evidence: Path, name: str) -> io.BytesIO:
    """Read an office package (xlsx, docx, odt, …) and check that it is safe for a library to open:
    no zip bomb, no DTD."""
    return package(read(evidence, name), name)


def package(data: bytes, name: str) -> io.BytesIO:
    """Like `read_package`, for bytes that are already in memory; `name` is used in messages."""
    content = io.BytesIO(data)
    try:
        with zipfile.ZipFile(content) as archive:
            members = archive.infolist()
            if len(members) > MOST_MEMBERS:
                raise UnreadableError(f"{name} has {len(members)} members, at most {MOST_MEMBERS}")
            if sum(member.file_size for member in members) > LARGEST_UNPACKED:
                raise UnreadableError(f"{name} unpacks to more than {LARGEST_UNPACKED} bytes")
            names = [member.filename for member in members]
            if len(set(names)) != len(names):
                raise UnreadableError(f"{name} has two members with the same name")
            for member in members:
                _measure(archive, member, name)
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,
        EOFError,
        OSError,
    ) as error:
        # zipfile raises these for: not an archive, unknown compression, a password, a broken
        # stream.
        raise UnreadableError(f"{name} is not an intact office file: {error}") from error
    content.seek(0)
    return content


def _measure(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> None:
    """Decompress one member and discard it; zipfile stops at the declared size and checks CRCs."""
    part = f"{member.filename} of {name}"
    markup = member.filename.endswith((".xml", ".rels", ".rdf"))
    if markup and member.file_size > LARGEST_XML:
        raise UnreadableError(f"{part} is larger than {LARGEST_XML} bytes")
    tail = b""
    with archive.open(member) as stream:
        while block := stream.read(MIB):
            # In another encoding, a document type would escape the search below.
            if markup and not tail and not _is_utf8_markup(block[:256]):
                raise UnreadableError(f"{part} is not XML in UTF-8")
            # Office formats have no document type; one that is there is meant to expand entities.
            if b"<!DOCTYPE" in (tail + block if markup else PROPERTY_LIST.sub(b"", tail + block)):
                raise UnreadableError(f"{part} declares a document type")
            tail = block[-16:]


def _is_utf8_markup(head: bytes) -> bool:
    declared = re.search(rb"encoding\s*=\s*[\"']([^\"']*)", head)
    encoding = declared[1].lower() if declared else b"utf-8"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(b"<") and b"\0" not in head and encoding in {b"utf-8", b"us-ascii"}
