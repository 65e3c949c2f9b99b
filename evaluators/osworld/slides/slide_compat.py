"""Comparison of two presentations as upstream does it, defects included.

Exceptions of python-pptx are not caught upstream, and are not caught here either.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any
from xml.etree import ElementTree

from pptx.enum.dml import MSO_FILL
from pptx.enum.shapes import MSO_SHAPE_TYPE

from ambidex.evaluators.osworld.slides.slide_shapes import (
    HIGH,
    LOW,
    MOVED_TITLE,
    RESIZED_TEXT,
    RIGHT,
    SIDES,
)
from ambidex.evaluators.osworld.slides.slide_text import DeckOptions, aligned, unlike

__all__ = ["difference_to_upstream"]

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def difference_to_upstream(one: Any, other: Any, options: DeckOptions) -> str:
    """The first difference of two presentations, or "" if upstream sees none."""
    return next(_differences(one, other, options), "")


def _differences(one: Any, other: Any, options: DeckOptions) -> Iterator[str]:
    count = len(one.slides), len(other.slides)
    if count[0] != count[1] and options.examine_number_of_slides:
        yield f"{count[0]} slides, not {count[1]}"
    for number, slides in enumerate(zip(one.slides, other.slides, strict=False), 1):
        for difference in _slide_differences(*slides, number, options):
            yield f"slide {number}: {difference}"


def _slide_differences(one: Any, other: Any, number: int, options: DeckOptions) -> Iterator[str]:
    # Upstream reads backgrounds and notes whether or not they are to be compared.
    grounds = _background(one), _background(other)
    if grounds[0] != grounds[1] and options.examine_background_color:
        yield f"the background is {grounds[0]}, not {grounds[1]}"
    notes = [side.notes_slide.notes_text_frame.text.strip() for side in (one, other)]
    if notes[0] != notes[1] and options.examine_note:
        yield "the notes differ"
    if len(one.shapes) != len(other.shapes):
        yield f"{len(one.shapes)} shapes, not {len(other.shapes)}"
    for place, shapes in enumerate(zip(one.shapes, other.shapes, strict=False), 1):
        for difference in _shape_differences(*shapes, number, options):
            yield f"shape {place} ({shapes[0].name[:40]!r}): {difference}"
    yield from _all_texts_differ(list(_texts(one.shapes)), list(_texts(other.shapes)), options)


def _background(slide: Any) -> str | None:
    fill = slide.background.fill
    if fill.type == MSO_FILL.BACKGROUND:
        fill = slide.slide_layout.slide_master.background.fill
    return str(fill.fore_color.rgb) if fill.type == MSO_FILL.SOLID else None


def _texts(shapes: Any) -> Iterator[Any]:
    """The shapes with text, including those in groups."""
    for shape in shapes:
        if _has_text(shape) and hasattr(shape, "text_frame"):
            yield shape
        if hasattr(shape, "shapes"):
            yield from _texts(shape.shapes)


def _has_text(shape: Any) -> bool:
    return hasattr(shape, "text")


def _shape_differences(one: Any, other: Any, number: int, options: DeckOptions) -> Iterator[str]:
    kinds = one.shape_type, other.shape_type
    yield from _place_differences(one, other, number, options, kinds)
    if kinds[0] == MSO_SHAPE_TYPE.TABLE:
        yield from _table_differences(one.table, other.table, options)
    if not (_has_text(one) and _has_text(other)):
        return
    if one.text.strip() != other.text.strip() and options.examine_text:
        yield f"the text is {one.text[:80]!r}, not {other.text[:80]!r}"
    ones, others = one.text_frame.paragraphs, other.text_frame.paragraphs
    if len(ones) != len(others):
        yield f"{len(ones)} paragraphs, not {len(others)}"
    for first, second in zip(ones, others, strict=False):
        yield from _paragraph_differences(first, second, options)


def _place_differences(
    one: Any, other: Any, number: int, options: DeckOptions, kinds: tuple[Any, Any]
) -> Iterator[str]:
    both, neither = _has_text(one) and _has_text(other), not (_has_text(one) or _has_text(other))

    def moved() -> bool:
        return any(_far(one, other, side, options) for side in SIDES)

    def all_are(kind: MSO_SHAPE_TYPE) -> bool:
        return bool(kinds[0] == kind and kinds[1] == kind)

    if options.examine_title_bottom_position:
        if both and one.text == other.text:
            if one.text == MOVED_TITLE and (one.top <= other.top or one.top < LOW):
                yield "the title is not at the bottom"
        elif moved():
            yield "its position or size differs"
    if options.examine_table_bottom_position:
        if number == 3 and all_are(MSO_SHAPE_TYPE.TABLE):
            if one.top <= other.top or one.top < LOW:
                yield "the table is not at the bottom"
        elif moved():
            yield "its position or size differs"
    right = options.examine_right_position and number == 2 and neither
    if right and (one.left <= other.left or one.left < RIGHT):
        yield "it is not at the right"
    top = options.examine_top_position and number == 2 and all_are(MSO_SHAPE_TYPE.PICTURE)
    if top and (one.top >= other.top or one.top > HIGH):
        yield "the picture is not at the top"
    resized = both and one.text == other.text and one.text == RESIZED_TEXT
    if options.examine_shape_for_shift_size and moved() and not resized:
        yield "its position or size differs"
    blank = not any((getattr(shape, "text", None) or "").strip() for shape in (one, other))
    if moved() and options.examine_shape and not blank:
        yield "its position or size differs"
    if options.examine_image_size:
        if all_are(MSO_SHAPE_TYPE.PICTURE):
            if any(_far(one, other, side, options) for side in ("width", "height")):
                yield "the picture has another size"
        elif moved():
            yield "its position or size differs"
    if options.examine_modify_height:
        if neither or all_are(MSO_SHAPE_TYPE.FREEFORM):
            if _far(one, other, "height", options):
                yield "its height differs"
        elif moved():
            yield "its position or size differs"


def _far(one: Any, other: Any, side: str, options: DeckOptions) -> bool:
    first, second = getattr(one, side), getattr(other, side)
    if first == second:
        return False
    if first == 0 or second == 0:
        return True
    return bool(
        abs(first - second) / max(abs(first), abs(second)) > options.approximately_tolerance
    )


def _runs(one: Any, other: Any) -> tuple[list[Any], list[Any]]:
    """The runs of two paragraphs; if both are blank, none."""
    if not one.text.strip() and not other.text.strip():
        filled = [[run for run in side.runs if run.text.strip()] for side in (one, other)]
        return filled[0], filled[1]
    return list(one.runs), list(other.runs)


def _table_differences(one: Any, other: Any, options: DeckOptions) -> Iterator[str]:
    shapes = [(len(side.rows), len(side.columns)) for side in (one, other)]
    if shapes[0] != shapes[1]:
        yield f"the table has {shapes[0]} rows and columns, not {shapes[1]}"
    for first, second in zip(one.iter_cells(), other.iter_cells(), strict=False):
        ones, others = first.text_frame.paragraphs, second.text_frame.paragraphs
        if len(ones) != len(others):
            yield f"the cell {first.text[:80]!r} has {len(ones)} paragraphs, not {len(others)}"
        for paragraph, target in zip(ones, others, strict=False):
            runs = _runs(paragraph, target)
            if len(runs[0]) != len(runs[1]) and options.examine_run_count:
                yield f"the cell {first.text[:80]!r} has {len(runs[0])} runs, not {len(runs[1])}"
            for run, model in zip(*runs, strict=False):
                if _other_colour(run, model) and options.examine_color_rgb:
                    yield f"the cell {first.text[:80]!r} has another colour"
                for name in ("bold", "italic"):
                    if bool(getattr(run.font, name)) != bool(getattr(model.font, name)):
                        yield f"the cell {first.text[:80]!r} differs in {name}"
                if unlike(run.font.underline, model.font.underline, False):
                    yield f"the cell {first.text[:80]!r} has another underline"


def _other_colour(one: Any, other: Any) -> bool:
    """Whether both have colours with an RGB value and these differ."""
    both = one.font.color, other.font.color
    return all(hasattr(colour, "rgb") for colour in both) and bool(both[0].rgb != both[1].rgb)


def _paragraph_differences(one: Any, other: Any, options: DeckOptions) -> Iterator[str]:
    text = repr(one.text[:80])
    if options.examine_alignment and aligned(one) != aligned(other):
        yield f"{text} has another alignment"
    if one.text != other.text and options.examine_text:
        yield f"a paragraph is {text}, not {other.text[:80]!r}"
    # Upstream does not distinguish levels 0 and 1.
    if options.examine_indent and max(one.level or 0, 1) != max(other.level or 0, 1):
        yield f"{text} is at level {one.level}, not {other.level}"
    runs = _runs(one, other)
    if len(runs[0]) != len(runs[1]) and options.examine_run_count:
        yield f"{text} has {len(runs[0])} runs, not {len(runs[1])}"
    for run, target in zip(*runs, strict=False):
        yield from _run_differences(run, target, options)


def _run_differences(one: Any, other: Any, options: DeckOptions) -> Iterator[str]:
    text, first, second = repr(one.text[:80]), one.font, other.font
    if first.name != second.name and options.examine_font_name:
        yield f"{text} is in {first.name}, not {second.name}"
    if first.size != second.size and options.examine_font_size:
        yield f"{text} has the size {first.size}, not {second.size}"
    if bool(first.bold) != bool(second.bold) and options.examine_font_bold:
        yield f"{text} is {'' if first.bold else 'not '}bold"
    if bool(first.italic) != bool(second.italic) and options.examine_font_italic:
        yield f"{text} is {'' if first.italic else 'not '}italic"
    if _other_colour(one, other) and options.examine_color_rgb:
        yield f"{text} has another colour"
    if options.examine_font_underline and unlike(first.underline, second.underline, False):
        yield f"{text} has another underline"
    strikes = [side._element.get("strike", "noStrike") for side in (first, second)]
    if strikes[0] != strikes[1] and options.examine_strike_through:
        yield f"{text} is struck {strikes[0]}, not {strikes[1]}"
    if options.examine_bullets:
        actual, target = _bullets(one.part), _bullets(other.part)
        if None not in (actual, target) and actual != target:
            yield "bullets, levels or texts of paragraphs differ"


def _bullets(part: Any) -> list[tuple[str, str, str | None]] | None:
    """Text and bullet of every paragraph of a slide with text, and its level if it has a bullet.
    None for a slide with an empty run, for which upstream stops comparing bullets."""
    listed: list[tuple[str, str, str | None]] = []
    for paragraph in ElementTree.fromstring(part.blob).iter(f"{A}p"):
        pieces = [element.text for element in paragraph.iter(f"{A}t")]
        if None in pieces:
            return None
        text = "".join(piece or "" for piece in pieces)
        properties = paragraph.find(f"{A}pPr")
        bullet = None if properties is None else properties.find(f"{A}buChar")
        if text.strip():
            if properties is None or bullet is None:
                listed.append((text, "none", None))
            else:
                listed.append((text, f"char {bullet.get('char')}", properties.get("lvl") or "0"))
    return listed


def _all_texts_differ(ones: list[Any], others: list[Any], options: DeckOptions) -> Iterator[str]:
    """Compare all shapes with text again, including those in groups."""
    if len(ones) != len(others):
        yield f"{len(ones)} shapes with text, groups included, not {len(others)}"
    elif options.examine_alignment:
        for first, second in zip_longest(ones, others):
            text = repr(first.text[:80])
            if first.text.strip() != second.text.strip() and options.examine_text:
                yield f"a text is {text}, not {second.text[:80]!r}"
            pairs = [side.text_frame.paragraphs for side in (first, second)]
            if len(pairs[0]) != len(pairs[1]):
                yield f"{text} has {len(pairs[0])} paragraphs, not {len(pairs[1])}"
            if [*map(aligned, pairs[0])] != [*map(aligned, pairs[1])]:
                yield f"{text} has another alignment"
