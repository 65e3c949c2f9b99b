"""Access to presentations: the deck, the backgrounds of slides, and shapes with text."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any

from lxml import etree
from pptx import Presentation
from pptx.enum.dml import MSO_FILL
from pptx.exc import PythonPptxError

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.evidence import BROKEN
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.given import office
from ambidex.evaluators.osworld.registry import UpstreamRaisesError
from ambidex.evaluators.osworld.slides.theme import Theme

__all__ = ["MALFORMED", "background", "deck", "text_shapes"]

MALFORMED = (*BROKEN, PythonPptxError, etree.LxmlError, struct.error, zlib.error)
"""What python-pptx raises for a part that is missing or violates its schema."""


def deck(value: Value) -> Any:
    """Open the presentation in a collected file."""
    content = office(value)
    try:
        presentation = Presentation(content)
        len(presentation.slides)
        return presentation
    except MALFORMED as error:
        raise UnreadableError(f"not a readable presentation: {error}") from error


def background(slide: Any, *, strict: bool) -> str | None:
    """The colour of a slide's solid background, its own or its master's; `None` if there is none.

    A theme colour is resolved if `strict`; otherwise it raises `UpstreamRaisesError`.
    """
    fill = slide.background.fill
    master = slide.slide_layout.slide_master
    if fill.type == MSO_FILL.BACKGROUND:
        fill = master.background.fill
    if fill.type != MSO_FILL.SOLID:
        return None
    if strict:
        return Theme(master).colour(fill._xPr.find("{*}solidFill"))
    try:
        return str(fill.fore_color.rgb)
    except AttributeError as error:
        raise UpstreamRaisesError(
            "the background has a theme colour, which has no RGB value"
        ) from error


def text_shapes(shapes: Any) -> Iterator[Any]:
    """The shapes with text, including those in groups."""
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from text_shapes(shape.shapes)
        elif shape.has_text_frame:
            yield shape
