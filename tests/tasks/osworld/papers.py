"""Stand-in documents and decks for Writer and Impress tasks: initial and expected files."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
from PIL import Image
from pptx import Presentation
from pptx.util import Cm

from tests.tasks.osworld.books import Files, Make

__all__ = ["PAPERS", "paper", "picture"]

Change = Callable[[Any], object]


def paper(*paragraphs: str, change: Change = lambda document: None) -> Make:
    """A document with these paragraphs, edited by `change`."""

    def make(path: Path) -> None:
        document = docx.Document()
        for paragraph in paragraphs:
            document.add_paragraph(paragraph)
        change(document)
        document.save(str(path))

    return make


def slides(*titles: str, change: Change = lambda document: None) -> Make:
    """A deck with a slide per title, edited by `change`."""

    def make(path: Path) -> None:
        document = Presentation()
        for title in titles:
            slide = document.slides.add_slide(document.slide_layouts[5])
            slide.shapes.title.text = title
        change(document)
        document.save(str(path))

    return make


def picture(colour: str, size: tuple[int, int] = (64, 48), kind: str = "PNG") -> bytes:
    """A picture of one colour, with a darker left half."""
    image = Image.new("RGB", size, colour)
    image.paste(image.crop((0, 0, size[0] // 2, size[1])).point(lambda value: value // 2))
    content = io.BytesIO()
    image.save(content, kind)
    return content.getvalue()


NOVEL = ("It was a cold day.", "The clocks struck thirteen.", "Nobody looked up.", "It rained.")
WATER = "A glass of H2O a day."
RULES = ("Hand in on time.", "Write two pages.", "Bring a pencil, for luck.")
RIVER = "the long river of the north runs slowly to the sea."
REMARKS = ("Welcome everybody.", "Now the hard part.", "Thank you.")


def double(document: Any) -> None:
    """Two lines apart, the first two paragraphs. Of the last one it is said that it is as it was,
    as Writer says it: that is what upstream compares.
    """
    for paragraph in document.paragraphs[:2]:
        paragraph.paragraph_format.line_spacing = 2.0
    document.paragraphs[-1].paragraph_format.line_spacing = 1.15


def lowered(document: Any) -> None:
    """Make the 2 in H2O a subscript."""
    document.add_paragraph("A glass of H")
    document.paragraphs[0].add_run("2").font.subscript = True
    document.paragraphs[0].add_run("O a day.")


def struck(document: Any) -> None:
    """Strike through the last paragraph."""
    for run in document.paragraphs[-1].runs:
        run.font.strike = True


def pages(document: Any) -> None:
    """Five pages."""
    for number in range(1, 5):
        document.add_paragraph(f"Page {number}")
        document.add_page_break()
    document.add_paragraph("Page 5")


def remarks(document: Any) -> None:
    """Add a speaker note to each slide."""
    for slide, text in zip(document.slides, REMARKS, strict=True):
        slide.notes_slide.notes_text_frame.text = text


def wide(document: Any) -> None:
    """Landscape orientation."""
    document.slide_width, document.slide_height = Cm(28), Cm(21)


PAPERS: dict[str, Files] = {
    "libreoffice_writer-0810415c": {
        "Novels_Intro_Packet.docx": paper(*NOVEL),
        "Novels_Intro_Packet_Gold.docx": paper(*NOVEL, change=double),
        "Novels_Intro_Packet_Gold_2.docx": paper(*NOVEL[1:]),
    },
    "libreoffice_writer-0b17a146": {
        "H2O_Factsheet_WA.docx": paper(WATER),
        "H2O_Factsheet_WA_Gold.docx": paper(change=lowered),
    },
    "libreoffice_writer-0e47de2a": {
        "LibreOffice_Open_Source_Word_Processing.docx": paper(*NOVEL),
    },
    "libreoffice_writer-66399b0d": {
        "Table_Of_Work_Effort_Instructions.docx": paper(*RULES),
        "Table_Of_Work_Effort_Instructions_Gold.docx": paper(
            *RULES, change=lambda made: made.add_table(rows=5, cols=7)
        ),
    },
    "libreoffice_writer-72b810ef": {
        "GEOG2169_Course_Outline_2022-23.docx": paper(*RULES),
        "GEOG2169_Course_Outline_2022-23_Gold.docx": paper(*RULES, change=struck),
    },
    "libreoffice_writer-e528b65e": {
        "Geography_And_Magical_Realism.docx": paper(RIVER),
        "Geography_And_Magical_Realism_Gold.docx": paper(
            "The Long River Of The North Runs Slowly To The Sea."
        ),
    },
    "libreoffice_writer-ecc2413d": {
        "Sample_Statutory_Declaration.docx": paper(change=pages),
    },
    "libreoffice_impress-21760ecb": {"Ch4 Video Effect.pptx": slides("Cuts", "Fades")},
    "libreoffice_impress-3b27600c": {"lec17-gui-events.pptx": slides("Clicks", "Keys", "Drags")},
    "libreoffice_impress-ce88f674": {"AM_Last_Page_Template.pptx": slides("End", change=wide)},
    "multi_apps-51f5801c": {
        "Dickinson_Slides.pptx": slides("One", "Two", "Three", change=remarks),
        "notes_gold.docx": paper(*REMARKS),
    },
}
