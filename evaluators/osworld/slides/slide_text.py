"""Text of two slides: in what it differs, run by run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pptx.enum.text import PP_ALIGN

__all__ = ["Asked", "bullets", "frame_differences", "table_differences", "unlike"]

Colour = Callable[[Any, Any], str | None]
"""The colour of a run, given its paragraph and itself; `None` where it is not to be compared."""


@dataclass(frozen=True)
class Asked:
    """What is compared of two presentations, in OSWorld's names."""

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
    one: Any, other: Any, asked: Asked, colours: tuple[Colour, Colour]
) -> Iterator[str]:
    """In what the text of two shapes differs."""
    if asked.examine_text and one.text.strip() != other.text.strip():
        yield f"the text is {one.text[:80]!r}, not {other.text[:80]!r}"
    ones, others = one.text_frame.paragraphs, other.text_frame.paragraphs
    if len(ones) != len(others):
        yield f"{len(ones)} paragraphs, not {len(others)}"
    for first, second in zip(ones, others, strict=False):
        if asked.examine_alignment and aligned(first) != aligned(second):
            yield f"{first.text[:80]!r} is aligned otherwise"
        if asked.examine_text and first.text != second.text:
            yield f"a paragraph is {first.text[:80]!r}, not {second.text[:80]!r}"
        # Levels 0 and 1 look alike in most decks, and upstream takes them for one.
        if asked.examine_indent and max(first.level, 1) != max(second.level, 1):
            yield f"{first.text[:80]!r} is at level {first.level}, not {second.level}"
        if asked.examine_run_count and len(first.runs) != len(second.runs):
            yield f"{first.text[:80]!r} has {len(first.runs)} runs, not {len(second.runs)}"
        for run, target in zip(first.runs, second.runs, strict=False):
            both = colours[0](first, run), colours[1](second, target)
            yield from _run_differences(run, target, asked, both)


def aligned(paragraph: Any) -> Any:
    """The alignment of a paragraph; none said is left."""
    return paragraph.alignment or PP_ALIGN.LEFT


def _run_differences(
    one: Any, other: Any, asked: Asked, colours: tuple[str | None, str | None]
) -> Iterator[str]:
    text = repr(one.text[:80])
    first, second = one.font, other.font
    if asked.examine_font_name and first.name != second.name:
        yield f"{text} is in {first.name}, not {second.name}"
    if asked.examine_font_size and first.size != second.size:
        sizes = [each.pt if each else "no size of its own" for each in (first.size, second.size)]
        yield f"{text} has {sizes[0]}, not {sizes[1]}"
    if asked.examine_font_bold and bool(first.bold) != bool(second.bold):
        yield f"{text} is {'' if first.bold else 'not '}bold"
    if asked.examine_font_italic and bool(first.italic) != bool(second.italic):
        yield f"{text} is {'' if first.italic else 'not '}italic"
    if asked.examine_color_rgb and None not in colours and colours[0] != colours[1]:
        yield f"{text} has the colour {colours[0]}, not {colours[1]}"
    if asked.examine_font_underline and unlike(first.underline, second.underline, asked.strict):
        yield f"{text} is underlined otherwise"
    strikes = [side._element.get("strike", "noStrike") for side in (first, second)]
    if asked.examine_strike_through and strikes[0] != strikes[1]:
        yield f"{text} is struck {strikes[0]}, not {strikes[1]}"


def unlike(one: Any, other: Any, strict: bool) -> bool:
    """Whether two underlines differ; none and one that is not said are the same."""
    if strict:
        return (one or False) != (other or False)
    if None in (one, other):  # upstream: against none at all, only the plain line counts
        return True in (one, other)
    return bool(one != other)


def table_differences(
    one: Any, other: Any, asked: Asked, colours: tuple[Colour, Colour]
) -> Iterator[str]:
    """In what two tables differ, cell by cell."""
    shapes = [(len(side.rows), len(side.columns)) for side in (one, other)]
    if shapes[0] != shapes[1]:
        yield f"the table has {shapes[0]} rows and columns, not {shapes[1]}"
        return
    cells = zip(one.iter_cells(), other.iter_cells(), strict=True)
    for first, second in cells:
        text = repr(first.text[:80])
        if asked.strict and asked.examine_text and first.text.strip() != second.text.strip():
            yield f"a cell is {text}, not {second.text[:80]!r}"
        ones, others = first.text_frame.paragraphs, second.text_frame.paragraphs
        if len(ones) != len(others):
            yield f"the cell {text} has {len(ones)} paragraphs, not {len(others)}"
        for paragraph, target in zip(ones, others, strict=False):
            if asked.examine_run_count and len(paragraph.runs) != len(target.runs):
                yield f"the cell {text} has {len(paragraph.runs)} runs, not {len(target.runs)}"
            for run, model in zip(paragraph.runs, target.runs, strict=False):
                both = colours[0](paragraph, run), colours[1](target, model)
                for difference in _cell_run_differences(run.font, model.font, asked, both):
                    yield f"the cell {text} differs in {difference}"


def _cell_run_differences(
    one: Any, other: Any, asked: Asked, colours: tuple[str | None, str | None]
) -> Iterator[str]:
    always = not asked.strict  # upstream does not ask the switches here
    if asked.examine_color_rgb and None not in colours and colours[0] != colours[1]:
        yield f"colour ({colours[0]}, not {colours[1]})"
    if (always or asked.examine_font_bold) and bool(one.bold) != bool(other.bold):
        yield "bold"
    if (always or asked.examine_font_italic) and bool(one.italic) != bool(other.italic):
        yield "italic"
    underlined = always or asked.examine_font_underline
    if underlined and unlike(one.underline, other.underline, asked.strict):
        yield "underline"


def bullets(slide: Any) -> list[tuple[str, str, str]]:
    """Level, bullet and text of every paragraph of a slide that has a text."""
    found = []
    for paragraph in slide._element.iter("{*}p"):
        text = "".join(element.text or "" for element in paragraph.iter("{*}t"))
        properties = paragraph.find("{*}pPr")
        bullet = None if properties is None else properties.find("{*}buChar")
        if text.strip():
            level = "0" if properties is None else properties.get("lvl", "0")
            found.append((level, "none" if bullet is None else bullet.get("char", ""), text))
    return found
