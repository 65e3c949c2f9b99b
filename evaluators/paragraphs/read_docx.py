"""Paragraphs of Word files (docx) that `evidence.read_package` has checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import docx
from docx.document import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml.ns import qn
from docx.oxml.text.font import CT_RPr
from docx.styles.style import BaseStyle, CharacterStyle, ParagraphStyle
from docx.text.font import Font
from docx.text.hyperlink import Hyperlink
from docx.text.paragraph import Paragraph as DocxParagraph
from docx.text.run import Run as DocxRun

from ambidex.evaluators.paragraphs import DEEPEST_STYLE, CharacterFormat, Paragraph, Run

ALIGNMENT = {
    WD_ALIGN_PARAGRAPH.CENTER: "center",
    WD_ALIGN_PARAGRAPH.RIGHT: "right",
    WD_ALIGN_PARAGRAPH.JUSTIFY: "justify",
}


def paragraphs(content: BinaryIO) -> Iterator[Paragraph]:
    """The paragraphs in document order; broken files raise the exceptions in `evidence.BROKEN`."""
    document = docx.Document(content)
    defaults = _defaults(document)
    # Iterate over elements: a hostile gridSpan would multiply the library's table cells.
    for element in document.element.body.iter(qn("w:p")):
        paragraph = DocxParagraph(element, document._body)
        chain = list(ancestry(paragraph.style))
        base = defaults
        for style in reversed(chain):
            base = _format(style.font).over(base)
        runs: list[Run] = []
        for part in paragraph.iter_inner_content():
            inner = part.runs if isinstance(part, Hyperlink) else [part]
            runs += [Run(run.text, _run_format(run).over(base)) for run in inner]
        formats = [paragraph.paragraph_format]
        formats += [style.paragraph_format for style in chain if isinstance(style, ParagraphStyle)]
        alignments = [format.alignment for format in formats if format.alignment is not None]
        alignment = ALIGNMENT.get(alignments[0], "left") if alignments else "left"
        yield Paragraph(tuple(runs), alignment)


def headings(content: BinaryIO, level: int) -> Iterator[str]:
    """The texts of all headings of a level; broken files raise the exceptions in
    `evidence.BROKEN`."""
    for paragraph in docx.Document(content).paragraphs:
        names = {style.name.casefold() for style in ancestry(paragraph.style) if style.name}
        if f"heading {level}" in names and (text := paragraph.text.strip()):
            yield text


def ancestry(style: BaseStyle | None) -> Iterator[CharacterStyle]:
    """A style and the styles it inherits from, nearest first."""
    for _ in range(DEEPEST_STYLE):
        if not isinstance(style, CharacterStyle):  # paragraph styles are character styles too
            return
        yield style
        style = style.base_style
    raise ValueError("the styles inherit from each other in a cycle")


def _defaults(document: Document) -> CharacterFormat:
    """Size and font of characters for which no style names them."""
    path = "/".join(qn(f"w:{name}") for name in ("docDefaults", "rPrDefault", "rPr"))
    found = document.styles.element.find(path)
    if not isinstance(found, CT_RPr):
        return CharacterFormat()
    size = found.sz_val
    return CharacterFormat(size=None if size is None else size.pt, font=found.rFonts_ascii)


def _run_format(run: DocxRun) -> CharacterFormat:
    base = CharacterFormat()
    if run._r.style is not None:
        for style in reversed(list(ancestry(run.style))):
            base = _format(style.font).over(base)
    return _format(run.font).over(base)


def _format(font: Font) -> CharacterFormat:
    return CharacterFormat(
        bold=font.bold,
        italic=font.italic,
        underline=None if font.underline is None else bool(font.underline),
        size=font.size.pt if font.size is not None else None,
        font=font.name,
        color=str(font.color.rgb) if font.color.rgb is not None else None,
        struck=font.strike,
        highlighted=_is_highlighted(font),
    )


def _is_highlighted(font: Font) -> bool | None:
    """By a highlight or by shading: programs write one as the other."""
    properties = font._element.rPr
    if properties is None:
        return None
    shading = properties.find(qn("w:shd"))
    fill = None if shading is None else shading.get(qn("w:fill"))
    if properties.highlight is None and fill is None:
        return None
    highlight = "none" if properties.highlight is None else properties.highlight.get(qn("w:val"))
    return highlight != "none" or fill not in (None, "auto")
