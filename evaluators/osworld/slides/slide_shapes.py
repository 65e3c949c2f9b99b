"""Comparison of the positions and sizes of shapes.

Some of upstream's switches serve a single task: the slide number, title and limit below are those
of that task.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pptx.enum.shapes import MSO_SHAPE_TYPE

from ambidex.evaluators.osworld.registry import UpstreamRaisesError
from ambidex.evaluators.osworld.slides.slide_text import DeckOptions

__all__ = ["kind", "place_differences"]

LOW, RIGHT, HIGH = 3600000, 4320000, 1980000
"""Limits in EMU (360000 per centimetre): LOW and HIGH from the top, RIGHT from the left."""
MOVED_TITLE = "Product Comparison"
RESIZED_TEXT = "Elaborate on what you want to discuss."
SIDES = ("left", "top", "width", "height")


def kind(shape: Any) -> Any:
    """The type of a shape; `None` if python-pptx does not know it."""
    try:
        return shape.shape_type
    except NotImplementedError:
        return None


def place_differences(one: Any, other: Any, number: int, options: DeckOptions) -> Iterator[str]:
    """Differences in position and size of two shapes on slide `number` (from 1)."""
    texts = [shape.text if shape.has_text_frame else None for shape in (one, other)]
    common_text = texts[0] if None not in texts and texts[0] == texts[1] else None
    kinds = kind(one), kind(other)
    moved = [side for side in SIDES if _far(one, other, side, options)]
    displacement = f"its {', '.join(moved)} differs" if moved else ""
    blank = None not in texts and not any((text or "").strip() for text in texts)

    if options.examine_title_bottom_position:
        if common_text == MOVED_TITLE and not _moved_beyond(one, other, "top", LOW):
            yield "the title is not at the bottom"
        elif common_text is None and displacement:
            yield displacement
    if options.examine_table_bottom_position:
        if number == 3 and set(kinds) == {MSO_SHAPE_TYPE.TABLE}:
            if not _moved_beyond(one, other, "top", LOW):
                yield "the table is not at the bottom"
        elif displacement:
            yield displacement
    image = number == 2 and texts == [None, None]
    if options.examine_right_position and image and not _moved_beyond(one, other, "left", RIGHT):
        yield "it is not at the right"
    if options.examine_top_position:
        if number == 2 and set(kinds) == {MSO_SHAPE_TYPE.PICTURE}:
            if one.top >= other.top or one.top > HIGH:
                yield "the picture is not at the top"
        elif displacement:
            yield displacement
    if options.examine_shape_for_shift_size and displacement and common_text != RESIZED_TEXT:
        yield displacement
    if options.examine_shape and displacement and not blank:
        yield displacement
    if options.examine_modify_height:
        if texts == [None, None] or set(kinds) == {MSO_SHAPE_TYPE.FREEFORM}:
            if "height" in moved:
                yield "its height differs"
        elif displacement:
            yield displacement
    if options.examine_image_size:
        if set(kinds) == {MSO_SHAPE_TYPE.PICTURE}:
            if {"width", "height"} & set(moved):
                yield "the picture has another size"
        elif displacement:
            yield displacement


def _moved_beyond(one: Any, other: Any, side: str, least: int) -> bool:
    """Whether the first shape is beyond the second (its original position) and beyond a limit."""
    actual, before = getattr(one, side), getattr(other, side)
    return bool(actual > before and actual >= least)


def _far(one: Any, other: Any, side: str, options: DeckOptions) -> bool:
    first, second = getattr(one, side), getattr(other, side)
    if first == second:
        return False
    if first is None or second is None:
        if not options.strict:
            raise UpstreamRaisesError(
                "a shape has no position of its own, which upstream computes with"
            )
        return True
    if not first or not second:
        return True
    return bool(
        abs(first - second) / max(abs(first), abs(second)) > options.approximately_tolerance
    )
