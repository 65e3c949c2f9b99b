"""Where two slides have their shapes, and where one task wants one shape moved.

Some of upstream's switches are made for a single task: the slide, the title and the limit that they
ask for are that task's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pptx.enum.shapes import MSO_SHAPE_TYPE

from ambidex.evaluators.osworld.registry import UpstreamRaisesError
from ambidex.evaluators.osworld.slides.slide_text import Asked

__all__ = ["kind", "place_differences"]

LOW, RIGHT, HIGH = 3600000, 4320000, 1980000
"""Limits in EMU (360000 are a centimetre): from the top, from the left, from the top."""
MOVED_TITLE = "Product Comparison"
RESIZED_TEXT = "Elaborate on what you want to discuss."
SIDES = ("left", "top", "width", "height")


def kind(shape: Any) -> Any:
    """The kind of a shape; `None` for one that python-pptx does not know."""
    try:
        return shape.shape_type
    except NotImplementedError:
        return None


def place_differences(one: Any, other: Any, number: int, asked: Asked) -> Iterator[str]:
    """In what place and size of two shapes of slide `number` (from 1) differ from what is asked."""
    texts = [shape.text if shape.has_text_frame else None for shape in (one, other)]
    said = texts[0] if None not in texts and texts[0] == texts[1] else None
    kinds = kind(one), kind(other)
    moved = [side for side in SIDES if _far(one, other, side, asked)]
    apart = f"another {', '.join(moved)}" if moved else ""
    blank = None not in texts and not any((text or "").strip() for text in texts)

    if asked.examine_title_bottom_position:
        if said == MOVED_TITLE and not _further(one, other, "top", LOW):
            yield "the title is not at the bottom"
        elif said is None and apart:
            yield apart
    if asked.examine_table_bottom_position:
        if number == 3 and set(kinds) == {MSO_SHAPE_TYPE.TABLE}:
            if not _further(one, other, "top", LOW):
                yield "the table is not at the bottom"
        elif apart:
            yield apart
    image = number == 2 and texts == [None, None]
    if asked.examine_right_position and image and not _further(one, other, "left", RIGHT):
        yield "it is not at the right"
    if asked.examine_top_position:
        if number == 2 and set(kinds) == {MSO_SHAPE_TYPE.PICTURE}:
            if one.top >= other.top or one.top > HIGH:
                yield "the picture is not at the top"
        elif apart:
            yield apart
    if asked.examine_shape_for_shift_size and apart and said != RESIZED_TEXT:
        yield apart
    if asked.examine_shape and apart and not blank:
        yield apart
    if asked.examine_modify_height:
        if texts == [None, None] or set(kinds) == {MSO_SHAPE_TYPE.FREEFORM}:
            if "height" in moved:
                yield "another height"
        elif apart:
            yield apart
    if asked.examine_image_size:
        if set(kinds) == {MSO_SHAPE_TYPE.PICTURE}:
            if {"width", "height"} & set(moved):
                yield "the picture has another size"
        elif apart:
            yield apart


def _further(one: Any, other: Any, side: str, least: int) -> bool:
    """Whether the first shape lies beyond the second (where it was) and beyond a limit."""
    actual, before = getattr(one, side), getattr(other, side)
    return bool(actual > before and actual >= least)


def _far(one: Any, other: Any, side: str, asked: Asked) -> bool:
    first, second = getattr(one, side), getattr(other, side)
    if first == second:
        return False
    if first is None or second is None:
        if not asked.strict:
            raise UpstreamRaisesError(
                "a shape has no place of its own, and upstream reckons with it"
            )
        return True
    if not first or not second:
        return True
    return bool(abs(first - second) / max(abs(first), abs(second)) > asked.approximately_tolerance)
