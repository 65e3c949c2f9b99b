"""Stand-in documents and decks: what a task of Writer or Impress begins with, and what it is to
become."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
from PIL import Image
from pptx import Presentation
from pptx.util import Cm

from tests.osworld.books import Files, Make

__all__ = ["PAPERS", "paper", "picture"]

Change = Callable[[Any], object]


def paper(*paragraphs: str, change: Change = lambda made: None) -> Make:
    """A document of these paragraphs, and what `change` does to it."""

    def make(path: Path) -> None:
        made = docx.Document()
        for paragraph in paragraphs:
            made.add_paragraph(paragraph)
        change(made)
        made.save(str(path))

    return make


def slides(*titles: str, change: Change = lambda made: None) -> Make:
    """A deck of titles above an empty slide, and what `change` does to it."""

    def make(path: Path) -> None:
        made = Presentation()
        for title in titles:
            slide = made.slides.add_slide(made.slide_layouts[5])
            slide.shapes.title.text = title
        change(made)
        made.save(str(path))

    return make


def picture(colour: str, size: tuple[int, int] = (64, 48), kind: str = "PNG") -> bytes:
    """A picture of one colour, with a darker left half."""
    made = Image.new("RGB", size, colour)
    made.paste(made.crop((0, 0, size[0] // 2, size[1])).point(lambda value: value // 2))
    content = io.BytesIO()
    made.save(content, kind)
    return content.getvalue()


NOVEL = ("It was a cold day.", "The clocks struck thirteen.", "Nobody looked up.", "It rained.")
WATER = "A glass of H2O a day."
RULES = ("Hand in on time.", "Write two pages.", "Bring a pencil, for luck.")
RIVER = "the long river of the north runs slowly to the sea."
REMARKS = ("Welcome everybody.", "Now the hard part.", "Thank you.")


def double(made: Any) -> None:
    """Two lines apart, the first two paragraphs. Of the last one it is said that it is as it was,
    as Writer says it: that is what upstream compares.
    """
    for paragraph in made.paragraphs[:2]:
        paragraph.paragraph_format.line_spacing = 2.0
    made.paragraphs[-1].paragraph_format.line_spacing = 1.15


def lowered(made: Any) -> None:
    """The 2 of water is set low."""
    made.add_paragraph("A glass of H")
    made.paragraphs[0].add_run("2").font.subscript = True
    made.paragraphs[0].add_run("O a day.")


def struck(made: Any) -> None:
    """The last paragraph is struck through."""
    for run in made.paragraphs[-1].runs:
        run.font.strike = True


def pages(made: Any) -> None:
    """Five pages."""
    for number in range(1, 5):
        made.add_paragraph(f"Page {number}")
        made.add_page_break()
    made.add_paragraph("Page 5")


def remarks(made: Any) -> None:
    """A speaker's note on each slide."""
    for slide, said in zip(made.slides, REMARKS, strict=True):
        slide.notes_slide.notes_text_frame.text = said


def wide(made: Any) -> None:
    """Sideways."""
    made.slide_width, made.slide_height = Cm(28), Cm(21)


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
