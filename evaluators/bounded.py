"""Parsers for content that a guest made, each with a bound on what it may cost.

Both halves of the project that read such content use them: `evaluators.evidence` for collected
files, `host.untrusted` for what a guest answers. Whatever the bytes are, the only exception is
`BoundsError`.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import math
import re
import struct
import zlib
from typing import Any

from PIL import Image

__all__ = [
    "DEEPEST",
    "PICTURES",
    "BoundsError",
    "decode_base64",
    "inflate",
    "open_picture",
    "parse_json",
    "without_surrogates",
]

LARGEST_JSON = 64 << 20
"""Bytes of a JSON text."""
DEEPEST = 100
"""Arrays and objects inside each other."""
MOST_VALUES = 2_000_000
"""Values of a JSON text, counted by what separates them: each takes up to some 80 bytes."""
MOST_PIXELS = 1 << 25
"""Of one picture: a screen of 7680x4320 has fewer."""
PICTURES = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
"""Formats that Pillow decodes by itself, starting no other program."""
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
"""What Pillow raises for a picture that is broken or too large."""


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
    """The value of a JSON text in UTF-8. Lone surrogates in it become their escapes, such as
    `\\udcff`, so that the value can be written as UTF-8. With `finite`, NaN, Infinity and numbers
    that overflow a float are refused.
    """
    if len(source) > largest:
        raise BoundsError(f"{len(source)} bytes of JSON, at most {largest}")
    values = sum(source.count(mark) for mark in _marks(source))
    if values > most:
        raise BoundsError(f"about {values} values of JSON, at most {most}")
    try:
        text = source.decode("utf-8-sig") if isinstance(source, bytes) else source
        value = STRICT.decode(text) if finite else json.loads(text)
    except RecursionError:
        raise BoundsError(f"JSON nested more than {deepest} deep") from None
    except ValueError as error:
        raise BoundsError(f"not JSON: {_short(error)}") from None
    if MAYBE_SURROGATE.search(text):
        _bound_depth(value, deepest)
        return _cleaned(value)
    if text.count("[") + text.count("{") > deepest:
        _bound_depth(value, deepest)
    return value


def _marks(source: str | bytes) -> tuple[Any, ...]:
    return (b",", b"[", b"{") if isinstance(source, bytes) else (",", "[", "{")


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON number")


def _finite(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"the number {written:.20} is too large")
    return number


STRICT = json.JSONDecoder(parse_constant=_refused, parse_float=_finite)


def _short(error: ValueError) -> str:
    return str(error)[:200]


def _bound_depth(value: object, deepest: int) -> None:
    level = [value]
    for _ in range(deepest):
        inner: list[object] = []
        for each in level:
            if isinstance(each, dict):
                inner += (item for item in each.values() if isinstance(item, dict | list))
            elif isinstance(each, list):
                inner += (item for item in each if isinstance(item, dict | list))
        if not inner:
            return
        level = inner
    raise BoundsError(f"JSON nested more than {deepest} deep")


def _cleaned(value: Any) -> Any:
    """The same without lone surrogates; the depth is bounded by now."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, list):
        return [_cleaned(each) for each in value]
    if isinstance(value, dict):
        return {without_surrogates(key): _cleaned(each) for key, each in value.items()}
    return value


def without_surrogates(text: str) -> str:
    """The text with each lone surrogate written as its escape (`\\udcff`), so that it is UTF-8."""
    if not SURROGATE.search(text):
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def inflate(body: bytes, size: int) -> bytes:
    """The `size` bytes that a zlib stream holds. A stream of more or fewer is refused, and of more
    no further byte is inflated.
    """
    stream = zlib.decompressobj()
    try:
        held = stream.decompress(body, size + 1)
    except zlib.error as error:
        raise BoundsError(f"not a zlib stream: {error}") from None
    if len(held) > size:
        raise BoundsError(f"inflates to more than {size} bytes")
    if len(held) < size or not stream.eof:
        raise BoundsError(f"inflates to {len(held)} bytes, not {size}, or is cut off")
    return held


def open_picture(
    content: bytes, *, formats: tuple[str, ...] = PICTURES, pixels: int = MOST_PIXELS
) -> Image.Image:
    """A picture of one of these formats with at most so many pixels; none of them is decoded yet.

    Decoding raises Pillow's own exceptions: see `BROKEN_PICTURE`.
    """
    try:
        picture = Image.open(io.BytesIO(content), formats=formats)
    except BROKEN_PICTURE as error:
        raise BoundsError(f"no picture that can be read: {str(error)[:200]}") from None
    if picture.width * picture.height > pixels:
        raise BoundsError(
            f"a picture of {picture.width}x{picture.height}: more than {pixels} pixels"
        )
    return picture


def decode_base64(text: str, largest: int) -> bytes:
    """The bytes of a base64 text, at most `largest` of them."""
    if len(text) > largest // 3 * 4 + 4:
        raise BoundsError(f"{len(text)} characters of base64: more than {largest} bytes")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BoundsError(f"not base64: {error}") from None
