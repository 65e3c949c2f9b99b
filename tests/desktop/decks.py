"""Presentations for tests: one to edit, and readers of the files that the tools write."""

from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pptx
from PIL import Image
from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.util import Cm, Pt

from ambidex.host.client.guest import Guest
from tests.desktop.tool_calls import done

WIDE, HIGH = 32.0, 18.0
"""Centimetres: neither the size of a new presentation nor 28 x 21."""


def deck() -> bytes:
    """Four slides: a title; lines with notes; a table and a box; a title only."""
    result = pptx.Presentation()
    result.slide_width, result.slide_height = Cm(WIDE), Cm(HIGH)
    first = result.slides.add_slide(result.slide_layouts[0])
    first.shapes[0].text_frame.text = "Übersicht 日本"
    first.shapes[1].text_frame.text = "by Ana"
    second = result.slides.add_slide(result.slide_layouts[1])
    second.shapes[0].text_frame.text = "To do"
    lines = second.shapes[1].text_frame
    lines.text = 'Book the hall\nBuy "tea"\nמים 🍎'
    bold = lines.paragraphs[0].runs[0]
    bold.font.bold, bold.font.color.theme_color = True, MSO_THEME_COLOR.ACCENT_1
    lines.paragraphs[1].runs[0].font.color.rgb = RGBColor(0x11, 0x22, 0x33)
    second.notes_slide.notes_text_frame.text = "Say hello"
    third = result.slides.add_slide(result.slide_layouts[6])
    table = third.shapes.add_table(2, 3, Cm(2), Cm(2), Cm(12), Cm(2)).table
    table.cell(0, 0).text = "Name"
    box = third.shapes.add_textbox(Cm(4), Cm(10), Cm(8), Cm(2)).text_frame
    box.word_wrap = True
    box.text = "free"
    box.paragraphs[0].runs[0].font.size = Pt(20)
    result.slides.add_slide(result.slide_layouts[5])
    return packed(result)


def packed(made: Any) -> bytes:
    """A presentation as the bytes of its file."""
    content = BytesIO()
    made.save(content)
    return content.getvalue()


def picture(width: int = 200, height: int = 100) -> bytes:
    """A red PNG."""
    content = BytesIO()
    Image.new("RGB", (width, height), (255, 0, 0)).save(content, "PNG")
    return content.getvalue()


def saved(guest: Guest, path: str) -> Any:
    """Save a presentation in the guest and read it from its disk."""
    done(guest, "impress_save", document=path.rpartition("/")[2])
    return pptx.Presentation(BytesIO(guest.get(path)))


def part(content: bytes, name: str) -> str:
    """A member of a presentation's zip file."""
    with ZipFile(BytesIO(content)) as packed:
        return packed.read(name).decode()


def runs(shape: Any) -> list[Any]:
    """The runs of a box, in all its lines."""
    return [run for paragraph in shape.text_frame.paragraphs for run in paragraph.runs]
