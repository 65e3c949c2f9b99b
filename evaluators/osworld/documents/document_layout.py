"""Metrics on the layout of documents: spacing, page breaks, footers, alignment, tab stops."""

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
    """The expected number of page breaks."""

    page_break_count: Any


@metric(
    repairs=(
        "Spacing from styles counts, and no spacing means single: upstream compares the direct "
        "formatting of paragraphs, so that the same layout saved by another program differs.",
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
    return verdict(wrong, f"all {len(target)} paragraphs have the same line spacing")


@metric()
def contains_page_break(result: Path, expected: Breaks | None) -> Score:
    """The document has the expected number of page breaks, and at least one."""
    count = sum(run.breaks for table in outside_tables(read_word(result)) for run in table.runs)
    expected_count = None if expected is None else expected.get("page_break_count")
    target = count if expected_count is None else expected_count
    wrong = [] if count == target and count else [f"there are {count} page breaks, not {target}"]
    return verdict(wrong, f"there are {count} page breaks")


@metric(
    repairs=(
        "A footer must contain a page number field, in any of its paragraphs: upstream accepts any "
        "digit in the first paragraph, such as that of a year.",
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
                numbered = any(re.match(r"\s*PAGE\b", code, re.IGNORECASE) for code in codes)
            else:
                numbered = (
                    any(character.isdigit() for character in paragraphs[0].text)
                    if paragraphs
                    else False
                )
            if not numbered:
                wrong.append(f"the footer of section {number} has no page number")
    return verdict(wrong, "every footer has a page number")


@metric(
    repairs=(
        "The first paragraph with text counts, and a style may centre it: upstream checks the "
        "direct formatting of the very first paragraph, even if it is empty.",
    )
)
def is_first_line_centered(result: Path, *, strict: bool) -> Score:
    """The first paragraph of the document is centred."""
    paragraphs = outside_tables(read_word(result))
    if strict:
        paragraphs = [paragraph for paragraph in paragraphs if paragraph.text.strip()]
    if not paragraphs:
        return Score(0.0, "there is no paragraph")
    centered = paragraphs[0].centered if strict else paragraphs[0].own_centered
    wrong = [] if centered else [f"{shown(paragraphs[0].text)} is not centred"]
    return verdict(wrong, "the first line is centred")


@metric(repairs=("The words must be the expected ones: upstream only counts the words.",))
def check_tabstops(
    result: Path,
    expected: Path,
    *,
    word_number_split_by_tabstop: int | None = None,
    index: int = 0,
    strict: bool,
) -> Score:
    """Two documents have equally many paragraphs with text, each with the expected number of words
    in the part number `index` between tabs, and the same kinds of tab stops. The score decreases
    with the distance of the tab stops, relative to the width of the text."""
    actual, target = (
        [paragraph for paragraph in outside_tables(read_word(file)) if paragraph.text.strip()]
        for file in (result, expected)
    )
    if len(actual) != len(target):
        return Score(0.0, f"there are {len(actual)} paragraphs with text, not {len(target)}")
    for paragraph in actual if word_number_split_by_tabstop is not None else []:
        parts = paragraph.text.split("\t")
        if not -len(parts) <= index < len(parts):
            raise UpstreamRaisesError(f"{shown(paragraph.text)} has no part {index} between tabs")
        words = len(parts[index].split())
        if words != word_number_split_by_tabstop:
            return Score(0.0, f"{shown(parts[index])} has {words} words")
    if not actual and not strict:
        raise UpstreamRaisesError("there are no paragraphs with text to average over")
    width, deviation = _text_width(expected), 0.0
    for one, other in zip(actual, target, strict=True):
        if strict and squeezed(one.text) != squeezed(other.text):
            return Score(0.0, f"a paragraph reads {shown(one.text)}, not {shown(other.text)}")
        kinds = [[tab.alignment for tab in side.tabs] for side in (one, other)]
        if kinds[0] != kinds[1]:
            return Score(0.0, f"{shown(one.text)} has tab stops {kinds[0]}, not {kinds[1]}")
        pairs = zip(one.tabs, other.tabs, strict=True)
        if not width and not strict:
            raise UpstreamRaisesError("the page has no room for text")
        deviation += sum(abs(left.position - right.position) for left, right in pairs) / (
            width or 1
        )
    closeness = 1 - deviation / len(actual) if actual else 1.0
    return Score(max(0.0, closeness), f"the closeness of the tab stops is {closeness:.3f}")


def _text_width(file: Path) -> int:
    with given.library(given.file(file).name):
        page = word.opened(given.office(file), file.name).sections[0]
        width = int(page.page_width) - int(page.left_margin) - int(page.right_margin)  # type: ignore[arg-type]  # a page without a width is unreadable
        return max(0, width)
