"""The files that a metric is given, read within the bounds of `evaluators.evidence`."""

from __future__ import annotations

import io
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from docx.opc.exceptions import OpcError
from openpyxl.utils.exceptions import InvalidFileException
from PIL import Image

from ambidex.evaluators import UnreadableError, evidence
from ambidex.evaluators.evidence import BROKEN, LARGEST_FILE, MIB
from ambidex.evaluators.osworld import Value

LIBRARIES = (
    InvalidFileException,
    OpcError,
    Image.DecompressionBombError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    RecursionError,
    NotImplementedError,
)
"""What `evidence.BROKEN` leaves out of what the libraries raise for a broken file."""

RAISED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    NotImplementedError,
    TypeError,
    ValueError,
)
"""What the libraries raise where a file lacks what they are asked for; upstream may end in it."""

__all__ = ["RAISED", "decoded", "file", "held", "library", "lines", "office", "text"]


def file(value: Value) -> Path:
    """The collected file; `UnreadableError` where a getter gave none."""
    if not isinstance(value, Path):
        raise UnreadableError(f"a file is judged here, not {value!r:.100}")
    return value


def held(value: Value, largest: int = LARGEST_FILE) -> bytes:
    """The bytes of the file."""
    path = file(value)
    return evidence.read(path.parent, path.name, largest)


def text(value: Value, largest: int = 8 * MIB) -> str:
    """The text of the file, which must be UTF-8; every line ends in one newline."""
    return decoded(held(value, largest), file(value).name)


def decoded(content: bytes, name: str) -> str:
    """The same of bytes that were read already."""
    try:
        said = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{name} is not UTF-8 text (byte {error.start})") from error
    return said.replace("\r\n", "\n").replace("\r", "\n")


def lines(said: str) -> list[str]:
    """The lines of a text with their ends, as a file is iterated (other breaks do not count)."""
    return list(io.StringIO(said))


def office(value: Value) -> io.BytesIO:
    """An office package that a library may open."""
    path = file(value)
    return evidence.read_package(path.parent, path.name)


@contextmanager
def library(name: str) -> Iterator[None]:
    """Around a library's calls alone: what it raises is `UnreadableError`, what it warns of is its
    own business."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (*BROKEN, *LIBRARIES) as error:
        raise UnreadableError(
            f"{name} is not a readable file of its kind: {error!r:.300}"
        ) from error
