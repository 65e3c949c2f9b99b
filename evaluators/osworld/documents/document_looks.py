"""Metrics on character formatting in documents: fonts, colours, italics, strike-through,
highlights."""

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
    Paragraph,
    TextFormat,
    outside_tables,
    read_word,
    visible,
)
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.values import shown, verdict

RED, BLUE = (255, 0, 0), (0, 0, 255)
LARGEST_DISTANCE = 3.5
"""Largest CIEDE2000 distance of two colours that count as the same."""
YELLOW = "#ffff00"
OOR = "{http://openoffice.org/2001/registry}"


class Font(TypedDict):
    """The expected font."""

    font_name: Any


@metric(
    repairs=(
        "A font inherited from styles, the theme or the document counts, and blank runs do not: "
        "upstream requires every run to name the font itself.",
        "Text in tables counts too: upstream checks only paragraphs outside tables.",
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
        reasons = [f"some text is in {font}" for font in sorted(map(str, wrong))]
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
    """Writer's default font in its settings (registrymodifications.xcu) is the expected one."""
    target = expected["font_name"]
    try:
        actual = _default_font(result)
    except UnreadableError as unreadable:
        # Unreadable settings name no font, which matches an expected null.
        return Score(float(target is None), str(unreadable))
    wrong = [] if actual == target else [f"the default font is {actual}"]
    return verdict(wrong, f"the default font is {actual}")


def _default_font(file: Path) -> str | None:
    content = given.read_bytes(file)
    if b"<!DOCTYPE" in content:
        raise UnreadableError(f"{file.name} declares a document type")
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise UnreadableError(f"{file.name} is not XML: {error}") from error
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
        "Both documents must have the same text with the same characters as subscript: upstream "
        "accepts any one run that is subscript in both, whatever its text.",
    )
)
def compare_subscript_contains(result: Path, expected: Path, *, strict: bool) -> Score:
    """Both documents have subscript text in the same place."""
    actual, target = (outside_tables(read_word(file)) for file in (result, expected))
    if strict:
        subscript = [
            [(character, bool(look.subscript)) for one in side for character, look in visible(one)]
            for side in (actual, target)
        ]
        if not any(low for _, low in subscript[1]):
            return Score(0.0, "the expected document has no subscript text")
        wrong = [] if subscript[0] == subscript[1] else ["the wrong characters are subscript"]
        return verdict(wrong, "the same characters are subscript")
    for one, other in zip(actual, target, strict=False):
        for left, right in zip(one.runs, other.runs, strict=False):
            if left.own.subscript and right.own.subscript:
                return Score(1.0, f"{shown(left.text)} is subscript in both")
    return Score(0.0, "no run is subscript in both documents")


@metric(
    repairs=(
        "A run without a colour counts as not coloured: upstream raises at such a run.",
        "Words are judged by their first letter, wherever runs begin: upstream treats every run as "
        "a word.",
    )
)
def evaluate_colored_words_in_tables(
    result: Path, expected: Path, *, threshold: float = LARGEST_DISTANCE, strict: bool
) -> Score:
    """Two documents have the same text, and in the tables of the result, words that start with a
    vowel are red and all others blue."""
    same = same_text(result, expected, strict=strict)
    if same.value < 1:
        return same
    wrong = []
    for paragraph in read_word(result):
        if not (paragraph.in_table and (strict or paragraph.depth == 1)):
            continue
        for word, colors in _words(paragraph) if strict else _runs(paragraph):
            target = RED if word[0].lower() in "aeiou" else BLUE
            for color in colors:
                if color is None and not strict:
                    raise UpstreamRaisesError(f"{shown(word)} has no colour")
                if color is None or _distance(color, target) > threshold:
                    wrong.append(f"{shown(word)} is {color or 'not coloured'}")
                    break
    return verdict(wrong, "all words in tables are coloured")


def _runs(paragraph: Paragraph) -> list[tuple[str, list[Colour | None]]]:
    return [(run.text, [run.own.color]) for run in paragraph.runs if run.text]


def _words(paragraph: Paragraph) -> list[tuple[str, list[Colour | None]]]:
    characters: list[tuple[str, TextFormat]] = [
        (character, run.effective) for run in paragraph.runs for character in run.text
    ]
    text = "".join(character for character, _ in characters)
    return [
        (match[0], [characters[at][1].color for at in range(*match.span())])
        for match in re.finditer(r"\w\S*", text)
    ]


def _distance(one: Colour, other: Colour) -> float:
    first, second = (rgb2lab(np.array([[side]], dtype=np.uint8)) for side in (one, other))
    return float(deltaE_ciede2000(first, second)[0, 0])  # type: ignore[no-untyped-call]


@metric(
    repairs=(
        "Highlights from named, paragraph and inherited styles count: upstream checks only "
        "automatic styles of spans.",
    )
)
def check_highlighted_words(result: Path, expected: Path, *, strict: bool) -> Score:
    """Two documents have the same text, and nothing in the result (odt) is highlighted yellow."""
    same = same_text(result, expected, strict=strict)
    if same.value < 1:
        return same
    highlighted = odt.highlighted(given.office(result), result.name, YELLOW, complete=strict)
    return verdict([f"{shown(text)} is yellow" for text in highlighted], "nothing is yellow")


@metric(
    repairs=(
        "The last paragraph with text counts, and a style may strike it through: upstream checks "
        "the very last paragraph, and an empty one passes.",
    )
)
def evaluate_strike_through_last_paragraph(result: Path, expected: Path, *, strict: bool) -> Score:
    """Two documents have the same text, and the result's last paragraph is all struck through."""
    same = same_text(result, expected, strict=strict)
    if same.value < 1:
        return same
    paragraphs = outside_tables(read_word(result))
    if strict:
        paragraphs = [paragraph for paragraph in paragraphs if paragraph.text.strip()]
    if not paragraphs:
        return Score(0.0, "there is no paragraph")
    last = paragraphs[-1]
    struck = [look.strike for _, look in visible(last)] if strict else _own_strikes(last)
    wrong = [] if all(struck) else [f"not all of {shown(last.text)} is struck through"]
    return verdict(wrong, "the last paragraph is struck through")


def _own_strikes(paragraph: Paragraph) -> list[bool | None]:
    return [run.own.strike for run in paragraph.runs]


@metric(
    repairs=(
        "The same characters must be italic as in the expected document, in tables too, and size "
        "and italics may come from a style: upstream passes a document without italics.",
    )
)
def check_italic_font_size_14(result: Path, expected: Path, *, strict: bool) -> Score:
    """Two documents have the same text, and all italic text in the result has 14 points."""
    same = same_text(result, expected, strict=strict)
    if same.value < 1:
        return same
    actual = read_word(result)
    if not strict:
        runs = [run for table in outside_tables(actual) for run in table.runs if run.own.italic]
        wrong = [f"{shown(run.text)} has {run.own.size}" for run in runs if run.own.size != 14]
        return verdict(wrong, f"all {len(runs)} italic runs have 14 points")
    looks = [character for paragraph in actual for character in visible(paragraph)]
    target = [character for paragraph in read_word(expected) for character in visible(paragraph)]
    wrong = [
        f"{one[0]!r} is {'' if one[1].italic else 'not '}italic, in {one[1].size} points"
        for one, other in zip_longest(looks, target, fillvalue=("", NO_FORMAT))
        if bool(one[1].italic) is not bool(other[1].italic) or (one[1].italic and one[1].size != 14)
    ]
    return verdict(wrong, "all italic text has 14 points")


NO_FORMAT = TextFormat(None, None, None, None, None, None)
