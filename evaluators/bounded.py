"""Parsers for untrusted content, each with a bound on its cost.

`evaluators.evidence` uses them for collected files, `host.untrusted` for the guest's answers,
`host.dialects` and `toolgen.gate` for what a model wrote.
Whatever the bytes are, the only exception raised is `BoundsError`.
"""

from __future__ import annotations

import ast
import base64
import binascii
import io
import json
import math
import re
import struct
import threading
import zlib
from collections.abc import Callable
from typing import Any, TypeVar

from PIL import Image

__all__ = [
    "DEEPEST",
    "PICTURES",
    "BoundsError",
    "decode_base64",
    "inflate",
    "open_picture",
    "parse_expression",
    "parse_json",
    "parse_python",
    "without_surrogates",
]

T = TypeVar("T")
LARGEST_JSON = 64 << 20
"""Maximum size of a JSON text in bytes."""
LARGEST_PYTHON = 1 << 20
"""Maximum length of a Python text, in characters or bytes."""
DEEPEST = 100
"""Maximum nesting of arrays and objects."""
MOST_VALUES = 2_000_000
"""Maximum number of values in a JSON text, counted by separators: each takes up to 80 bytes or
so of memory."""
MOST_PIXELS = 1 << 25
"""Maximum number of pixels of one picture: a screen of 7680x4320 has fewer."""
PICTURES = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
"""Formats that Pillow decodes itself, without starting another program."""
SURROGATE = re.compile("[\ud800-\udfff]")
MAYBE_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
BROKEN_PICTURE = (
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    TypeError,
    LookupError,
    ArithmeticError,
    struct.error,
    Image.DecompressionBombError,
)
"""Exceptions that Pillow raises for a picture that is broken or too large."""
UNPARSED = (SyntaxError, ValueError, RecursionError, MemoryError)
"""Exceptions that Python's parser raises: `MemoryError` for brackets nested too deeply."""
ONE_PARSER = threading.Lock()
"""CPython before 3.12 counts the depth of a syntax tree for all threads together, and can raise
`SystemError` if one parses while another does: https://github.com/python/cpython/issues/106905"""


class BoundsError(ValueError):
    """The content is malformed, or reading it would cost more than its bound."""


def parse_json(
    source: str | bytes,
    *,
    largest: int = LARGEST_JSON,
    deepest: int = DEEPEST,
    most: int = MOST_VALUES,
    finite: bool = True,
) -> Any:
    """Parse a JSON text in UTF-8.

    Lone surrogates become escapes such as `\\udcff`, so that the value can be written as UTF-8.
    With `finite`, NaN, Infinity and numbers that overflow a float are refused. Raises
    `BoundsError`.
    """
    if len(source) > largest:
        raise BoundsError(f"JSON of {len(source)} bytes: at most {largest} are read")
    values = sum(source.count(separator) for separator in _separators(source))
    if values > most:
        raise BoundsError(f"JSON of about {values} values: at most {most} are read")
    try:
        text = source.decode("utf-8-sig") if isinstance(source, bytes) else source
        value = STRICT.decode(text) if finite else json.loads(text)
    except RecursionError:
        raise BoundsError(f"JSON nested more than {deepest} deep") from None
    except ValueError as error:
        raise BoundsError(f"not JSON: {_short(error)}") from None
    if MAYBE_SURROGATE.search(text):
        _check_depth(value, deepest)
        return _escape_surrogates(value)
    if text.count("[") + text.count("{") > deepest:
        _check_depth(value, deepest)
    return value


def _separators(source: str | bytes) -> tuple[Any, ...]:
    return (b",", b"[", b"{") if isinstance(source, bytes) else (",", "[", "{")


def _reject_constant(constant: str) -> float:
    raise ValueError(f"{constant} is not a JSON number")


def _parse_finite(literal: str) -> float:
    number = float(literal)
    if not math.isfinite(number):
        raise ValueError(f"the number {literal:.20} is too large")
    return number


STRICT = json.JSONDecoder(parse_constant=_reject_constant, parse_float=_parse_finite)


def _short(error: ValueError) -> str:
    return str(error)[:200]


def _check_depth(value: object, deepest: int) -> None:
    level = [value]
    for _ in range(deepest):
        nested: list[object] = []
        for container in level:
            if isinstance(container, dict):
                nested += (item for item in container.values() if isinstance(item, dict | list))
            elif isinstance(container, list):
                nested += (item for item in container if isinstance(item, dict | list))
        if not nested:
            return
        level = nested
    raise BoundsError(f"JSON nested more than {deepest} deep")


def _escape_surrogates(value: Any) -> Any:
    """A copy of the value with lone surrogates escaped. The caller has checked its depth."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, list):
        return [_escape_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {
            without_surrogates(key): _escape_surrogates(member) for key, member in value.items()
        }
    return value


def without_surrogates(text: str) -> str:
    """Replace each lone surrogate by its escape (`\\udcff`), so that the text can be encoded as
    UTF-8."""
    if not SURROGATE.search(text):
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def parse_python(
    source: str | bytes, file: str = "<unknown>", *, feature_version: tuple[int, int] | None = None
) -> ast.Module:
    """The syntax tree of a module, in the grammar of that version of Python or of the running one.
    The cause of a `BoundsError` is the parser's own exception."""
    return _syntax_tree(source, lambda: ast.parse(source, file, feature_version=feature_version))


def parse_expression(source: str) -> ast.expr:
    """The syntax tree of one expression, which may have spaces around it."""
    return _syntax_tree(source, lambda: ast.parse(source.strip(), mode="eval")).body


def _syntax_tree(source: str | bytes, parse: Callable[[], T]) -> T:
    if len(source) > LARGEST_PYTHON:
        raise BoundsError(f"Python of length {len(source)}: at most {LARGEST_PYTHON} is read")
    try:
        with ONE_PARSER:
            return parse()
    except UNPARSED as error:
        raise BoundsError(f"not Python: {str(error)[:200]}") from error


def inflate(body: bytes, size: int) -> bytes:
    """Decompress a zlib stream of exactly `size` bytes.

    Raises `BoundsError` for any other size, without inflating more than one byte beyond it.
    """
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(body, size + 1)
    except zlib.error as error:
        raise BoundsError(f"not a zlib stream: {error}") from None
    if len(content) > size:
        raise BoundsError(f"inflates to more than {size} bytes")
    if len(content) < size or not stream.eof:
        raise BoundsError(f"inflates to {len(content)} bytes, not {size}, or is cut off")
    return content


def open_picture(
    content: bytes, *, formats: tuple[str, ...] = PICTURES, pixels: int = MOST_PIXELS
) -> Image.Image:
    """Open a picture of one of these formats with at most `pixels` pixels, without decoding it.

    Decoding it later raises Pillow's own exceptions: see `BROKEN_PICTURE`.
    """
    try:
        picture = Image.open(io.BytesIO(content), formats=formats)
    except BROKEN_PICTURE as error:
        raise BoundsError(f"not a readable picture: {str(error)[:200]}") from None
    if picture.width * picture.height > pixels:
        raise BoundsError(
            f"a picture of {picture.width}x{picture.height} has more than {pixels} pixels"
        )
    return picture


def decode_base64(text: str, largest: int) -> bytes:
    """Decode a base64 text of at most `largest` bytes."""
    if len(text) > largest // 3 * 4 + 4:
        raise BoundsError(f"{len(text)} characters of base64 hold more than {largest} bytes")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BoundsError(f"not base64: {error}") from None
