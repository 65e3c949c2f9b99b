"""The metric `compare_pptx_files`: compares two presentations in selectable respects."""

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
    Colour,
    DeckOptions,
    aligned,
    bullets,
    frame_differences,
    table_differences,
)
from ambidex.evaluators.osworld.slides.theme import Theme, text_colour

Share = Annotated[float, Field(ge=0, le=1)]
Switch = bool | None
"""An option of a task; null means off."""


@metric(
    repairs=(
        "Effective colours of text are compared: upstream compares colours only if both runs have"
        " an RGB value of their own, so that text in its inherited colour passes for the expected"
        " one.",
        "A theme colour as background is resolved: upstream ends in an exception at one.",
        "The texts of table cells are compared: upstream compares only the formatting of cells.",
        "`examine_font_bold`, `…_italic` and `…_underline` apply to table cells too: upstream"
        " always compares bold, italics and underlines of cells.",
        "Texts inside groups are compared in all selected respects: upstream compares only"
        " words and alignment of texts in groups.",
        "An underline of any kind differs from none: upstream only sees plain underlines.",
        "Paired shapes must be of the same kind: upstream accepts a picture for a table.",
        "A missing presentation fails: upstream treats a missing presentation as empty.",
        "Positions of pictures and other shapes without text are compared: upstream skips"
        " shapes without text.",
        "Slides without a notes page have no notes, and what is switched off is not read: upstream"
        " ends in an exception if a notes page has no placeholder for notes.",
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
    """The slides have the same backgrounds, notes and shapes, with the same positions and texts.

    Shapes are paired from back to front and must be equally many. Positions and sizes may differ
    by `approximately_tolerance`, a share of the larger value. Each respect can be switched off; the
    switches that are off by default each check a change that one particular task asks for.
    """
    arguments = dict(locals())
    options = DeckOptions(**{name: arguments[name] for name in DeckOptions.__dataclass_fields__})
    if not strict:
        return _as_upstream(result, expected, options)
    one, other = deck(result), deck(expected)
    try:
        wrong = next(_differences(one, other, options), None)
    except MALFORMED as error:  # python-pptx reads parts lazily, so anywhere above
        raise UnreadableError(f"a presentation is damaged: {error}") from error
    return Score(
        float(wrong is None), wrong or "the presentations are the same in all selected respects"
    )


def _as_upstream(result: Value, expected: Value, options: DeckOptions) -> Score:
    # Without a file, python-pptx creates an empty presentation.
    one, other = (Presentation() if file is None else deck(file) for file in (result, expected))
    try:
        wrong = difference_to_upstream(one, other, options)
    except (*MALFORMED, *RAISED) as error:
        raise UpstreamRaisesError(f"a presentation lacks something: {error!r:.300}") from error
    return Score(float(not wrong), wrong or "upstream sees no difference")


def _differences(one: Any, other: Any, options: DeckOptions) -> Iterator[str]:
    count = len(one.slides), len(other.slides)
    if options.examine_number_of_slides and count[0] != count[1]:
        yield f"{count[0]} slides, not {count[1]}"
    for number, (first, second) in enumerate(zip(one.slides, other.slides, strict=False), 1):
        for difference in _slide_differences(first, second, number, options):
            yield f"slide {number}: {difference}"


def _slide_differences(one: Any, other: Any, number: int, options: DeckOptions) -> Iterator[str]:
    # Read bullets before backgrounds: python-pptx changes the slide in memory when it reads those.
    listed = bullets(one), bullets(other)
    if options.examine_background_color:
        grounds = [background(side, strict=options.strict) for side in (one, other)]
        if grounds[0] != grounds[1]:
            yield f"the background is {grounds[0] or 'not one colour'}, not {grounds[1]}"
    if options.examine_note and _notes(one) != _notes(other):
        yield "the notes differ"
    if len(one.shapes) != len(other.shapes):
        yield f"{len(one.shapes)} shapes, not {len(other.shapes)}"
    themes = [
        Theme(side.slide_layout.slide_master) if options.strict else None for side in (one, other)
    ]
    runs = False
    for place, (first, second) in enumerate(zip(one.shapes, other.shapes, strict=False), 1):
        what = f"shape {place} ({first.name[:40]!r})"
        colours: tuple[Colour, Colour] = (
            partial(_colour, themes[0], one, first),
            partial(_colour, themes[1], other, second),
        )
        for difference in _shape_differences(first, second, number, options, colours):
            yield f"{what}: {difference}"
        if first.has_text_frame and second.has_text_frame:
            paired = zip(first.text_frame.paragraphs, second.text_frame.paragraphs, strict=False)
            runs |= any(one.runs and other.runs for one, other in paired)
    # Upstream compares bullets inside its loop over runs.
    if options.examine_bullets and (runs or options.strict) and listed[0] != listed[1]:
        yield "bullets, levels or texts of paragraphs differ"
    yield from _grouped_differences(one, other, themes, options)


def _shape_differences(
    one: Any, other: Any, number: int, options: DeckOptions, colours: tuple[Colour, Colour]
) -> Iterator[str]:
    if options.strict and _describe(one) != _describe(other):
        yield f"it is {_describe(one)}, not {_describe(other)}"
    yield from place_differences(one, other, number, options)
    if one.has_table:
        if not other.has_table:
            raise UpstreamRaisesError("a table is paired with a shape that is not a table")
        yield from table_differences(one.table, other.table, options, colours)
    if one.has_text_frame and other.has_text_frame:
        yield from frame_differences(one, other, options, colours)


def _grouped_differences(
    one: Any, other: Any, themes: list[Theme | None], options: DeckOptions
) -> Iterator[str]:
    """Compare all shapes with text again, including those in groups."""
    ones, others = list(text_shapes(one.shapes)), list(text_shapes(other.shapes))
    if len(ones) != len(others):
        yield f"{len(ones)} shapes with text, groups included, not {len(others)}"
    for first, second in zip(ones, others, strict=False):
        if options.strict:
            colours = (
                partial(_colour, themes[0], one, first),
                partial(_colour, themes[1], other, second),
            )
            yield from frame_differences(first, second, options, colours)
            continue
        if options.examine_text and first.text.strip() != second.text.strip():
            yield f"a text is {first.text[:80]!r}, not {second.text[:80]!r}"
        pairs = [side.text_frame.paragraphs for side in (first, second)]
        if len(pairs[0]) != len(pairs[1]):
            yield f"{first.text[:80]!r} has {len(pairs[0])} paragraphs, not {len(pairs[1])}"
        if options.examine_alignment and [*map(aligned, pairs[0])] != [*map(aligned, pairs[1])]:
            yield f"{first.text[:80]!r} has another alignment"


def _colour(theme: Theme | None, slide: Any, shape: Any, paragraph: Any, run: Any) -> str | None:
    if theme is not None and shape.has_text_frame:
        return text_colour(theme, slide, shape, paragraph, run)
    colour = run.font.color
    return str(colour.rgb) if colour.type == MSO_COLOR_TYPE.RGB else None


def _notes(slide: Any) -> str:
    frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    return frame.text.strip() if frame is not None else ""


def _describe(shape: Any) -> str:
    if shape.has_text_frame:
        return "a shape with text"
    if shape.has_table:
        return "a table"
    return str(kind(shape))
