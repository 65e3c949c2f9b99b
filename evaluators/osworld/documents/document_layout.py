"""Metrics on how documents are laid out: spacing, breaks, footers, alignment, tab stops."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docx.oxml.ns import qn
from typing_extensions import TypedDict

from ambidex.evaluators import Score
from ambidex.evaluators.osworld import given
from ambidex.evaluators.osworld.documents import word
from ambidex.evaluators.osworld.documents.documents import same_text
from ambidex.evaluators.osworld.documents.word import outside_tables, read_word
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.osworld.text import squeezed
from ambidex.evaluators.values import shown, verdict


class Breaks(TypedDict, total=False):
    """A number of page breaks."""

    page_break_count: Any


@metric(
    repairs=(
        "Spacing that a style gives counts, and none at all is single: upstream compares what "
        "paragraphs say themselves, so that the same look saved by another program differs.",
    )
)
def compare_line_spacing(result: Path, expected: Path, *, strict: bool) -> Score:
    """Two documents have the same text and the same line spacing in every paragraph."""
    same = same_text(result, expected, strict=strict)
    if same.value < 1:
        return same
    actual, target = (outside_tables(read_word(file)) for file in (result, expected))
    if len(actual) != len(target):
        return Score(0.0, f"there are {len(actual)} paragraphs, not {len(target)}")
    wrong = []
    for number, (one, other) in enumerate(zip(actual, target, strict=True), start=1):
        left, right = (side.spacing or 1.0 if strict else side.own_spacing for side in (one, other))
        if left != right:
            wrong.append(f"paragraph {number} has line spacing {left}, not {right}")
    return verdict(wrong, f"all {len(target)} paragraphs are spaced alike")


@metric()
def contains_page_break(result: Path, expected: Breaks | None) -> Score:
    """The document has so many page breaks in its text, and one at least."""
    found = sum(run.breaks for table in outside_tables(read_word(result)) for run in table.runs)
    asked = None if expected is None else expected.get("page_break_count")
    target = found if asked is None else asked
    wrong = [] if found == target and found else [f"there are {found} page breaks, not {target}"]
    return verdict(wrong, f"there are {found} page breaks")


@metric(
    repairs=(
        "A footer must hold a page number, the field, in any of its paragraphs: upstream takes any "
        "digit of the first paragraph for one, such as that of a year.",
    )
)
def has_page_numbers_in_footers(result: Path, *, strict: bool) -> Score:
    """The footer of every section has a page number."""
    wrong = []
    with given.library(given.file(result).name):
        document = word.opened(given.office(result), result.name)
        for number, section in enumerate(document.sections, start=1):
            paragraphs = section.footer.paragraphs
            if strict:
                root = section.footer._element
                codes = [element.text or "" for element in root.iter(qn("w:instrText"))]
                codes += [
                    element.get(qn("w:instr")) or "" for element in root.iter(qn("w:fldSimple"))
                ]
                has = any(re.match(r"\s*PAGE\b", code, re.IGNORECASE) for code in codes)
            else:
                has = any(each.isdigit() for each in paragraphs[0].text) if paragraphs else False
            if not has:
                wrong.append(f"the footer of section {number} has no page number")
    return verdict(wrong, "every footer has a page number")


@metric(
    repairs=(
        "The first paragraph that has text counts, and a style may centre it: upstream looks at "
        "the first paragraph, empty or not, and at what it says itself.",
    )
)
def is_first_line_centered(result: Path, *, strict: bool) -> Score:
    """The first paragraph of the document is centred."""
    held = outside_tables(read_word(result))
    if strict:
        held = [each for each in held if each.text.strip()]
    if not held:
        return Score(0.0, "there is no paragraph")
    centered = held[0].centered if strict else held[0].own_centered
    wrong = [] if centered else [f"{shown(held[0].text)} is not centred"]
    return verdict(wrong, "the first line is centred")


@metric(
    repairs=(
        "The words must be the expected ones: upstream counts them before the tab, but never reads "
        "them.",
    )
)
def check_tabstops(
    result: Path,
    expected: Path,
    *,
    word_number_split_by_tabstop: int | None = None,
    index: int = 0,
    strict: bool,
) -> Score:
    """As many paragraphs with text, each with so many words in the part between tabs that `index`
    names, and the same kinds of tab stops; the score is how near these are, over the text's
    width."""
    actual, target = (
        [one for one in outside_tables(read_word(file)) if one.text.strip()]
        for file in (result, expected)
    )
    if len(actual) != len(target):
        return Score(0.0, f"there are {len(actual)} paragraphs with text, not {len(target)}")
    for each in actual if word_number_split_by_tabstop is not None else []:
        parts = each.text.split("\t")
        if not -len(parts) <= index < len(parts):
            raise UpstreamRaisesError(f"{shown(each.text)} has no part {index} between tabs")
        words = len(parts[index].split())
        if words != word_number_split_by_tabstop:
            return Score(0.0, f"{shown(parts[index])} has {words} words")
    if not actual and not strict:
        raise UpstreamRaisesError("there are no paragraphs with text, so no mean of them")
    width, away = _text_width(expected), 0.0
    for one, other in zip(actual, target, strict=True):
        if strict and squeezed(one.text) != squeezed(other.text):
            return Score(0.0, f"a paragraph says {shown(one.text)}, not {shown(other.text)}")
        kinds = [[tab.alignment for tab in side.tabs] for side in (one, other)]
        if kinds[0] != kinds[1]:
            return Score(0.0, f"{shown(one.text)} has tab stops {kinds[0]}, not {kinds[1]}")
        pairs = zip(one.tabs, other.tabs, strict=True)
        if not width and not strict:
            raise UpstreamRaisesError("the page has no room for text")
        away += sum(abs(left.position - right.position) for left, right in pairs) / (width or 1)
    near = 1 - away / len(actual) if actual else 1.0
    return Score(max(0.0, near), f"the tab stops are {near:.3f} near")


def _text_width(file: Path) -> int:
    with given.library(given.file(file).name):
        page = word.opened(given.office(file), file.name).sections[0]
        width = int(page.page_width) - int(page.left_margin) - int(page.right_margin)  # type: ignore[arg-type]  # a page without a width is no readable one
        return max(0, width)
