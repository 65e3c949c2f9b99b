"""Collected files are content a guest made: read here within bounds, or refused with
`UnreadableError`.

Nothing is unpacked to disk, nothing is run, and an archive is measured before a library opens it.
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
"""One XML part: parsed as a tree it takes some ten times as much memory."""
MOST_MEMBERS = 4096
PROPERTY_LIST = re.compile(
    rb'<!DOCTYPE plist PUBLIC "-//Apple(?: Computer)?//DTD PLIST 1\.0//EN"'
    rb' "https?://www\.apple\.com/DTDs/PropertyList-1\.0\.dtd">'
)
"""The one document type that packages do hold: of printer settings saved on a Mac. It declares
nothing itself, and no library here fetches what it names."""
BROKEN = (
    SyntaxError,  # of lxml and ElementTree both
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    OSError,  # of a stream that ends too soon: the content itself is in memory
    EOFError,
)
"""What the libraries raise for a part that is missing or against its schema: they have no error of
their own. Caught around the library's calls alone, never around an evaluator's."""


def read(evidence: Path, name: str, largest: int = LARGEST_FILE) -> bytes:
    """The bytes of one collected file; `UnreadableError` where it is absent, no file or too large,
    or where collecting it went wrong."""
    path = evidence / name
    source = source_of(evidence, name)
    if source and source.flaw:
        raise UnreadableError(f"{name} cannot be judged: {source.flaw}")
    # Evidence is written by the host, but a link in it must not lead to another file of the host.
    if not path.resolve().is_relative_to(evidence.resolve()):
        raise UnreadableError(f"{name} leads out of the evidence")
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
    """The text of one collected file, which must be UTF-8."""
    try:
        return read(evidence, name, largest).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{name} is not UTF-8 text (byte {error.start})") from error


def read_package(evidence: Path, name: str) -> io.BytesIO:
    """An office package (xlsx, docx, odt, …) that a library may open: no zip bomb, no DTD."""
    return package(read(evidence, name), name)


def package(held: bytes, name: str) -> io.BytesIO:
    """The same of bytes that were read already; `name` is for the reasons."""
    content = io.BytesIO(held)
    try:
        with zipfile.ZipFile(content) as archive:
            members = archive.infolist()
            if len(members) > MOST_MEMBERS:
                raise UnreadableError(f"{name} has {len(members)} members, at most {MOST_MEMBERS}")
            if sum(each.file_size for each in members) > LARGEST_UNPACKED:
                raise UnreadableError(f"{name} unpacks to more than {LARGEST_UNPACKED} bytes")
            names = [each.filename for each in members]
            if len(set(names)) != len(names):
                raise UnreadableError(f"{name} holds two members of one name")
            for each in members:
                _measure(archive, each, name)
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,
        EOFError,
        OSError,
    ) as error:
        # zipfile's own words for: no archive, unknown compression, a password, a broken stream.
        raise UnreadableError(f"{name} is not a whole office file: {error}") from error
    content.seek(0)
    return content


def _measure(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> None:
    """Unpack one member into nothing: zipfile stops at the declared size and checks the sum."""
    part = f"{member.filename} of {name}"
    markup = member.filename.endswith((".xml", ".rels", ".rdf"))
    if markup and member.file_size > LARGEST_XML:
        raise UnreadableError(f"{part} is larger than {LARGEST_XML} bytes")
    tail = b""
    with archive.open(member) as stream:
        while block := stream.read(MIB):
            # In another encoding a document type could hide from the search below.
            if markup and not tail and not _is_utf8_markup(block[:256]):
                raise UnreadableError(f"{part} is not XML in UTF-8")
            # Office formats have no document type: whoever writes one wants entities expanded.
            if b"<!DOCTYPE" in (tail + block if markup else PROPERTY_LIST.sub(b"", tail + block)):
                raise UnreadableError(f"{part} declares a document type")
            tail = block[-16:]


def _is_utf8_markup(head: bytes) -> bool:
    declared = re.search(rb"encoding\s*=\s*[\"']([^\"']*)", head)
    encoding = declared[1].lower() if declared else b"utf-8"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(b"<") and b"\0" not in head and encoding in {b"utf-8", b"us-ascii"}
