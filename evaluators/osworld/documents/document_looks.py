"""Metrics on how the characters of documents look: fonts, colours, slopes, strikes, highlights."""

from __future__ import annotations

import re
from itertools import zip_longest
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from skimage.color import deltaE_ciede2000, rgb2lab
from typing_extensions import TypedDict

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld import given
from ambidex.evaluators.osworld.documents import odt
from ambidex.evaluators.osworld.documents.documents import same_text
from ambidex.evaluators.osworld.documents.word import (
    Colour,
    Look,
    Paragraph,
    outside_tables,
    read_word,
    visible,
)
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.values import shown, verdict

RED, BLUE = (255, 0, 0), (0, 0, 255)
FARTHEST = 3.5
"""How far a colour may be from the one it is taken for, in CIEDE2000."""
YELLOW = "#ffff00"
OOR = "{http://openoffice.org/2001/registry}"


class Font(TypedDict):
    """A font."""

    font_name: Any


@metric(
    repairs=(
        "The font that a run inherits from styles, the theme or the document counts, and blank "
        "runs do not: upstream asks every run to name the font itself.",
        "Text in tables counts, too: upstream looks at paragraphs outside of them alone.",
    )
)
def compare_font_names(result: Path, expected: Font, *, strict: bool) -> Score:
    """Every run of the document has this font."""
    paragraphs = read_word(result)
    if strict:
        wrong = {
            look.font for paragraph in paragraphs for _, look in visible(paragraph)
        } - {expected["font_name"]}  # fmt: skip
        empty = not any(True for paragraph in paragraphs for _ in visible(paragraph))
        reasons = [f"some text is in {each}" for each in sorted(map(str, wrong))]
        return verdict(["there is no text"] if empty else reasons, "all text is in the font")
    runs = [run for table in outside_tables(paragraphs) for run in table.runs]
    reasons = [
        f"{shown(run.text)} names the font {run.own.font}"
        for run in runs
        if run.own.font != expected["font_name"]
    ]
    return verdict(reasons, f"all {len(runs)} runs name the font")


@metric()
def find_default_font(result: Path, expected: Font) -> Score:
    """Writer's standard font, as its settings (registrymodifications.xcu) say."""
    target = expected["font_name"]
    try:
        said = _standard_font(result)
    except UnreadableError as unreadable:
        # Settings that cannot be read name no font, which null asks for.
        return Score(float(target is None), str(unreadable))
    wrong = [] if said == target else [f"the standard font is {said}"]
    return verdict(wrong, f"the standard font is {said}")


def _standard_font(file: Path) -> str | None:
    content = given.held(file)
    if b"<!DOCTYPE" in content:
        raise UnreadableError(f"{file.name} declares a document type")
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise UnreadableError(f"{file.name} is no XML: {error}") from error
    fonts = [
        value.text
        for item in root.findall(".//item")
        if item.get(f"{OOR}path") == "/org.openoffice.Office.Writer/DefaultFont"
        for prop in item.iter("prop")
        if prop.get(f"{OOR}name") == "Standard"
        for value in prop.findall("value")
    ]
    return fonts[-1] if fonts else None


@metric(
    repairs=(
        "Both documents have the same text, with the same characters lowered: upstream is content "
        "with one run somewhere that both lower, whatever it says.",
    )
)
def compare_subscript_contains(result: Path, expected: Path, *, strict: bool) -> Score:
    """Something is lowered (subscript) in both documents at the same place."""
    actual, target = (outside_tables(read_word(file)) for file in (result, expected))
    if strict:
        lowered = [
            [(character, bool(look.subscript)) for one in side for character, look in visible(one)]
            for side in (actual, target)
        ]
        if not any(low for _, low in lowered[1]):
            return Score(0.0, "nothing is lowered in the expected document")
        wrong = [] if lowered[0] == lowered[1] else ["other characters are lowered than expected"]
        return verdict(wrong, "the same characters are lowered")
    for one, other in zip(actual, target, strict=False):
        for left, right in zip(one.runs, other.runs, strict=False):
            if left.own.subscript and right.own.subscript:
                return Score(1.0, f"{shown(left.text)} is lowered in both")
    return Score(0.0, "no run is lowered in both documents")


