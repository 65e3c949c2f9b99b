"""Text documents (docx, odt): what the paragraphs say and how they look."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from docx.opc.exceptions import OpcError
from pydantic import Field

from ambidex.evaluators import Score, UnreadableError, read_docx, read_odt
from ambidex.evaluators.evidence import BROKEN, read_package
from ambidex.evaluators.paragraphs import Look, Paragraph
from ambidex.evaluators.registry import EvidenceName, evaluator
from ambidex.evaluators.values import shown, verdict

Texts = Annotated[list[str], Field(min_length=1)]


@evaluator
def paragraphs_equal(evidence: Path, *, file: EvidenceName, paragraphs: list[str]) -> Score:
    """The document says these paragraphs and no others, in this order; empty ones do not count."""
    seen = _texts(evidence, file)
    wrong = [
        f"paragraph {number} is {shown(found)}, not {shown(expected)}"
        for number, (found, expected) in enumerate(zip(seen, paragraphs, strict=False), start=1)
        if found != expected
    ]
    if len(seen) != len(paragraphs):
        wrong.append(f"there are {len(seen)} paragraphs, not {len(paragraphs)}")
    return verdict(wrong, f"{file}: all {len(paragraphs)} paragraphs are as expected")


@evaluator
def contains(
    evidence: Path, *, file: EvidenceName, texts: Texts, absent: list[str] | None = None
) -> Score:
    """Each text stands somewhere within one paragraph, and none of `absent` stands anywhere."""
    seen = _texts(evidence, file)
    wrong = [f"{shown(each)} is missing" for each in texts if not any(each in one for one in seen)]
    wrong += [
        f"{shown(each)} is still there" for each in absent or [] if any(each in one for one in seen)
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
    """Wherever `text` stands (once at least), every character of it looks like this.

    `size` is in points, `color` RRGGBB; what is not named does not count. With `only`, no other
    visible character looks so.
    """
    asked = Look(bold, italic, underline, size, font, color)
    wrong, found = [], False
    for inside, characters, look in _pieces(evidence, file, text):
        found = found or inside
        differing = _differences(look, asked)
        if inside and differing:
            wrong.append(f"{shown(characters)} {', '.join(differing)}")
        elif not inside and only and not differing and characters.strip():
            wrong.append(f"{shown(characters)} looks so too")
    if not found:
        wrong.append(f"{shown(text)} is missing")
    return verdict(wrong, f"{file}: {shown(text)} looks as expected")


@evaluator
def aligned(
    evidence: Path,
    *,
    file: EvidenceName,
    paragraphs: Texts,
    alignment: Literal["left", "center", "right", "justify"],
    only: bool = False,
) -> Score:
    """The paragraphs of exactly these texts are aligned so; with `only`, no other that has text."""
    wrong, missing = [], set(paragraphs)
    for each in _paragraphs(evidence, file):
        text = each.text.strip()
        missing.discard(text)
        if text in paragraphs and each.alignment != alignment:
            wrong.append(f"{shown(text)} is aligned {each.alignment}, not {alignment}")
        elif text and text not in paragraphs and only and each.alignment == alignment:
            wrong.append(f"{shown(text)} is aligned {alignment} too")
    wrong += [f"there is no paragraph {shown(text)}" for text in sorted(missing)]
    return verdict(wrong, f"{file}: all {len(paragraphs)} paragraphs are aligned {alignment}")


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
    return [text for each in _paragraphs(evidence, file) if (text := each.text.strip())]


def _pieces(evidence: Path, file: str, text: str) -> Iterator[tuple[bool, str, Look]]:
    """The document in pieces of one look, each inside an occurrence of the text or outside."""
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
                    yield state, piece, run.look
                    piece = ""
                piece, state = piece + character, position in inside
                position += 1
            if piece:
                yield state, piece, run.look


def _differences(look: Look, asked: Look) -> list[str]:
    return [
        f"has {key} {seen if seen is not None else 'unset'}, not {expected}"
        for key, expected in vars(asked).items()
        # A switch that nothing sets is off.
        if expected is not None
        and (seen := getattr(look, key)) != expected
        and not (expected is False and seen is None)
    ]
