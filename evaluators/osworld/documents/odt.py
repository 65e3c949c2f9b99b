"""OpenDocument texts (odt) as OSWorld's metrics look at them: texts of paragraphs, highlights."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ambidex.evaluators.osworld import given
from ambidex.evaluators.paragraphs import DEEPEST_STYLE

TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
PARAGRAPHS = (f"{TEXT}p", f"{TEXT}h")
MOST_BLANKS = 1000
FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"


def read_texts(content: io.BytesIO, name: str, *, whole: bool) -> list[str]:
    """The paragraphs' texts; `whole`: with headings, tabs, repeated blanks, links and spans within
    spans, which upstream passes over, and without what was deleted under recorded changes."""
    with given.library(name):
        if not whole:
            # The library that upstream reads with begins with what the pages have in common.
            parts = _parts(content)
            return [_direct(element) for part in parts for element in part.iter(f"{TEXT}p")]
        root = _part(content, "content.xml")
        for body in root.iter(f"{OFFICE}text"):
            for changes in body.findall(f"{TEXT}tracked-changes"):
                body.remove(changes)
        return ["".join(_pieces(element)) for element in root.iter() if element.tag in PARAGRAPHS]


def _pieces(paragraph: Element) -> Iterator[str]:
    yield paragraph.text or ""
    # Without recursion: a hostile file nests deeper than Python calls.
    waiting = [iter(paragraph)]
    tails: list[str] = []
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
            if tails:
                yield tails.pop()
        elif child.tag in PARAGRAPHS:  # of a text box: a paragraph of its own
            yield child.tail or ""
        else:
            blanks = min(int(child.get(f"{TEXT}c", "1")), MOST_BLANKS)
            yield {f"{TEXT}s": " " * blanks, f"{TEXT}tab": "\t", f"{TEXT}line-break": "\n"}.get(
                child.tag, child.text or ""
            )
            waiting.append(iter(child))
            tails.append(child.tail or "")


def _direct(paragraph: Element) -> str:
    said = paragraph.text or ""
    for child in paragraph:
        if child.tag == f"{TEXT}span":
            said += child.text or ""
            said += "".join(each.tail or "" for each in child)
        said += child.tail or ""
    return said


def highlighted(content: io.BytesIO, name: str, color: str, *, whole: bool) -> list[str]:
    """The texts on this background colour: spans with an automatic style of their own that says so;
    `whole`: any text whose style, or one that it inherits from, says so."""
    with given.library(name):
        root = _part(content, "content.xml")
        automatic = root.findall(f"*/{STYLE}style")
        if not whole:
            parts = _parts(content)
            said = [
                element.get(f"{STYLE}name")
                for part in parts
                for element in part.findall(f"{OFFICE}automatic-styles/{STYLE}style")
                if any(held.get(f"{FO}background-color") == color for held in element)
            ]
            spans = [element for part in parts for element in part.iter(f"{TEXT}span")]
            return [
                "".join(span.itertext()) for span in spans if span.get(f"{TEXT}style-name") in said
            ]
        common = _part(content, "styles.xml").findall(f"*/{STYLE}style")
        styles = {str(each.get(f"{STYLE}name")): each for each in (*common, *automatic)}
        return [
            text
            for text, background in _backgrounds(root, styles)
            if text.strip() and background.lower() == color
        ]


def _backgrounds(root: Element, styles: dict[str, Element]) -> Iterator[tuple[str, str]]:
    """Each piece of text with its background colour."""
    waiting: list[tuple[Element, str]] = [(root, "")]
    while waiting:
        element, background = waiting.pop()
        if element.tag in {f"{TEXT}p", f"{TEXT}h", f"{TEXT}span"}:
            own = _background(str(element.get(f"{TEXT}style-name")), styles)
            background = own or background
            yield element.text or "", background
            for child in element:
                yield child.tail or "", background
        waiting += [(child, background) for child in element]


def _background(name: str, styles: dict[str, Element]) -> str:
    for _ in range(DEEPEST_STYLE):
        style = styles.get(name)
        if style is None:
            return ""
        # A paragraph may lie on the colour, and its characters on another one.
        for kind in ("text", "paragraph"):
            properties = style.find(f"{STYLE}{kind}-properties")
            said = None if properties is None else properties.get(f"{FO}background-color")
            if said:
                return said
        name = str(style.get(f"{STYLE}parent-style-name"))
    raise ValueError("styles inherit from each other in a ring")


def _parts(content: io.BytesIO) -> list[Element]:
    """The styles of the pages, if there are any, and the content."""
    with zipfile.ZipFile(content) as archive:
        names = [each for each in ("styles.xml", "content.xml") if each in archive.namelist()]
    return [_part(content, name) for name in names]


def _part(content: io.BytesIO, member: str) -> Element:
    with zipfile.ZipFile(content) as archive:
        return ElementTree.fromstring(archive.read(member))
