"""Paragraphs of OpenDocument texts (odt) that `evidence.read_package` has checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from odf.element import Element, Text
from odf.namespaces import FONS, STYLENS, TEXTNS
from odf.opendocument import load

from ambidex.evaluators.paragraphs import DEEPEST_STYLE, CharacterFormat, Paragraph, Run

ALIGNMENT = {"center": "center", "end": "right", "right": "right", "justify": "justify"}


def paragraphs(content: BinaryIO) -> Iterator[Paragraph]:
    """The paragraphs in document order; broken files raise the exceptions in `evidence.BROKEN`."""
    document = load(content)
    styles: dict[str, Element] = {}
    for container in (document.styles, document.automaticstyles):
        for element in container.childNodes:
            if element.qname == (STYLENS, "style"):
                styles[_attribute(element, STYLENS, "name")] = element
    for element in _descend(document.text):
        if element.qname in {(TEXTNS, "p"), (TEXTNS, "h")}:
            name = _attribute(element, TEXTNS, "style-name")
            formatting, alignment = _format(styles, name)
            runs = tuple(_runs(element, formatting, styles))
            yield Paragraph(runs, ALIGNMENT.get(alignment, "left"))


def headings(content: BinaryIO, level: int) -> Iterator[str]:
    """The texts of all headings of a level; broken files raise the exceptions in
    `evidence.BROKEN`."""
    for element in _descend(load(content).text):
        if element.qname == (TEXTNS, "h"):
            own = _attribute(element, TEXTNS, "outline-level") or "1"
            runs = _runs(element, CharacterFormat(), {})
            text = "".join(run.text for run in runs).strip()
            if own == str(level) and text:
                yield text


def _descend(element: Element) -> Iterator[Element]:
    # Iterative: a hostile file is nested more deeply than Python's recursion limit.
    waiting = [element]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += [child for child in reversed(current.childNodes) if isinstance(child, Element)]


def _runs(
    paragraph: Element, formatting: CharacterFormat, styles: dict[str, Element]
) -> Iterator[Run]:
    waiting: list[tuple[object, CharacterFormat]] = [(paragraph, formatting)]
    while waiting:
        node, formatting = waiting.pop()
        if isinstance(node, Text):
            yield Run(str(node.data), formatting)
        elif isinstance(node, Element):
            match node.qname:
                case (_, "s"):
                    yield Run(" " * min(int(_attribute(node, TEXTNS, "c") or 1), 1000), formatting)
                case (_, "tab"):
                    yield Run("\t", formatting)
                case (_, "line-break"):
                    yield Run("\n", formatting)
                case (_, "span"):
                    own, _ = _format(styles, _attribute(node, TEXTNS, "style-name"))
                    formatting = own.over(formatting)
            waiting += [(child, formatting) for child in reversed(node.childNodes)]


def _format(styles: dict[str, Element], name: str) -> tuple[CharacterFormat, str]:
    formatting, alignment = CharacterFormat(), ""
    for _ in range(DEEPEST_STYLE):
        style = styles.get(name)
        if style is None:
            return formatting, alignment
        for properties in style.childNodes:
            if properties.qname == (STYLENS, "text-properties"):
                formatting = formatting.over(_properties(properties))
            elif properties.qname == (STYLENS, "paragraph-properties"):
                alignment = alignment or _attribute(properties, FONS, "text-align")
        name = _attribute(style, STYLENS, "parent-style-name")
    raise ValueError("the styles inherit from each other in a cycle")


def _properties(element: Element) -> CharacterFormat:
    weight = _attribute(element, FONS, "font-weight")
    slope = _attribute(element, FONS, "font-style")
    line = _attribute(element, STYLENS, "text-underline-style")
    size = _attribute(element, FONS, "font-size")
    color = _attribute(element, FONS, "color")
    font = _attribute(element, STYLENS, "font-name")
    strike = _attribute(element, STYLENS, "text-line-through-style")
    background = _attribute(element, FONS, "background-color")
    return CharacterFormat(
        bold=(weight == "bold" or (weight.isdigit() and int(weight) >= 600)) if weight else None,
        italic=slope in {"italic", "oblique"} if slope else None,
        underline=line != "none" if line else None,
        size=float(size.removesuffix("pt")) if size.endswith("pt") else None,
        font=font or None,
        color=color.removeprefix("#").upper() if color.startswith("#") else None,
        struck=strike != "none" if strike else None,
        highlighted=background != "transparent" if background else None,
    )


def _attribute(element: Element, namespace: str, name: str) -> str:
    return str(element.attributes.get((namespace, name)) or "")
