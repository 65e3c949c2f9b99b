"""Evaluators of presentations (pptx): texts, tables, notes, hidden slides and their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pptx
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.exc import PythonPptxError
from pydantic import Field, StringConstraints

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.evidence import BROKEN, read_package
from ambidex.evaluators.registry import EvidenceName, TaskFile, evaluator
from ambidex.evaluators.values import shown, verdict

__all__ = ["hidden", "notes_equal", "rest_unchanged", "slides_equal", "slides_taken"]

Number = Annotated[int, Field(ge=1)]
NumberText = Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]*$")]
"""The number of a slide, as a key."""
SMALL_PRINT = (PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.DATE)
DEEPEST_GROUP = 16


@evaluator
def slides_equal(evidence: Path, *, file: EvidenceName, slides: list[list[str]]) -> Score:
    """The slides have these lines of text, in this order, and no others.

    The title of a slide comes first, then its boxes in their order, and tables row by row. Empty
    lines, page numbers, footers and dates do not count.
    """
    found = [_lines(slide) for slide in _slides(evidence, file)]
    wrong = [f"there are {len(found)} slides, not {len(slides)}"] * (len(found) != len(slides))
    wrong += [
        f"slide {number} says {shown(now)}, not {shown(expected)}"
        for number, (now, expected) in enumerate(zip(found, slides, strict=False), 1)
        if now != expected
    ]
    return verdict(wrong, f"{file}: all {len(slides)} slides are as expected")


@evaluator
def notes_equal(
    evidence: Path,
    *,
    file: EvidenceName,
    notes: Annotated[dict[NumberText, str], Field(min_length=1)],
    any_breaks: bool = False,
) -> Score:
    """The speaker notes of these slides, by their number from 1; "" for none.

    With `any_breaks`, a line break counts as a blank, and several as one.
    """

    def folded(text: str) -> str:
        return " ".join(text.split()) if any_breaks else text.strip()

    found = [_notes(slide) for slide in _slides(evidence, file)]
    wrong = [
        f"there is no slide {number}"
        if int(number) > len(found)
        else f"the notes of slide {number} are {shown(found[int(number) - 1])}, not {shown(text)}"
        for number, text in notes.items()
        if int(number) > len(found) or folded(found[int(number) - 1]) != folded(text)
    ]
    return verdict(wrong, f"{file}: the notes are as expected")


@evaluator
def hidden(evidence: Path, *, file: EvidenceName, slides: list[Number]) -> Score:
    """Exactly the slides of these numbers are hidden in a slide show."""
    found = [
        number
        for number, slide in enumerate(_slides(evidence, file), 1)
        if slide.element.get("show") in ("0", "false")
    ]
    wrong = [] if found == sorted(slides) else [f"the hidden slides are {found}, not {slides}"]
    return verdict(wrong, f"{file}: the hidden slides are {found}")


@evaluator
def slides_taken(
    evidence: Path,
    *,
    file: EvidenceName,
    original: TaskFile,
    slides: Annotated[list[Number | list[Number]], Field(min_length=1)],
) -> Score:
    """The slides are those of these numbers in the task's original, in this order and no others,
    with their texts, notes and pictures. Slides in a list of their own may be in any order.
    """
    before = [_content(slide) for slide in _slides(original.parent, original.name)]
    now = [_content(slide) for slide in _slides(evidence, file)]
    groups = [[group] if isinstance(group, int) else group for group in slides]
    count = sum(map(len, groups))
    wrong = [f"there are {len(now)} slides, not {count}"] * (len(now) != count)
    start = 0
    for group in groups:
        found = now[start : start + len(group)]
        wanted = Counter(before[number - 1] for number in group if number <= len(before))
        wrong += [
            f"slide {at} is {shown(slide)}, not slide {' or '.join(map(str, group))} of before"
            for at, slide in enumerate(found, start + 1)
            if slide not in wanted
        ]
        start += len(group)
        if not wrong and Counter(found) != wanted:
            wrong.append(f"the slides {group} of before are not all there")
    return verdict(wrong, f"{file}: the {count} slides are those of before, in the right order")


@evaluator
def rest_unchanged(
    evidence: Path, *, file: EvidenceName, original: TaskFile, changed: list[Number] | None = None
) -> Score:
    """Apart from the slides of these numbers, the presentation has the texts, notes and pictures of
    the task's original; there are as many slides as before."""
    before = _slides(original.parent, original.name)
    now = _slides(evidence, file)
    wrong = [f"there are {len(now)} slides, not {len(before)}"] * (len(now) != len(before))
    for number, (old, new) in enumerate(zip(before, now, strict=False), 1):
        if number in (changed or []):
            continue
        wrong += [
            f"{what} of slide {number} was {shown(one)}, is {shown(other)}"
            for what, one, other in (
                ("the text", _lines(old), _lines(new)),
                ("the notes", _notes(old), _notes(new)),
                ("the number of pictures", _pictures(old), _pictures(new)),
            )
            if one != other
        ]
    return verdict(wrong, f"{file}: the other slides are unchanged")


def _slides(evidence: Path, file: str) -> list[Any]:
    content = read_package(evidence, file)
    try:
        return list(pptx.Presentation(content).slides)
    except (*BROKEN, PythonPptxError) as error:
        raise UnreadableError(f"{file} is not a readable presentation: {error!r}") from error


def _lines(slide: Any) -> list[str]:
    shapes = sorted(_shapes(slide.shapes), key=lambda shape: not _is_title(shape))
    lines: list[str] = []
    for shape in shapes:
        if shape.has_text_frame:
            lines += shape.text_frame.text.replace("\v", "\n").split("\n")
        elif getattr(shape, "has_table", False):
            lines += [cell.text for row in shape.table.rows for cell in row.cells]
    return [text for line in lines if (text := " ".join(line.split()))]


def _shapes(shapes: Any, depth: int = 0) -> Iterator[Any]:
    for shape in shapes:
        if depth < DEEPEST_GROUP and hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes, depth + 1)
        elif not shape.is_placeholder or shape.placeholder_format.type not in SMALL_PRINT:
            yield shape


def _is_title(shape: Any) -> bool:
    return shape.is_placeholder and shape.placeholder_format.type in (
        PP_PLACEHOLDER.TITLE,
        PP_PLACEHOLDER.CENTER_TITLE,
    )


def _notes(slide: Any) -> str:
    if not slide.has_notes_slide:
        return ""
    frame = slide.notes_slide.notes_text_frame
    return "" if frame is None else str(frame.text).replace("\v", "\n").strip()


def _content(slide: Any) -> tuple[tuple[str, ...], str, int]:
    return tuple(_lines(slide)), _notes(slide), _pictures(slide)


def _pictures(slide: Any) -> int:
    return sum(hasattr(shape, "image") for shape in _shapes(slide.shapes))
