"""From bytes of a guest to values that are safe to use: `evaluators.bounded`, with what is read and
from whom in every message."""

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
"""Wrong fields that a message names."""
MOST_PIXELS = 1 << 24
"""Of a screen: one of 5120x2880 has fewer."""
WIDEST = 16_384
"""Pixels on one side of a screen."""
KINDS = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp", "GIF": "image/gif"}
"""Formats of a picture that a tool may return, with their types."""
PICTURE = 24 << 20
"""Bytes of such a picture."""


@contextmanager
def _reading(what: str) -> Iterator[None]:
    try:
        yield
    except BoundsError as error:
        raise MalformedError(f"{what} cannot be read: {error}") from None


def json_value(source: str | bytes, what: str, *, deepest: int = bounded.DEEPEST) -> Any:
    """The value of a JSON text, without lone surrogates; `what` names it in the error."""
    with _reading(what):
        return bounded.parse_json(source, deepest=deepest)


def model(kind: type[M], source: str | bytes, what: str) -> M:
    """The model that a JSON text holds."""
    value = json_value(source, what)
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise _wrong(what, error) from None


def typed(form: Any, value: object, what: str) -> Any:
    """A JSON value that has this type; no part of it is converted from another one."""
    try:
        return _adapter(form).validate_python(value, strict=True)
    except ValidationError as error:
        raise _wrong(what, error) from None


@cache
def _adapter(form: Any) -> TypeAdapter[Any]:
    return TypeAdapter(form)


def _wrong(what: str, error: ValidationError) -> MalformedError:
    said = explain(error, whole="all", most=SHOWN)
    return MalformedError(f"{what} has a wrong form: {said}")


def text(content: bytes, most: int | None = None) -> str:
    """UTF-8 text for people: a byte that is none becomes U+FFFD; cut after `most` characters."""
    return content[: most and 4 * most].decode("utf-8", "replace")[:most]


def base64_bytes(written: str, largest: int, what: str) -> bytes:
    """The bytes of a base64 text."""
    with _reading(what):
        return bounded.decode_base64(written, largest)


def pixels(body: bytes, encoding: str, width: int, height: int, what: str) -> bytes:
    """Four bytes a pixel, of `width` times `height` of them. What would be more is refused before
    it is inflated."""
    if not (0 < width <= WIDEST and 0 < height <= WIDEST and width * height <= MOST_PIXELS):
        raise MalformedError(
            f"{what} is {width}x{height}: at most {MOST_PIXELS} pixels, {WIDEST} on a side"
        )
    size = width * height * 4
    if encoding == "zlib":
        with _reading(what):
            return bounded.inflate(body, size)
    if len(body) != size:
        raise MalformedError(f"{what} is {width}x{height}, and came with {len(body)} bytes")
    return body


def picture_kind(content: bytes, what: str) -> str:
    """The media type of a picture that is one of `KINDS` and not too large. It is told by the
    picture's own first bytes; the rest is not decoded."""
    with _reading(what), bounded.open_picture(content, formats=tuple(KINDS)) as picture:
        return KINDS[str(picture.format)]
