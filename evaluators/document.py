"""Evaluators of text documents (docx, odt): text, headings and formatting of paragraphs."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Annotated, Literal

from docx.opc.exceptions import OpcError
from pydantic import Field

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.evidence import BROKEN, read_package
from ambidex.evaluators.paragraphs import CharacterFormat, Paragraph, read_docx, read_odt
from ambidex.evaluators.registry import EvidenceName, TaskFile, evaluator
from ambidex.evaluators.review import comments_in
from ambidex.evaluators.values import shown, verdict

Texts = Annotated[list[str], Field(min_length=1)]


@evaluator
def paragraphs_equal(evidence: Path, *, file: EvidenceName, paragraphs: list[str]) -> Score:
    """The document has these paragraphs and no others, in this order; empty ones do not count."""
    texts = _texts(evidence, file)
    wrong = [
        f"paragraph {number} is {shown(actual)}, not {shown(expected)}"
        for number, (actual, expected) in enumerate(zip(texts, paragraphs, strict=False), start=1)
        if actual != expected
    ]
    if len(texts) != len(paragraphs):
        wrong.append(f"there are {len(texts)} paragraphs, not {len(paragraphs)}")
    return verdict(wrong, f"{file}: all {len(paragraphs)} paragraphs are as expected")


@evaluator
def contains(
    evidence: Path, *, file: EvidenceName, texts: Texts, absent: list[str] | None = None
) -> Score:
    """Each text occurs within a paragraph, and none of `absent` occurs anywhere."""
    paragraphs = _texts(evidence, file)
    wrong = [
        f"{shown(text)} is missing"
        for text in texts
        if not any(text in paragraph for paragraph in paragraphs)
    ]
    wrong += [
        f"{shown(text)} is still there"
        for text in absent or []
        if any(text in paragraph for paragraph in paragraphs)
    ]
    return verdict(wrong, f"{file}: all {len(texts)} texts are there")


@evaluator
def formatted(
    evidence: Path,
    *,
    file: EvidenceName,
    text: Annotated[str, Field(min_length=1)],
    bold: bool | None = None,
    italic: bool | None = None,
    underline: bool | None = None,
    size: float | None = None,
    font: str | None = None,
    color: str | None = None,
    only: bool = False,
) -> Score:
    """Every character of every occurrence of `text` (at least one) has this formatting.

    `size` is in points, `color` is RRGGBB; attributes that are not given are not checked. With
    `only`, no other visible character has this formatting.
    """
    expected = CharacterFormat(bold, italic, underline, size, font, color)
    wrong, occurs = [], False
    for inside, characters, formatting in _pieces(evidence, file, text):
        occurs = occurs or inside
        differing = _differences(formatting, expected)
        if inside and differing:
            wrong.append(f"{shown(characters)} {', '.join(differing)}")
        elif not inside and only and not differing and characters.strip():
            wrong.append(f"{shown(characters)} is formatted like this too")
    if not occurs:
        wrong.append(f"{shown(text)} is missing")
    return verdict(wrong, f"{file}: {shown(text)} is formatted as expected")


@evaluator
def aligned(
    evidence: Path,
    *,
    file: EvidenceName,
    paragraphs: Texts,
    alignment: Literal["left", "center", "right", "justify"],
    only: bool = False,
) -> Score:
    """The paragraphs with exactly these texts have this alignment; with `only`, no other paragraph
    with text has it."""
    wrong, missing = [], set(paragraphs)
    for paragraph in _paragraphs(evidence, file):
        text = paragraph.text.strip()
        missing.discard(text)
        if text in paragraphs and paragraph.alignment != alignment:
            wrong.append(f"{shown(text)} is aligned {paragraph.alignment}, not {alignment}")
        elif text and text not in paragraphs and only and paragraph.alignment == alignment:
            wrong.append(f"{shown(text)} is aligned {alignment} too")
    wrong += [f"there is no paragraph {shown(text)}" for text in sorted(missing)]
    return verdict(wrong, f"{file}: all {len(paragraphs)} paragraphs are aligned {alignment}")


@evaluator
def headings_equal(
    evidence: Path,
    *,
    file: EvidenceName,
    headings: list[str],
    level: Annotated[int, Field(ge=1, le=9)] = 1,
) -> Score:
    """The headings of this level have these texts, in this order. A paragraph that only looks like
    a heading is none."""
    content = read_package(evidence, file)
    try:
        match Path(file).suffix.lower():
            case ".docx":
                found = list(read_docx.headings(content, level))
            case ".odt":
                found = list(read_odt.headings(content, level))
            case _:
                raise UnreadableError(f"{file} is neither .docx nor .odt")
    except (*BROKEN, OpcError) as error:
        raise UnreadableError(f"{file} is not a readable document: {error!r}") from error
    wrong = [] if found == headings else [f"the headings are {found}, not {headings}"]
    return verdict(wrong, f"{file}: all {len(headings)} headings are as expected")


@evaluator
def rest_unchanged(
    evidence: Path,
    *,
    file: EvidenceName,
    original: TaskFile,
    restyled: list[str] | None = None,
    commented: bool = False,
) -> Score:
    """Paragraphs with the same text as in the task's original look as they do there: bold, italic,
    underline, strikethrough, highlighting, size, font and colour of each character, and alignment.
    No comment is new or missing, unless `commented`. Use it with paragraphs_equal, which compares
    the texts.

    `restyled` has the texts of paragraphs that may look different. Pictures, headers, footers,
    spacing and the page do not count.
    """
    before = [one for one in _paragraphs(original.parent, original.name) if one.text.strip()]
    now = [one for one in _paragraphs(evidence, file) if one.text.strip()]
    texts = [paragraph.text for paragraph in before], [paragraph.text for paragraph in now]
    wrong: list[str] = []
    for first, second, count in SequenceMatcher(None, *texts, False).get_matching_blocks():
        same = before[first : first + count], now[second : second + count]
        for old, new in zip(*same, strict=True):
            if old.text.strip() not in (restyled or ()) and (reason := _restyled(old, new)):
                wrong.append(f"{shown(old.text, 40)} {reason}")
    if not commented:
        comments = sorted(comments_in(evidence, file))
        if comments != (expected := sorted(comments_in(original.parent, original.name))):
            wrong.append(f"the comments are {comments}, not {expected}")
    return verdict(wrong, f"{file}: nothing else has changed")


def _restyled(before: Paragraph, now: Paragraph) -> str:
    """How a paragraph looks different now; empty if it does not."""
    if before.alignment != now.alignment:
        return f"is aligned {now.alignment}, not {before.alignment}"
    formats = (
        [_look(run.format) for run in paragraph.runs for _ in run.text]
        for paragraph in (before, now)
    )
    for old, new in dict.fromkeys(zip(*formats, strict=True)):
        for key, value in vars(old).items():
            actual = getattr(new, key)
            # A size or font that nothing names is that of the program that shows the document.
            if actual != value and None not in (actual, value):
                return f"has {key} {actual}, not {value}"
    return ""


def _look(formatting: CharacterFormat) -> CharacterFormat:
    """The formatting with what is seen where nothing sets it."""
    off = CharacterFormat(
        bold=False, italic=False, underline=False, struck=False, highlighted=False, color="000000"
    )
    return formatting.over(off)


def _paragraphs(evidence: Path, file: str) -> list[Paragraph]:
    content = read_package(evidence, file)
    try:
        match Path(file).suffix.lower():
            case ".docx":
                return list(read_docx.paragraphs(content))
            case ".odt":
                return list(read_odt.paragraphs(content))
    except (*BROKEN, OpcError) as error:
        raise UnreadableError(f"{file} is not a readable document: {error!r}") from error
    raise UnreadableError(f"{file} is neither .docx nor .odt")


def _texts(evidence: Path, file: str) -> list[str]:
    return [text for paragraph in _paragraphs(evidence, file) if (text := paragraph.text.strip())]


def _pieces(evidence: Path, file: str, text: str) -> Iterator[tuple[bool, str, CharacterFormat]]:
    """Split the document into pieces of uniform formatting that lie inside or outside an occurrence
    of the text. Yields (inside, characters, formatting)."""
    for paragraph in _paragraphs(evidence, file):
        whole, inside = paragraph.text, set[int]()
        start = whole.find(text)
        while start >= 0:
            inside.update(range(start, start + len(text)))
            start = whole.find(text, start + len(text))
        position = 0
        for run in paragraph.runs:
            piece, state = "", False
            for character in run.text:
                if piece and state != (position in inside):
                    yield state, piece, run.format
                    piece = ""
                piece, state = piece + character, position in inside
                position += 1
            if piece:
                yield state, piece, run.format


def _differences(formatting: CharacterFormat, expected: CharacterFormat) -> list[str]:
    return [
        f"has {key} {actual if actual is not None else 'unset'}, not {value}"
        for key, value in vars(expected).items()
        # An attribute that nothing sets is off.
        if value is not None
        and (actual := getattr(formatting, key)) != value
        and not (value is False and actual is None)
    ]
