"""Metrics on PDF files: text, pictures and number of pages."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import imagehash
import pypdf
from pypdf.errors import PyPdfError
from typing_extensions import TypedDict

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld import given
from ambidex.evaluators.osworld.documents.documents import MOST_CHARACTERS, similarity
from ambidex.evaluators.osworld.registry import metric
from ambidex.evaluators.osworld.rules import matches
from ambidex.evaluators.values import verdict

MOST_PAGES = 2000
MOST_PICTURES = 500
SAME_TEXT = 0.95
"""Minimum similarity of the texts of two PDFs of one document; OSWorld's own figure for PDFs in
archives."""
SAME_PICTURE = 5
"""Maximum number of differing bits (of 64) in the perceptual hashes of the same picture."""


class Pages(TypedDict):
    """A comparison for the number of pages."""

    relation: Literal["eq", "ne", "lt", "le", "gt", "ge"]
    ref_value: Any


@contextmanager
def _opened(content: bytes, name: str) -> Iterator[pypdf.PdfReader]:
    try:
        with given.library(name):
            reader = pypdf.PdfReader(io.BytesIO(content))
            if len(reader.pages) > MOST_PAGES:
                raise UnreadableError(f"{name} has more than {MOST_PAGES} pages")
            yield reader
    except PyPdfError as error:
        raise UnreadableError(f"{name} is not a readable PDF: {error!r:.300}") from error


def pdf_text(content: bytes, name: str) -> str:
    """Extract the text of all pages."""
    text = ""
    with _opened(content, name) as reader:
        for page in reader.pages:
            text += page.extract_text() + "\n"
            if len(text) > MOST_CHARACTERS:
                raise UnreadableError(f"{name} has more than {MOST_CHARACTERS} characters")
    return text.strip()


@metric(
    repairs=(
        "A pair counts fully if the similarity of its texts is at least 0.95, else not at all: "
        "upstream counts the similarity itself, so that an unrelated PDF earns part of the score.",
    )
)
def compare_pdfs(
    result: Path | list[Path | None], expected: Path | list[Path | None], *, strict: bool
) -> Score:
    """The similarity of the texts of two PDFs; for two lists, the mean over the pairs, where an
    unreadable pair scores 0."""
    actual = result if isinstance(result, list) else [result]
    target = expected if isinstance(expected, list) else [expected]
    if not target:
        return Score(0.0, "there is nothing to compare with")
    scores, reasons = [], []
    for one, other in zip(actual, target, strict=False):
        try:
            ratio = similarity(_text(one), _text(other))
        except UnreadableError as unreadable:
            ratio = 0.0
            reasons.append(str(unreadable))
        else:
            reasons.append(f"the similarity of the texts is {ratio:.3f}")
        scores.append(float(ratio >= SAME_TEXT) if strict else ratio)
    return Score(min(1.0, sum(scores) / len(target)), "; ".join(reasons[:5]))


def _text(file: Path | None) -> str:
    return pdf_text(given.read_bytes(file), given.file(file).name)


@metric()
def compare_pdf_images(result: Path, expected: Path) -> Score:
    """The share of pictures in two PDFs that look alike, pair by pair; 1 if neither has any, 0 if
    their numbers differ."""
    actual, target = _hashes(result), _hashes(expected)
    if len(actual) != len(target):
        return Score(0.0, f"there are {len(actual)} pictures, not {len(target)}")
    if not target:
        return Score(1.0, "neither file has pictures")
    same = sum(bool(one - other <= SAME_PICTURE) for one, other in zip(actual, target, strict=True))
    return Score(same / len(target), f"{same} of {len(target)} pictures look alike")


def _hashes(file: Path) -> list[imagehash.ImageHash]:
    hashes: list[imagehash.ImageHash] = []
    with _opened(given.read_bytes(file), given.file(file).name) as reader:
        for page in reader.pages:
            for image in page.images:
                if image.image is None:
                    raise UnreadableError(f"a picture of {file.name} cannot be read")
                hashes.append(imagehash.phash(image.image))
                if len(hashes) > MOST_PICTURES:
                    raise UnreadableError(f"{file.name} has more than {MOST_PICTURES} pictures")
    return hashes


@metric()
def check_pdf_pages(result: Path, expected: Pages) -> Score:
    """The number of pages compares as expected with another number."""
    with _opened(given.read_bytes(result), given.file(result).name) as reader:
        count = len(reader.pages)
    rule = {"method": expected["relation"], "ref": expected["ref_value"]}
    condition = f"{expected['relation']} {expected['ref_value']}"
    wrong = [] if matches(count, rule) else [f"there are {count} pages, not {condition}"]
    return verdict(wrong, f"there are {count} pages")
