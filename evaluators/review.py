"""Evaluators of what reviewers leave in text documents (docx, odt): comments, tracked changes."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.evidence import BROKEN, read_package
from ambidex.evaluators.registry import EvidenceName, evaluator
from ambidex.evaluators.values import shown, verdict

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
ANNOTATION = f"{OFFICE}annotation"
TRACKED = (
    f"{W}ins", f"{W}del", f"{W}moveFrom", f"{W}moveTo", f"{W}rPrChange", f"{W}pPrChange",
    f"{TEXT}changed-region",
)  # fmt: skip


@evaluator
def comments_equal(evidence: Path, *, file: EvidenceName, comments: list[str]) -> Score:
    """The document has comments with these texts and no others, in any order."""
    found = sorted(comments_in(evidence, file))
    wrong = [f"the comment {shown(text)} is missing" for text in _without(comments, found)]
    wrong += [f"there is a comment {shown(text)}" for text in _without(found, comments)]
    return verdict(wrong, f"{file}: the {len(comments)} comments are as expected")


@evaluator
def comments_placed(evidence: Path, *, file: EvidenceName, places: dict[str, str]) -> Score:
    """Each comment that is a key of `places` is on a paragraph that contains the text given for it.
    A comment on several paragraphs is on the last of them."""
    found = list(_places(evidence, file))
    wrong = [
        f"no comment {shown(comment)} is on a paragraph with {shown(text)}"
        for comment, text in places.items()
        if not any(comment == other and text in paragraph for other, paragraph in found)
    ]
    return verdict(wrong, f"{file}: the {len(places)} comments are at their places")


@evaluator
def nothing_tracked(evidence: Path, *, file: EvidenceName) -> Score:
    """No tracked change is left that somebody would have to accept or reject."""
    part = "word/document.xml" if file.lower().endswith(".docx") else "content.xml"
    root = _part(evidence, file, part)
    if root is None:
        raise UnreadableError(f"{file} is not a readable document: it has no {part}")
    count = sum(element.tag in TRACKED for element in root.iter())
    wrong = [f"{count} tracked changes are left"] if count else []
    return verdict(wrong, f"{file}: no tracked change is left")


def comments_in(evidence: Path, file: str) -> list[str]:
    """The texts of the comments in a document."""
    if file.lower().endswith(".docx"):
        return [text for _, text in _word_comments(evidence, file)]
    root = _part(evidence, file, "content.xml")
    elements = [] if root is None else list(root.iter(ANNOTATION))
    return [_annotation(element) for element in elements]


def _without(texts: list[str], others: list[str]) -> list[str]:
    """The texts that remain when each of the others has taken away one equal to it."""
    rest = list(others)
    left = []
    for text in texts:
        if text in rest:
            rest.remove(text)
        else:
            left.append(text)
    return left


def _places(evidence: Path, file: str) -> Iterator[tuple[str, str]]:
    """The comments and the paragraphs that they are on, as texts."""
    if file.lower().endswith(".docx"):
        comments = dict(_word_comments(evidence, file))
        root = _part(evidence, file, "word/document.xml")
        for paragraph in () if root is None else root.iter(f"{W}p"):
            text = "".join(piece.text or "" for piece in paragraph.iter(f"{W}t"))
            for reference in paragraph.iter(f"{W}commentReference"):
                yield comments.get(reference.get(f"{W}id", ""), ""), text
    else:
        root = _part(evidence, file, "content.xml")
        for paragraph in () if root is None else root.iter(f"{TEXT}p"):
            text = "".join(_without_annotations(paragraph))
            for element in paragraph.iter(ANNOTATION):
                yield _annotation(element), text


def _word_comments(evidence: Path, file: str) -> list[tuple[str, str]]:
    """The ids and texts of the comments of a .docx."""
    root = _part(evidence, file, "word/comments.xml")
    return [
        (
            element.get(f"{W}id", ""),
            "\n".join(
                "".join(text.text or "" for text in paragraph.iter(f"{W}t"))
                for paragraph in element.iter(f"{W}p")
            ),
        )
        for element in ([] if root is None else root.findall(f"{W}comment"))
    ]


def _annotation(element: ElementTree.Element) -> str:
    return "\n".join("".join(paragraph.itertext()) for paragraph in element.iter(f"{TEXT}p"))


def _without_annotations(element: ElementTree.Element) -> Iterator[str]:
    """The pieces of text in an element and those below it that are not in a comment."""
    if element.tag != ANNOTATION:
        yield element.text or ""
        for child in element:
            yield from _without_annotations(child)
            yield child.tail or ""


def _part(evidence: Path, file: str, part: str) -> ElementTree.Element | None:
    content = read_package(evidence, file)
    try:
        with zipfile.ZipFile(content) as archive:
            if part not in archive.namelist():
                return None
            return ElementTree.fromstring(archive.read(part))
    except BROKEN as error:
        raise UnreadableError(f"{file} is not a readable document: {error!r}") from error
