"""Word files (docx) as OSWorld's metrics read them: the direct formatting of paragraphs and runs,
and their effective formatting with styles applied."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import docx
from docx.document import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_TAB_ALIGNMENT
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from docx.oxml.xmlchemy import BaseOxmlElement
from docx.styles.style import ParagraphStyle
from docx.text.font import Font
from docx.text.paragraph import Paragraph as DocxParagraph
from docx.text.parfmt import ParagraphFormat
from docx.text.run import Run as DocxRun

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.osworld import Value, given
from ambidex.evaluators.paragraphs.read_docx import ancestry

MOST_SPANNED = 100_000
"""Maximum sum of the columns that cells span: the library creates a cell for each."""
T = TypeVar("T")
Colour: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True)
class TextFormat:
    """Character formatting; None where nothing sets it."""

    font: str | None
    size: float | None
    """In points."""
    italic: bool | None
    strike: bool | None
    subscript: bool | None
    color: Colour | None


@dataclass(frozen=True)
class Run:
    """Consecutive characters with the same formatting."""

    text: str
    own: TextFormat
    """Direct formatting."""
    effective: TextFormat
    """Formatting with styles applied."""
    breaks: int
    """Number of page breaks."""


@dataclass(frozen=True)
class Tab:
    """A tab stop."""

    position: int
    """Distance from the left margin in EMU."""
    alignment: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; the `own_…` attributes ignore its style."""

    text: str
    runs: tuple[Run, ...]
    in_table: bool
    depth: int
    """Number of nested tables around it."""
    own_centered: bool
    centered: bool
    own_spacing: float | None
    """In lines, or in EMU if it is a length; None if nothing sets it."""
    spacing: float | None
    tabs: tuple[Tab, ...]


def opened(content: io.BytesIO, name: str) -> Document:
    """Open a package that has been checked. Call it, and use the document, within
    `given.library`."""
    document = docx.Document(content)
    spans = document.element.body.iter(qn("w:gridSpan"))
    if sum(abs(int(span.get(qn("w:val")) or 1)) for span in spans) > MOST_SPANNED:
        raise UnreadableError(f"the cells of {name} span more than {MOST_SPANNED} columns")
    return document


def read_own_texts(value: Value) -> list[str]:
    """The texts of the paragraphs in the body of a Word file, whatever its name."""
    name = given.file(value).name
    return read_texts(given.office(value), name, tables=False)


def read_texts(content: io.BytesIO, name: str, *, tables: bool) -> list[str]:
    """The texts of the paragraphs in the body and, with `tables`, in its tables."""
    with given.library(name):
        document = opened(content, name)
        return [
            DocxParagraph(element, document._body).text
            for element in document.element.body.iter(qn("w:p"))
            if _is_top(element) or (tables and _in_table(element))
        ]


def read_word(value: Value) -> list[Paragraph]:
    """The paragraphs of body and tables in document order, with their formatting."""
    name = given.file(value).name
    with given.library(name):
        document = opened(given.office(value), name)
        themes, default = _theme_fonts(document), _Defaults.of(document)
        return [
            _paragraph(element, document, default, themes)
            for element in document.element.body.iter(qn("w:p"))
            if _is_top(element) or _in_table(element)
        ]


def _is_top(paragraph: BaseOxmlElement) -> bool:
    parent = paragraph.getparent()
    return parent is not None and parent.tag == qn("w:body")


def _in_table(paragraph: BaseOxmlElement) -> bool:
    parent = paragraph.getparent()
    return parent is not None and parent.tag == qn("w:tc")


