"""Access to the files passed to a metric, within the bounds of `evaluators.evidence`."""

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
"""Exceptions of the libraries for a broken file, in addition to `evidence.BROKEN`."""

RAISED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    NotImplementedError,
    TypeError,
    ValueError,
)
"""Exceptions of the libraries if a file lacks the requested part; upstream may end in them."""

__all__ = ["RAISED", "decode", "file", "library", "lines", "office", "read_bytes", "text"]


def file(value: Value) -> Path:
    """The path of the collected file; `UnreadableError` if the value is not a file."""
    if not isinstance(value, Path):
        raise UnreadableError(f"expected a file, not {value!r:.100}")
    return value


def read_bytes(value: Value, largest: int = LARGEST_FILE) -> bytes:
    """Read the bytes of the file."""
    path = file(value)
    return evidence.read(path.parent, path.name, largest)


def text(value: Value, largest: int = 8 * MIB) -> str:
    """Read the file as UTF-8, with every line end as a newline."""
    return decode(read_bytes(value, largest), file(value).name)


def decode(content: bytes, name: str) -> str:
    """Decode bytes as `text` does; `name` is for the error message."""
    try:
        source = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{name} is not UTF-8 text (byte {error.start})") from error
    return source.replace("\r\n", "\n").replace("\r", "\n")


def lines(source: str) -> list[str]:
    """The lines of a text with their ends, as iterating over a file yields them."""
    return list(io.StringIO(source))


def office(value: Value) -> io.BytesIO:
    """An office package that has been checked and that a library may open."""
    path = file(value)
    return evidence.read_package(path.parent, path.name)


@contextmanager
def library(name: str) -> Iterator[None]:
    """Wrap calls of a parsing library: its exceptions become `UnreadableError`, its warnings are
    ignored. Use it around library calls only."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (*BROKEN, *LIBRARIES) as error:
        raise UnreadableError(
            f"{name} is not a readable file of its type: {error!r:.300}"
        ) from error
