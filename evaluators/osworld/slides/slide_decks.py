"""Two presentations: the same, in all that is asked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pptx import Presentation
from pptx.enum.dml import MSO_COLOR_TYPE
from pydantic import Field

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.given import RAISED
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.osworld.slides.decks import MALFORMED, background, deck, text_shapes
from ambidex.evaluators.osworld.slides.slide_compat import difference_to_upstream
from ambidex.evaluators.osworld.slides.slide_shapes import kind, place_differences
from ambidex.evaluators.osworld.slides.slide_text import (
    Asked,
    Colour,
    aligned,
    bullets,
    frame_differences,
    table_differences,
)
from ambidex.evaluators.osworld.slides.theme import Theme, text_colour

Share = Annotated[float, Field(ge=0, le=1)]
Switch = bool | None
"""Null is off."""


@metric(
    repairs=(
        "Colours of text are compared as they are seen: upstream compares colours only where"
        " both runs name an RGB value of their own, so text left in its inherited colour is as good"
        " as text in the expected one.",
        "A background in a colour of the theme has that colour: upstream ends in an exception"
        " where there is one.",
        "The texts of table cells are compared: upstream compares the look of cells alone.",
        "`examine_font_bold`, `…_italic` and `…_underline` apply to table cells too: upstream"
        " compares bold, italics and underlines of cells whatever the task says.",
        "Texts inside groups are compared in all that is asked: upstream compares the words and"
        " the alignment of texts in groups alone.",
        "An underline of any kind differs from none: upstream sees the plain underline alone.",
        "A shape answers one of its kind: upstream takes a picture for a table.",
        "A presentation that is missing is not there: upstream takes an empty one for it.",
        "Places of pictures and other shapes that hold no text are compared: upstream passes over "
        "them.",
        "Slides without a page of notes have no notes, and what is switched off is not read: "
        "upstream ends in an exception where a page of notes has no place for them.",
    ),
    sees_missing=True,
)
def compare_pptx_files(
    result: Value,
    expected: Path | None,
    *,
    examine_number_of_slides: Switch = True,
    examine_shape: Switch = True,
    examine_text: Switch = True,
    examine_indent: Switch = True,
    examine_font_name: Switch = True,
    examine_font_size: Switch = True,
    examine_font_bold: Switch = True,
    examine_font_italic: Switch = True,
    examine_color_rgb: Switch = True,
    examine_font_underline: Switch = True,
    examine_strike_through: Switch = True,
    examine_alignment: Switch = True,
    examine_run_count: Switch = True,
    examine_bullets: Switch = True,
    examine_background_color: Switch = True,
    examine_note: Switch = True,
    examine_title_bottom_position: Switch = False,
    examine_table_bottom_position: Switch = False,
    examine_right_position: Switch = False,
    examine_top_position: Switch = False,
    examine_shape_for_shift_size: Switch = False,
    examine_image_size: Switch = False,
    examine_modify_height: Switch = False,
    approximately_tolerance: Share = 0.005,
    strict: bool,
) -> Score:
    """The slides have the same backgrounds, notes and shapes, and these the same places and texts.

    Shapes are paired from back to front, and there are always equally many. Places and sizes may
    differ by `approximately_tolerance`, a share of the larger. What is compared can be switched
    off; the switches that are off at first each ask for what one task wants moved.
    """
    given = dict(locals())
    asked = Asked(**{name: given[name] for name in Asked.__dataclass_fields__})
    if not strict:
        return _as_upstream(result, expected, asked)
    one, other = deck(result), deck(expected)
    try:
        wrong = next(_differences(one, other, asked), None)
    except MALFORMED as error:  # python-pptx reads a part when it is asked for, so: all along
        raise UnreadableError(f"a presentation is not whole: {error}") from error
    return Score(
        float(wrong is None), wrong or "the presentations are the same in all that is asked"
    )


def _as_upstream(result: Value, expected: Value, asked: Asked) -> Score:
    # Without a file, python-pptx begins a presentation of its own.
    one, other = (Presentation() if file is None else deck(file) for file in (result, expected))
    try:
        wrong = difference_to_upstream(one, other, asked)
    except (*MALFORMED, *RAISED) as error:
        raise UpstreamRaisesError(f"a presentation lacks something: {error!r:.300}") from error
    return Score(float(not wrong), wrong or "upstream sees no difference")


def _differences(one: Any, other: Any, asked: Asked) -> Iterator[str]:
    count = len(one.slides), len(other.slides)
    if asked.examine_number_of_slides and count[0] != count[1]:
        yield f"{count[0]} slides, not {count[1]}"
    for number, (first, second) in enumerate(zip(one.slides, other.slides, strict=False), 1):
        for difference in _slide_differences(first, second, number, asked):
            yield f"slide {number}: {difference}"


def _slide_differences(one: Any, other: Any, number: int, asked: Asked) -> Iterator[str]:
    # Before python-pptx is asked for backgrounds: asking it changes the slide in memory.
    listed = bullets(one), bullets(other)
    if asked.examine_background_color:
        grounds = [background(side, strict=asked.strict) for side in (one, other)]
        if grounds[0] != grounds[1]:
            yield f"the background is {grounds[0] or 'not one colour'}, not {grounds[1]}"
    if asked.examine_note and _notes(one) != _notes(other):
        yield "the notes differ"
    if len(one.shapes) != len(other.shapes):
        yield f"{len(one.shapes)} shapes, not {len(other.shapes)}"
    themes = [
        Theme(side.slide_layout.slide_master) if asked.strict else None for side in (one, other)
    ]
    runs = False
    for place, (first, second) in enumerate(zip(one.shapes, other.shapes, strict=False), 1):
        what = f"shape {place} ({first.name[:40]!r})"
        colours: tuple[Colour, Colour] = (
            partial(_colour, themes[0], one, first),
            partial(_colour, themes[1], other, second),
        )
        for difference in _shape_differences(first, second, number, asked, colours):
            yield f"{what}: {difference}"
        if first.has_text_frame and second.has_text_frame:
            paired = zip(first.text_frame.paragraphs, second.text_frame.paragraphs, strict=False)
            runs |= any(each.runs and target.runs for each, target in paired)
    # Upstream looks at bullets while it looks at runs.
    if asked.examine_bullets and (runs or asked.strict) and listed[0] != listed[1]:
        yield "bullets, levels or texts of paragraphs differ"
    yield from _grouped_differences(one, other, themes, asked)


def _shape_differences(
    one: Any, other: Any, number: int, asked: Asked, colours: tuple[Colour, Colour]
) -> Iterator[str]:
    if asked.strict and _sort(one) != _sort(other):
        yield f"it is {_sort(one)}, not {_sort(other)}"
    yield from place_differences(one, other, number, asked)
    if one.has_table:
        if not other.has_table:
            raise UpstreamRaisesError("a table is paired with a shape that is none")
        yield from table_differences(one.table, other.table, asked, colours)
    if one.has_text_frame and other.has_text_frame:
        yield from frame_differences(one, other, asked, colours)


def _grouped_differences(
    one: Any, other: Any, themes: list[Theme | None], asked: Asked
) -> Iterator[str]:
    """All shapes with text once more, those in groups among them."""
    ones, others = list(text_shapes(one.shapes)), list(text_shapes(other.shapes))
    if len(ones) != len(others):
        yield f"{len(ones)} shapes with text, groups included, not {len(others)}"
    for first, second in zip(ones, others, strict=False):
        if asked.strict:
            colours = (
                partial(_colour, themes[0], one, first),
                partial(_colour, themes[1], other, second),
            )
            yield from frame_differences(first, second, asked, colours)
            continue
        if asked.examine_text and first.text.strip() != second.text.strip():
            yield f"a text is {first.text[:80]!r}, not {second.text[:80]!r}"
        pairs = [side.text_frame.paragraphs for side in (first, second)]
        if len(pairs[0]) != len(pairs[1]):
            yield f"{first.text[:80]!r} has {len(pairs[0])} paragraphs, not {len(pairs[1])}"
        if asked.examine_alignment and [*map(aligned, pairs[0])] != [*map(aligned, pairs[1])]:
            yield f"{first.text[:80]!r} is aligned otherwise"


def _colour(theme: Theme | None, slide: Any, shape: Any, paragraph: Any, run: Any) -> str | None:
    if theme is not None and shape.has_text_frame:
        return text_colour(theme, slide, shape, paragraph, run)
    colour = run.font.color
    return str(colour.rgb) if colour.type == MSO_COLOR_TYPE.RGB else None


def _notes(slide: Any) -> str:
    frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    return frame.text.strip() if frame is not None else ""


def _sort(shape: Any) -> str:
    if shape.has_text_frame:
        return "a shape with text"
    if shape.has_table:
        return "a table"
    return str(kind(shape))
