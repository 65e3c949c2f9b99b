"""Presentations to judge: one deck, and the edits that tests make to it."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.oxml import parse_xml
from pptx.util import Cm

Deck = Any
Edit = Callable[[Deck], object]
GREEN, RED = "00B050", "FF0000"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def image(colour: str = "navy") -> io.BytesIO:
    content = io.BytesIO()
    Image.new("RGB", (40, 30), colour).save(content, "PNG")
    content.seek(0)
    return content


def base() -> Deck:
    """Three slides: texts; a title and two pictures; a table and a group."""
    deck = Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes[0].text_frame.text = "Plan"
    body = first.shapes[1].text_frame
    body.text = "One"
    body.add_paragraph().text = "Two"
    body.paragraphs[1].level = 2
    first.notes_slide.notes_text_frame.text = "Say hello"
    second = deck.slides.add_slide(deck.slide_layouts[6])
    second.shapes.add_textbox(Cm(2), Cm(2), Cm(10), Cm(2)).text_frame.text = "Product Comparison"
    second.shapes.add_picture(image(), Cm(2), Cm(8), Cm(4), Cm(3))
    second.shapes.add_textbox(Cm(14), Cm(2), Cm(3), Cm(2))
    third = deck.slides.add_slide(deck.slide_layouts[6])
    table = third.shapes.add_table(2, 2, Cm(2), Cm(3), Cm(10), Cm(3)).table
    for row in range(2):
        for column in range(2):
            table.cell(row, column).text_frame.text = f"{row}{column}"
    group = third.shapes.add_group_shape()
    group.shapes.add_textbox(Cm(2), Cm(10), Cm(5), Cm(2)).text_frame.text = "inside"
    return deck


@cache
def saved(of: Callable[[], Deck], *edits: Edit) -> bytes:
    """The deck with these edits as a file, because opening it is faster than creating it."""
    result = Presentation(io.BytesIO(saved(of))) if edits else of()
    for edit in edits:
        edit(result)
    content = io.BytesIO()
    result.save(content)
    return content.getvalue()


def deck(
    *edits: Edit, name: str = "result.pptx", of: Callable[[], Deck] = base
) -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        (folder / name).write_bytes(saved(of, *edits))
        return folder / name

    return made


def gold(*edits: Edit) -> Callable[[Path], Path]:
    return deck(*edits, name="gold.pptx")


def shape(deck: Deck, slide: int, place: int) -> Any:
    return deck.slides[slide].shapes[place]


def font(deck: Deck) -> Any:
    """The first run of the first list."""
    return shape(deck, 0, 1).text_frame.paragraphs[0].runs[0].font


def box_font(deck: Deck) -> Any:
    return shape(deck, 1, 0).text_frame.paragraphs[0].runs[0].font


def cell_font(deck: Deck) -> Any:
    return shape(deck, 2, 0).table.cell(0, 0).text_frame.paragraphs[0].runs[0].font


def inside(deck: Deck) -> Any:
    """The text box in the group."""
    return shape(deck, 2, 1).shapes[0]


def put(target: Callable[[Deck], Any], **values: Any) -> Edit:
    """An edit that sets attributes of the object that `find` returns."""

    def edit(deck: Deck) -> None:
        for name, value in values.items():
            setattr(target(deck), name, value)

    return edit


def coloured(target: Callable[[Deck], Any], colour: str) -> Edit:
    return put(lambda deck: target(deck).color, rgb=RGBColor.from_string(colour))


def themed(target: Callable[[Deck], Any], colour: MSO_THEME_COLOR) -> Edit:
    return put(lambda deck: target(deck).color, theme_color=colour)


def ground(slide: int, colour: str | MSO_THEME_COLOR) -> Edit:
    """A solid background."""

    def edit(deck: Deck) -> None:
        fill = deck.slides[slide].background.fill
        fill.solid()
        if isinstance(colour, str):
            fill.fore_color.rgb = RGBColor.from_string(colour)
        else:
            fill.fore_color.theme_color = colour

    return edit


def struck(deck: Deck) -> None:
    font(deck)._element.set("strike", "sngStrike")


def bulleted(deck: Deck) -> None:
    properties = shape(deck, 0, 1).text_frame.paragraphs[0]._p.get_or_add_pPr()
    properties.append(parse_xml(f'<a:buChar xmlns:a="{A}" char="–"/>'))


def split(deck: Deck) -> None:
    """The same text in two runs."""
    paragraph = shape(deck, 0, 1).text_frame.paragraphs[0]
    paragraph.runs[0].text = "O"
    paragraph.add_run().text = "ne"


def list_item(place: int) -> Callable[[Deck], Any]:
    return lambda deck: shape(deck, 0, 1).text_frame.paragraphs[place]


def pictured(deck: Deck) -> None:
    """Replace the table by a picture."""
    old = shape(deck, 2, 0)
    new = deck.slides[2].shapes.add_picture(image(), old.left, old.top, old.width, old.height)
    old._element.addprevious(new._element)
    old._element.getparent().remove(old._element)


DISSOLVE = {"slide_idx": 0, "transition_type": "dissolve"}


def changing(slide: int, inner: str) -> Edit:
    def edit(deck: Deck) -> None:
        markup = f'<p:transition xmlns:p="{P}">{inner}</p:transition>'
        deck.slides[slide]._element.append(parse_xml(markup))

    return edit


def number(colour: str) -> Edit:
    """Set the colour of the master's slide number."""

    def edit(deck: Deck) -> None:
        for placeholder in deck.slide_master.placeholders:
            if placeholder.placeholder_format.type == 13:  # of slide numbers
                for properties in placeholder._element.iter(f"{{{A}}}defRPr", f"{{{A}}}rPr"):
                    for fill in properties.findall(f"{{{A}}}solidFill"):
                        properties.remove(fill)
                    markup = f'<a:solidFill xmlns:a="{A}"><a:srgbClr val="{colour}"/></a:solidFill>'
                    properties.insert(0, parse_xml(markup))

    return edit


def titles(colour: str) -> Edit:
    """Add coloured text elsewhere on the master."""

    def edit(deck: Deck) -> None:
        title = next(iter(deck.slide_master.placeholders))
        title.text_frame.paragraphs[0].runs[0].font.color.rgb = RGBColor.from_string(colour)

    return edit
