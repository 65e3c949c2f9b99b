"""Word files (docx), after `evidence.read_package` let them through, as paragraphs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import docx
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml.ns import qn
from docx.styles.style import BaseStyle, CharacterStyle, ParagraphStyle
from docx.text.font import Font
from docx.text.hyperlink import Hyperlink
from docx.text.paragraph import Paragraph as DocxParagraph
from docx.text.run import Run as DocxRun

from ambidex.evaluators.paragraphs import DEEPEST_STYLE, Look, Paragraph, Run

ALIGNMENT = {
    WD_ALIGN_PARAGRAPH.CENTER: "center",
    WD_ALIGN_PARAGRAPH.RIGHT: "right",
    WD_ALIGN_PARAGRAPH.JUSTIFY: "justify",
}


def paragraphs(content: BinaryIO) -> Iterator[Paragraph]:
    """The paragraphs in the order of the file; broken files raise what `evidence.BROKEN` lists."""
    document = docx.Document(content)
    # Elements, not the library's table cells: those multiply by what a hostile gridSpan says.
    for element in document.element.body.iter(qn("w:p")):
        paragraph = DocxParagraph(element, document._body)
        chain = list(ancestry(paragraph.style))
        base = Look()
        for style in reversed(chain):
            base = _look(style.font).over(base)
        runs: list[Run] = []
        for part in paragraph.iter_inner_content():
            inner = part.runs if isinstance(part, Hyperlink) else [part]
            runs += [Run(each.text, _run_look(each).over(base)) for each in inner]
        said = [paragraph.paragraph_format]
        said += [style.paragraph_format for style in chain if isinstance(style, ParagraphStyle)]
        found = [each.alignment for each in said if each.alignment is not None]
        yield Paragraph(tuple(runs), ALIGNMENT.get(found[0], "left") if found else "left")


def ancestry(style: BaseStyle | None) -> Iterator[CharacterStyle]:
    """A style and those it inherits from, the nearest first."""
    for _ in range(DEEPEST_STYLE):
        if not isinstance(style, CharacterStyle):  # what paragraph styles are too
            return
        yield style
        style = style.base_style
    raise ValueError("styles inherit from each other in a ring")


def _run_look(run: DocxRun) -> Look:
    base = Look()
    if run._r.style is not None:
        for style in reversed(list(ancestry(run.style))):
            base = _look(style.font).over(base)
    return _look(run.font).over(base)


def _look(font: Font) -> Look:
    return Look(
        bold=font.bold,
        italic=font.italic,
        underline=None if font.underline is None else bool(font.underline),
        size=font.size.pt if font.size is not None else None,
        font=font.name,
        color=str(font.color.rgb) if font.color.rgb is not None else None,
    )
