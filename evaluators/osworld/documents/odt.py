"""OpenDocument texts (odt) as OSWorld's metrics read them: texts of paragraphs and highlights."""

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


def read_texts(content: io.BytesIO, name: str, *, complete: bool) -> list[str]:
    """The texts of the paragraphs.

    With `complete`, they include headings, tabs, repeated blanks, links and nested spans, which
    upstream skips, and exclude text deleted under recorded changes.
    """
    with given.library(name):
        if not complete:
            # Upstream's library reads the page styles (headers, footers) first.
            parts = _parts(content)
            return [_direct_text(element) for part in parts for element in part.iter(f"{TEXT}p")]
        root = _part(content, "content.xml")
        for body in root.iter(f"{OFFICE}text"):
            for changes in body.findall(f"{TEXT}tracked-changes"):
                body.remove(changes)
        return ["".join(_pieces(element)) for element in root.iter() if element.tag in PARAGRAPHS]


def _pieces(paragraph: Element) -> Iterator[str]:
    yield paragraph.text or ""
    # Iterative: a hostile file is nested more deeply than Python's recursion limit.
    waiting = [iter(paragraph)]
    tails: list[str] = []
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
            if tails:
                yield tails.pop()
        elif child.tag in PARAGRAPHS:  # in a text box: a separate paragraph
            yield child.tail or ""
        else:
            blanks = min(int(child.get(f"{TEXT}c", "1")), MOST_BLANKS)
            yield {f"{TEXT}s": " " * blanks, f"{TEXT}tab": "\t", f"{TEXT}line-break": "\n"}.get(
                child.tag, child.text or ""
            )
            waiting.append(iter(child))
            tails.append(child.tail or "")


def _direct_text(paragraph: Element) -> str:
    text = paragraph.text or ""
    for child in paragraph:
        if child.tag == f"{TEXT}span":
            text += child.text or ""
            text += "".join(nested.tail or "" for nested in child)
        text += child.tail or ""
    return text


def highlighted(content: io.BytesIO, name: str, color: str, *, complete: bool) -> list[str]:
    """The texts with this background colour: spans whose automatic style sets it or, with
    `complete`, any text whose style sets or inherits it."""
    with given.library(name):
        root = _part(content, "content.xml")
        automatic = root.findall(f"*/{STYLE}style")
        if not complete:
            parts = _parts(content)
            names = [
                element.get(f"{STYLE}name")
                for part in parts
                for element in part.findall(f"{OFFICE}automatic-styles/{STYLE}style")
                if any(properties.get(f"{FO}background-color") == color for properties in element)
            ]
            spans = [element for part in parts for element in part.iter(f"{TEXT}span")]
            return [
                "".join(span.itertext()) for span in spans if span.get(f"{TEXT}style-name") in names
            ]
        common = _part(content, "styles.xml").findall(f"*/{STYLE}style")
        styles = {str(style.get(f"{STYLE}name")): style for style in (*common, *automatic)}
        return [
            text
            for text, background in _backgrounds(root, styles)
            if text.strip() and background.lower() == color
        ]


def _backgrounds(root: Element, styles: dict[str, Element]) -> Iterator[tuple[str, str]]:
    """Each piece of text with its effective background colour."""
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
        # A style can set one colour for the paragraph and another for its characters.
        for kind in ("text", "paragraph"):
            properties = style.find(f"{STYLE}{kind}-properties")
            color = None if properties is None else properties.get(f"{FO}background-color")
            if color:
                return color
        name = str(style.get(f"{STYLE}parent-style-name"))
    raise ValueError("the styles inherit from each other in a cycle")


def _parts(content: io.BytesIO) -> list[Element]:
    """The roots of styles.xml, if present, and content.xml."""
    with zipfile.ZipFile(content) as archive:
        names = [name for name in ("styles.xml", "content.xml") if name in archive.namelist()]
    return [_part(content, name) for name in names]


def _part(content: io.BytesIO, member: str) -> Element:
    with zipfile.ZipFile(content) as archive:
        return ElementTree.fromstring(archive.read(member))
