"""What tools pass on from other programs: texts within a limit, pictures, and other files."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from typing import Union

from ambidex.mcp_tools import Picture

__all__ = ["TEXT_LIMIT", "Media", "picture_or_media", "truncate"]

TEXT_LIMIT = 1_000_000
"""Characters of a text that are passed on. A model has no use for more."""


@dataclass(frozen=True)
class Media:
    """A file that is neither text nor a picture the model can be shown."""

    mime_type: str
    base64: str


def truncate(text: str) -> str:
    """The text, cut at the limit with a note."""
    excess = len(text) - TEXT_LIMIT
    if excess <= 0:
        return text
    return f"{text[:TEXT_LIMIT]}\n[{excess} more characters omitted]"


def picture_or_media(mime_type: str, data: str) -> Union[Picture, Media]:  # noqa: UP007
    """An image, given in base64, as a picture if it can be shown as one."""
    from PIL import Image, UnidentifiedImageError

    target = io.BytesIO()
    try:
        Image.open(io.BytesIO(base64.b64decode(data))).save(target, "PNG")
    except (UnidentifiedImageError, OSError, ValueError):
        return Media(mime_type, data)  # a vector drawing, or damaged
    return Picture(target.getvalue())
