"""Colours as people write them: the names of CSS, hexadecimal, numbers."""

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
    """The named colours of CSS, each as hexadecimal digits."""
    from PIL import ImageColor

    # Asked one by one: Pillow's own table holds some as text and those that were used as numbers.
    rgb = {name: ImageColor.getrgb(name)[:3] for name in list(ImageColor.colormap)}
    return {name: "".join(f"{part:02x}" for part in parts) for name, parts in rgb.items()}


def colour(given: str | int) -> int:
    """0xRRGGBB of a CSS name (case, spaces, - and _ do not matter), #RRGGBB, RRGGBB, 0xRRGGBB, #RGB
    or that number itself; `ToolError` names the nearest ones.
    """
    if isinstance(given, int):
        return given
    plain = re.sub(r"[\s_-]", "", given).lower()
    digits = names().get(plain, plain)
    if not HEX.fullmatch(digits):
        near = difflib.get_close_matches(plain, names(), n=3) or ["red", "darkblue", "gold"]
        hint = f"Give #RRGGBB or a CSS name, such as {', '.join(near)}."
        raise ToolError(f"There is no colour {given!r}.", code="bad_colour", hint=hint)
    digits = digits.removeprefix("#").removeprefix("0x")
    return int(digits if len(digits) == 6 else "".join(each * 2 for each in digits), 16)


def written(value: int) -> str:
    """As tools return it: #RRGGBB, without what an office keeps in the bits above."""
    return f"#{value & 0xFFFFFF:06X}"
