"""Metrics on PDF files: their text, pictures and number of pages."""

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
from ambidex.evaluators.osworld.documents.documents import MOST_CHARACTERS, alike
from ambidex.evaluators.osworld.registry import metric
from ambidex.evaluators.osworld.rules import matches
from ambidex.evaluators.values import verdict

MOST_PAGES = 2000
MOST_PICTURES = 500
SAME_TEXT = 0.95
"""How alike the texts of two PDFs of one document are at least; OSWorld's own figure where it
compares PDFs in an archive."""
SAME_PICTURE = 5
"""In how many of 64 bits the perceptual hashes of one picture may differ."""


class Pages(TypedDict):
    """A number that the count of pages stands to."""

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
    """The text of all pages, as far as it is text."""
    said = ""
    with _opened(content, name) as reader:
        for page in reader.pages:
            said += page.extract_text() + "\n"
            if len(said) > MOST_CHARACTERS:
                raise UnreadableError(f"{name} has more than {MOST_CHARACTERS} characters")
    return said.strip()


@metric(
    repairs=(
        "A pair counts where its texts are alike by 0.95 at least: upstream counts how alike they "
        "are, so an unrelated PDF earns a part.",
    )
)
def compare_pdfs(
    result: Path | list[Path | None], expected: Path | list[Path | None], *, strict: bool
) -> Score:
    """How alike the texts of two PDFs are; of two lists, the mean over the pairs, one that cannot
    be read counting nothing."""
    actual = result if isinstance(result, list) else [result]
    target = expected if isinstance(expected, list) else [expected]
    if not target:
        return Score(0.0, "there is nothing to compare with")
    scores, reasons = [], []
    for one, other in zip(actual, target, strict=False):
        try:
            found = alike(_text(one), _text(other))
        except UnreadableError as unreadable:
            found = 0.0
            reasons.append(str(unreadable))
        else:
            reasons.append(f"the texts are alike by {found:.3f}")
        scores.append(float(found >= SAME_TEXT) if strict else found)
    return Score(min(1.0, sum(scores) / len(target)), "; ".join(reasons[:5]))


def _text(file: Path | None) -> str:
    return pdf_text(given.held(file), given.file(file).name)


@metric()
def compare_pdf_images(result: Path, expected: Path) -> Score:
    """How many of the pictures in two PDFs look alike, pair by pair; 1 where neither has any, 0
    where one has more."""
    actual, target = _hashes(result), _hashes(expected)
    if len(actual) != len(target):
        return Score(0.0, f"there are {len(actual)} pictures, not {len(target)}")
    if not target:
        return Score(1.0, "neither file has pictures")
    same = sum(bool(one - other <= SAME_PICTURE) for one, other in zip(actual, target, strict=True))
    return Score(same / len(target), f"{same} of {len(target)} pictures look alike")


def _hashes(file: Path) -> list[imagehash.ImageHash]:
    found: list[imagehash.ImageHash] = []
    with _opened(given.held(file), given.file(file).name) as reader:
        for page in reader.pages:
            for image in page.images:
                if image.image is None:
                    raise UnreadableError(f"a picture of {file.name} cannot be read")
                found.append(imagehash.phash(image.image))
                if len(found) > MOST_PICTURES:
                    raise UnreadableError(f"{file.name} has more than {MOST_PICTURES} pictures")
    return found


@metric()
def check_pdf_pages(result: Path, expected: Pages) -> Score:
    """The number of pages stands so to another number."""
    with _opened(given.held(result), given.file(result).name) as reader:
        count = len(reader.pages)
    rule = {"method": expected["relation"], "ref": expected["ref_value"]}
    said = f"{expected['relation']} {expected['ref_value']}"
    wrong = [] if matches(count, rule) else [f"there are {count} pages, not {said}"]
    return verdict(wrong, f"there are {count} pages")