def _paragraph(
    element: BaseOxmlElement, document: Document, default: _Defaults, themes: dict[str, str]
) -> Paragraph:
    paragraph = DocxParagraph(element, document._body)
    styles = list(ancestry(paragraph.style))
    inherited = [*(style.font for style in styles), *default.fonts]
    formats = [style.paragraph_format for style in styles if isinstance(style, ParagraphStyle)]
    formats += default.formats
    own = paragraph.paragraph_format
    alignments = [format.alignment for format in (own, *formats) if format.alignment is not None]
    spacings = [
        format.line_spacing for format in (own, *formats) if format.line_spacing is not None
    ]
    return Paragraph(
        text=paragraph.text,
        runs=tuple(_run(run, inherited, themes) for run in paragraph.runs),
        in_table=_in_table(element),
        depth=sum(1 for _ in element.iterancestors(qn("w:tbl"))),
        own_centered=own.alignment == WD_ALIGN_PARAGRAPH.CENTER,
        centered=bool(alignments) and alignments[0] == WD_ALIGN_PARAGRAPH.CENTER,
        own_spacing=None if own.line_spacing is None else float(own.line_spacing),
        spacing=float(spacings[0]) if spacings else None,
        tabs=tuple(
            Tab(int(stop.position), stop.alignment.name)
            for stop in own.tab_stops
            if stop.alignment is not WD_TAB_ALIGNMENT.CLEAR
            and not (stop.alignment is WD_TAB_ALIGNMENT.LEFT and stop.position == 0)
        ),
    )


def _run(run: DocxRun, inherited: list[Font], themes: dict[str, str]) -> Run:
    styled = [style.font for style in ancestry(run.style)] if run._r.style is not None else []
    breaks = (element.get(qn("w:type")) == "page" for element in run._r.iter(qn("w:br")))
    effective = _format([run.font, *styled, *inherited], themes)
    return Run(run.text, _format([run.font], {}), effective, sum(breaks))


def _format(fonts: list[Font], themes: dict[str, str]) -> TextFormat:
    """Merge formatting: for each attribute, the first font that sets it decides."""

    def first(read: Callable[[Font], T | None]) -> T | None:
        return next((value for font in fonts if (value := read(font)) is not None), None)

    rgb = first(lambda font: font.color.rgb)
    return TextFormat(
        font=first(lambda font: _font_name(font, themes)),
        size=first(lambda font: None if font.size is None else float(font.size.pt)),
        italic=first(lambda font: font.italic),
        strike=first(lambda font: font.strike),
        subscript=first(lambda font: font.subscript),
        color=None if rgb is None else (rgb[0], rgb[1], rgb[2]),
    )


def _font_name(font: Font, themes: dict[str, str]) -> str | None:
    properties = font._element.rPr
    fonts = None if properties is None else properties.rFonts
    theme = None if fonts is None else fonts.get(qn("w:asciiTheme"))
    # A theme font overrides a font given by name.
    return themes.get(str(theme)[:5], font.name)


def _theme_fonts(document: Document) -> dict[str, str]:
    """The typefaces of the theme, "major" and "minor"."""
    typefaces: dict[str, str] = {}
    for rel in document.part.rels.values():
        if rel.reltype == RELATIONSHIP_TYPE.THEME and not rel.is_external:
            root = parse_xml(rel.target_part.blob)
            for kind in ("major", "minor"):
                latin = root.find(f".//{qn(f'a:{kind}Font')}/{qn('a:latin')}")
                if latin is not None:
                    typefaces[kind] = str(latin.get("typeface"))
    return typefaces


@dataclass(frozen=True)
class _Defaults:
    """The document's default formatting; each list has one element or none."""

    fonts: list[Font]
    formats: list[ParagraphFormat]

    @classmethod
    def of(cls, document: Document) -> _Defaults:
        defaults = document.styles.element.find(qn("w:docDefaults"))
        if defaults is None:
            return cls([], [])
        runs, paragraphs = (defaults.find(qn(f"w:{kind}Default")) for kind in ("rPr", "pPr"))
        return cls(
            [] if runs is None else [Font(_Holder(runs))],  # type: ignore[arg-type]
            [] if paragraphs is None else [ParagraphFormat(_Holder(paragraphs))],  # type: ignore[arg-type]
        )


class _Holder:
    """Wraps an element with an rPr or a pPr, so that it can stand in for a run or a paragraph."""

    def __init__(self, element: BaseOxmlElement) -> None:
        self.rPr = element.find(qn("w:rPr"))
        self.pPr = element.find(qn("w:pPr"))


def visible(paragraph: Paragraph) -> Iterator[tuple[str, TextFormat]]:
    """Each visible character of a paragraph with its effective formatting."""
    for run in paragraph.runs:
        for character in run.text:
            if not character.isspace():
                yield character, run.effective


def outside_tables(paragraphs: list[Paragraph]) -> list[Paragraph]:
    """The paragraphs outside tables."""
    return [paragraph for paragraph in paragraphs if not paragraph.in_table]