@metric(
    repairs=(
        "A run without a colour is not coloured: upstream ends in an exception there.",
        "Words are judged, by their first letter, wherever runs begin: upstream takes every run "
        "for a word.",
    )
)
def evaluate_colored_words_in_tables(
    result: Path, expected: Path, *, threshold: float = FARTHEST, strict: bool
) -> Score:
    """Two documents have the same text, and in the tables of the result words that start with a
    vowel are red, others blue."""
    same = same_text(result, expected, strict=strict)
    if same.value < 1:
        return same
    wrong = []
    for paragraph in read_word(result):
        if not (paragraph.in_table and (strict or paragraph.depth == 1)):
            continue
        for said, colors in _words(paragraph) if strict else _runs(paragraph):
            target = RED if said[0].lower() in "aeiou" else BLUE
            for color in colors:
                if color is None and not strict:
                    raise UpstreamRaisesError(f"{shown(said)} has no colour")
                if color is None or _distance(color, target) > threshold:
                    wrong.append(f"{shown(said)} is {color or 'not coloured'}")
                    break
    return verdict(wrong, "all words in tables are coloured")


def _runs(paragraph: Paragraph) -> list[tuple[str, list[Colour | None]]]:
    return [(run.text, [run.own.color]) for run in paragraph.runs if run.text]


def _words(paragraph: Paragraph) -> list[tuple[str, list[Colour | None]]]:
    said: list[tuple[str, Look]] = [
        (character, run.whole) for run in paragraph.runs for character in run.text
    ]
    text = "".join(character for character, _ in said)
    return [
        (found[0], [said[at][1].color for at in range(*found.span())])
        for found in re.finditer(r"\w\S*", text)
    ]


def _distance(one: Colour, other: Colour) -> float:
    first, second = (rgb2lab(np.array([[side]], dtype=np.uint8)) for side in (one, other))
    return float(deltaE_ciede2000(first, second)[0, 0])  # type: ignore[no-untyped-call]


@metric(
    repairs=(
        "Highlights that a named style, a paragraph's style or an inherited one gives count: "
        "upstream looks at automatic styles of spans alone.",
    )
)
def check_highlighted_words(result: Path, expected: Path, *, strict: bool) -> Score:
    """Two documents have the same text, and nothing in the result (odt) is highlighted yellow."""
    same = same_text(result, expected, strict=strict)
    if same.value < 1:
        return same
    left = odt.highlighted(given.office(result), result.name, YELLOW, whole=strict)
    return verdict([f"{shown(each)} is yellow" for each in left], "nothing is yellow")


@metric(
    repairs=(
        "The last paragraph that has text counts, and a style may strike it: upstream looks at the "
        "last paragraph, and an empty one counts as struck.",
    )
)
def evaluate_strike_through_last_paragraph(result: Path, expected: Path, *, strict: bool) -> Score:
    """Two documents have the same text, and all of the result's last paragraph is struck."""
    same = same_text(result, expected, strict=strict)
    if same.value < 1:
        return same
    held = outside_tables(read_word(result))
    if strict:
        held = [each for each in held if each.text.strip()]
    if not held:
        return Score(0.0, "there is no paragraph")
    last = held[-1]
    struck = [look.strike for _, look in visible(last)] if strict else _own_strikes(last)
    wrong = [] if all(struck) else [f"not all of {shown(last.text)} is struck"]
    return verdict(wrong, "the last paragraph is struck")


def _own_strikes(paragraph: Paragraph) -> list[bool | None]:
    return [run.own.strike for run in paragraph.runs]


@metric(
    repairs=(
        "The same characters are italic as in the expected document, in tables too, and size and "
        "slope may come from a style: upstream is content where nothing is italic at all.",
    )
)
def check_italic_font_size_14(result: Path, expected: Path, *, strict: bool) -> Score:
    """Two documents have the same text, and everything italic in the result has 14 points."""
    same = same_text(result, expected, strict=strict)
    if same.value < 1:
        return same
    actual = read_word(result)
    if not strict:
        runs = [run for table in outside_tables(actual) for run in table.runs if run.own.italic]
        wrong = [f"{shown(run.text)} has {run.own.size}" for run in runs if run.own.size != 14]
        return verdict(wrong, f"all {len(runs)} italic runs have 14 points")
    looks = [character for each in actual for character in visible(each)]
    target = [character for each in read_word(expected) for character in visible(each)]
    wrong = [
        f"{one[0]!r} is {'' if one[1].italic else 'not '}italic, in {one[1].size} points"
        for one, other in zip_longest(looks, target, fillvalue=("", NOTHING))
        if bool(one[1].italic) is not bool(other[1].italic) or (one[1].italic and one[1].size != 14)
    ]
    return verdict(wrong, "everything italic has 14 points")


NOTHING = Look(None, None, None, None, None, None)
