"""Comparison of the text of two slides, run by run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pptx.enum.text import PP_ALIGN

__all__ = ["DeckOptions", "bullets", "frame_differences", "table_differences", "unlike"]

Colour = Callable[[Any, Any], str | None]
"""Returns the colour of a run, given its paragraph and the run; `None` excludes it."""


@dataclass(frozen=True)
class DeckOptions:
    """What to compare in two presentations, under OSWorld's names."""

    examine_number_of_slides: bool | None
    examine_shape: bool | None
    examine_text: bool | None
    examine_indent: bool | None
    examine_font_name: bool | None
    examine_font_size: bool | None
    examine_font_bold: bool | None
    examine_font_italic: bool | None
    examine_color_rgb: bool | None
    examine_font_underline: bool | None
    examine_strike_through: bool | None
    examine_alignment: bool | None
    examine_run_count: bool | None
    examine_bullets: bool | None
    examine_background_color: bool | None
    examine_note: bool | None
    examine_title_bottom_position: bool | None
    examine_table_bottom_position: bool | None
    examine_right_position: bool | None
    examine_top_position: bool | None
    examine_shape_for_shift_size: bool | None
    examine_image_size: bool | None
    examine_modify_height: bool | None
    approximately_tolerance: float
    strict: bool


def frame_differences(
    one: Any, other: Any, options: DeckOptions, colours: tuple[Colour, Colour]
) -> Iterator[str]:
    """Differences in the text of two shapes."""
    if options.examine_text and one.text.strip() != other.text.strip():
        yield f"the text is {one.text[:80]!r}, not {other.text[:80]!r}"
    ones, others = one.text_frame.paragraphs, other.text_frame.paragraphs
    if len(ones) != len(others):
        yield f"{len(ones)} paragraphs, not {len(others)}"
    for first, second in zip(ones, others, strict=False):
        if options.examine_alignment and aligned(first) != aligned(second):
            yield f"{first.text[:80]!r} has another alignment"
        if options.examine_text and first.text != second.text:
            yield f"a paragraph is {first.text[:80]!r}, not {second.text[:80]!r}"
        # Levels 0 and 1 look alike in most decks, and upstream does not distinguish them.
        if options.examine_indent and max(first.level, 1) != max(second.level, 1):
            yield f"{first.text[:80]!r} is at level {first.level}, not {second.level}"
        if options.examine_run_count and len(first.runs) != len(second.runs):
            yield f"{first.text[:80]!r} has {len(first.runs)} runs, not {len(second.runs)}"
        for run, target in zip(first.runs, second.runs, strict=False):
            both = colours[0](first, run), colours[1](second, target)
            yield from _run_differences(run, target, options, both)


def aligned(paragraph: Any) -> Any:
    """The alignment of a paragraph, by default left."""
    return paragraph.alignment or PP_ALIGN.LEFT


def _run_differences(
    one: Any, other: Any, options: DeckOptions, colours: tuple[str | None, str | None]
) -> Iterator[str]:
    text = repr(one.text[:80])
    first, second = one.font, other.font
    if options.examine_font_name and first.name != second.name:
        yield f"{text} is in {first.name}, not {second.name}"
    if options.examine_font_size and first.size != second.size:
        sizes = [size.pt if size else "no size of its own" for size in (first.size, second.size)]
        yield f"{text} has {sizes[0]}, not {sizes[1]}"
    if options.examine_font_bold and bool(first.bold) != bool(second.bold):
        yield f"{text} is {'' if first.bold else 'not '}bold"
    if options.examine_font_italic and bool(first.italic) != bool(second.italic):
        yield f"{text} is {'' if first.italic else 'not '}italic"
    if options.examine_color_rgb and None not in colours and colours[0] != colours[1]:
        yield f"{text} has the colour {colours[0]}, not {colours[1]}"
    if options.examine_font_underline and unlike(first.underline, second.underline, options.strict):
        yield f"{text} has another underline"
    strikes = [side._element.get("strike", "noStrike") for side in (first, second)]
    if options.examine_strike_through and strikes[0] != strikes[1]:
        yield f"{text} is struck {strikes[0]}, not {strikes[1]}"


def unlike(one: Any, other: Any, strict: bool) -> bool:
    """Whether two underlines differ; an unset underline equals none."""
    if strict:
        return (one or False) != (other or False)
    if None in (one, other):  # upstream: against unset, only a plain underline counts
        return True in (one, other)
    return bool(one != other)


def table_differences(
    one: Any, other: Any, options: DeckOptions, colours: tuple[Colour, Colour]
) -> Iterator[str]:
    """Differences of two tables, cell by cell."""
    shapes = [(len(side.rows), len(side.columns)) for side in (one, other)]
    if shapes[0] != shapes[1]:
        yield f"the table has {shapes[0]} rows and columns, not {shapes[1]}"
        return
    cells = zip(one.iter_cells(), other.iter_cells(), strict=True)
    for first, second in cells:
        text = repr(first.text[:80])
        if options.strict and options.examine_text and first.text.strip() != second.text.strip():
            yield f"a cell is {text}, not {second.text[:80]!r}"
        ones, others = first.text_frame.paragraphs, second.text_frame.paragraphs
        if len(ones) != len(others):
            yield f"the cell {text} has {len(ones)} paragraphs, not {len(others)}"
        for paragraph, target in zip(ones, others, strict=False):
            if options.examine_run_count and len(paragraph.runs) != len(target.runs):
                yield f"the cell {text} has {len(paragraph.runs)} runs, not {len(target.runs)}"
            for run, model in zip(paragraph.runs, target.runs, strict=False):
                both = colours[0](paragraph, run), colours[1](target, model)
                for difference in _cell_run_differences(run.font, model.font, options, both):
                    yield f"the cell {text} differs in {difference}"


def _cell_run_differences(
    one: Any, other: Any, options: DeckOptions, colours: tuple[str | None, str | None]
) -> Iterator[str]:
    always = not options.strict  # upstream ignores the switches here
    if options.examine_color_rgb and None not in colours and colours[0] != colours[1]:
        yield f"colour ({colours[0]}, not {colours[1]})"
    if (always or options.examine_font_bold) and bool(one.bold) != bool(other.bold):
        yield "bold"
    if (always or options.examine_font_italic) and bool(one.italic) != bool(other.italic):
        yield "italic"
    underlined = always or options.examine_font_underline
    if underlined and unlike(one.underline, other.underline, options.strict):
        yield "underline"


def bullets(slide: Any) -> list[tuple[str, str, str]]:
    """Level, bullet and text of every paragraph of a slide with text."""
    listed = []
    for paragraph in slide._element.iter("{*}p"):
        text = "".join(element.text or "" for element in paragraph.iter("{*}t"))
        properties = paragraph.find("{*}pPr")
        bullet = None if properties is None else properties.find("{*}buChar")
        if text.strip():
            level = "0" if properties is None else properties.get("lvl", "0")
            listed.append((level, "none" if bullet is None else bullet.get("char", ""), text))
    return listed
