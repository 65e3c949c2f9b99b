"""Parsing colours: CSS names, hexadecimal notation, numbers."""

from __future__ import annotations

import difflib
import functools
import re
from typing import Annotated

from pydantic import Field

from ambidex.mcp_tools import ToolError

__all__ = ["AnyColour", "colour", "names", "written"]

AnyColour = Annotated[
    Annotated[str, Field(max_length=40)] | Annotated[int, Field(ge=0, le=0xFFFFFF)],
    Field(description="#RRGGBB, a CSS name such as red or dark blue, or 0xRRGGBB as a number"),
]

HEX = re.compile(r"#[0-9a-f]{3}|(#|0x)?[0-9a-f]{6}")


@functools.cache
def names() -> dict[str, str]:
    """CSS colour names and their values as six hexadecimal digits."""
    from PIL import ImageColor

    # getrgb normalises Pillow's table, which holds text for some names and tuples for others.
    rgb = {name: ImageColor.getrgb(name)[:3] for name in list(ImageColor.colormap)}
    return {name: "".join(f"{part:02x}" for part in channels) for name, channels in rgb.items()}


def colour(text: str | int) -> int:
    """Parse a colour into 0xRRGGBB.

    Takes a CSS name (ignoring case, spaces, - and _), #RRGGBB, RRGGBB, 0xRRGGBB, #RGB or the number
    itself. `ToolError` suggests the closest names.
    """
    if isinstance(text, int):
        return text
    plain = re.sub(r"[\s_-]", "", text).lower()
    digits = names().get(plain, plain)
    if not HEX.fullmatch(digits):
        near = difflib.get_close_matches(plain, names(), n=3) or ["red", "darkblue", "gold"]
        hint = f"Give #RRGGBB or a CSS name, such as {', '.join(near)}."
        raise ToolError(f"Unknown colour: {text!r}.", code="bad_colour", hint=hint)
    digits = digits.removeprefix("#").removeprefix("0x")
    return int(digits if len(digits) == 6 else "".join(digit * 2 for digit in digits), 16)


def written(value: int) -> str:
    """Format a colour as #RRGGBB. LibreOffice's transparency in the upper bits is dropped."""
    return f"#{value & 0xFFFFFF:06X}"
