"""Parse bytes from a guest into safe values, with the limits of `evaluators.bounded`. Every error
message names what was read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic.type_adapter import TypeAdapter

from ambidex.evaluators import bounded
from ambidex.evaluators.bounded import BoundsError
from ambidex.evaluators.strict import explain
from ambidex.host.untrusted import MalformedError

__all__ = [
    "base64_bytes",
    "json_value",
    "model",
    "picture_kind",
    "pixels",
    "text",
    "typed",
]

M = TypeVar("M", bound=BaseModel)
SHOWN = 3
"""Maximum wrong fields that a message names."""
MOST_PIXELS = 1 << 24
"""Maximum pixels of a screen: enough for 5120x2880."""
WIDEST = 16_384
"""Maximum pixels along one side of a screen."""
KINDS = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp", "GIF": "image/gif"}
"""Formats of images that a tool may return, with their media types."""
PICTURE = 24 << 20
"""Maximum bytes of such an image."""


@contextmanager
def _reading(what: str) -> Iterator[None]:
    try:
        yield
    except BoundsError as error:
        raise MalformedError(f"{what} cannot be read: {error}") from None


def json_value(source: str | bytes, what: str, *, deepest: int = bounded.DEEPEST) -> Any:
    """Parse a JSON text; lone surrogates become escapes. `what` names the text in errors."""
    with _reading(what):
        return bounded.parse_json(source, deepest=deepest)


def model(kind: type[M], source: str | bytes, what: str) -> M:
    """Parse a JSON text into a pydantic model."""
    value = json_value(source, what)
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise _malformed(what, error) from None


def typed(form: Any, value: object, what: str) -> Any:
    """Validate a JSON value against a type, without converting any part of it."""
    try:
        return _adapter(form).validate_python(value, strict=True)
    except ValidationError as error:
        raise _malformed(what, error) from None


@cache
def _adapter(form: Any) -> TypeAdapter[Any]:
    return TypeAdapter(form)


def _malformed(what: str, error: ValidationError) -> MalformedError:
    problems = explain(error, whole="all", most=SHOWN)
    return MalformedError(f"{what} has the wrong form: {problems}")


def text(content: bytes, most: int | None = None) -> str:
    """UTF-8 text for display: invalid bytes become U+FFFD; truncated to `most` characters."""
    return content[: most and 4 * most].decode("utf-8", "replace")[:most]


def base64_bytes(encoded: str, largest: int, what: str) -> bytes:
    """Decode a base64 text of at most `largest` bytes."""
    with _reading(what):
        return bounded.decode_base64(encoded, largest)


def pixels(body: bytes, encoding: str, width: int, height: int, what: str) -> bytes:
    """Decode `width` x `height` pixels of four bytes each. Larger content is refused before it is
    decompressed."""
    if not (0 < width <= WIDEST and 0 < height <= WIDEST and width * height <= MOST_PIXELS):
        raise MalformedError(
            f"{what} is {width}x{height}: at most {MOST_PIXELS} pixels, {WIDEST} on a side"
        )
    size = width * height * 4
    if encoding == "zlib":
        with _reading(what):
            return bounded.inflate(body, size)
    if len(body) != size:
        raise MalformedError(f"{what} is {width}x{height}, but has {len(body)} bytes")
    return body


def picture_kind(content: bytes, what: str) -> str:
    """The media type of an image, by its header; the pixels are not decoded. `MalformedError` if it
    is not one of `KINDS` or too large."""
    with _reading(what), bounded.open_picture(content, formats=tuple(KINDS)) as picture:
        return KINDS[str(picture.format)]
