"""OSWorld's metrics on presentations, with decks by python-pptx and handwritten markup."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from PIL import Image
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.text import MSO_UNDERLINE, PP_ALIGN
from pptx.oxml import parse_xml
from pptx.util import Cm, Inches, Pt

from ambidex.evaluators.osworld.registry import bind_metric
from tests.evaluators.osworld.asked import Case, agrees, file, judge, lacking, nowhere, of

Deck = Any
Edit = Callable[[Deck], object]
MODULES = ("slide_decks", "slides")
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
def saved(of: Callable[[], Deck]) -> bytes:
    """The deck as a file, because opening it is faster than creating it."""
    content = io.BytesIO()
    of().save(content)
    return content.getvalue()


def deck(
    *edits: Edit, name: str = "result.pptx", of: Callable[[], Deck] = base
) -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        result = Presentation(io.BytesIO(saved(of)))
        for edit in edits:
            edit(result)
        result.save(str(folder / name))
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


GREEN, RED = "00B050", "FF0000"
SWITCHES: dict[str, Edit] = {
    "examine_number_of_slides": lambda deck: deck.slides.add_slide(deck.slide_layouts[6]),
    "examine_shape": put(lambda deck: shape(deck, 1, 0), left=Cm(3)),
    "examine_indent": put(list_item(1), level=1),
    "examine_font_name": put(font, name="Arial"),
    "examine_font_size": put(font, size=Pt(21)),
    "examine_font_bold": put(font, bold=True),
    "examine_font_italic": put(font, italic=True),
    "examine_font_underline": put(font, underline=True),
    "examine_strike_through": struck,
    "examine_alignment": put(list_item(0), alignment=PP_ALIGN.CENTER),
    "examine_run_count": split,
    "examine_bullets": bulleted,
    "examine_background_color": ground(0, GREEN),
    "examine_note": put(lambda deck: deck.slides[0].notes_slide.notes_text_frame, text="Say bye"),
}
"""The edit that each switch detects."""


@pytest.mark.parametrize("switch", SWITCHES)
def test_only_its_own_switch_detects_a_difference(switch: str, tmp_path: Path) -> None:
    ones = deck(SWITCHES[switch])(tmp_path), gold()(tmp_path)
    also = {"examine_bullets": False} if switch == "examine_indent" else {}
    on, off = (
        bind_metric("compare_pptx_files", also),
        bind_metric("compare_pptx_files", {switch: False} | also),
    )
    for result, expected in (ones, ones[::-1]):
        actual, unseen = on(result, expected), off(result, expected)
        assert (actual.compat.value, actual.strict.value) == (0, 0)
        assert (unseen.compat.value, unseen.strict.value) == (1, 1)


compare = of("compare_pptx_files")
TEXT = put(lambda deck: shape(deck, 0, 1).text_frame.paragraphs[0].runs[0], text="Won")
BELOW = put(lambda deck: shape(deck, 1, 0), top=Cm(11))
RIGHT = put(lambda deck: shape(deck, 1, 1), left=Cm(13))
UP = put(lambda deck: shape(deck, 1, 1), top=Cm(1))
LOW = put(lambda deck: shape(deck, 2, 0), top=Cm(12))
TALL = put(lambda deck: shape(deck, 1, 1), height=Cm(6))
EMPTY = put(lambda deck: shape(deck, 1, 2), left=Cm(15))
LOOSE = {"examine_shape": False}
COMPARED = [
    compare("right", "the same", deck(), gold()),
    compare("right", "a false for a none", deck(put(font, bold=False, italic=False)), gold()),
    compare("right", "left for none", deck(put(list_item(0), alignment=PP_ALIGN.LEFT)), gold()),
    compare(
        "right", "levels 0 and 1", deck(put(list_item(0), level=1)), gold(), examine_bullets=False
    ),
    compare(
        "right",
        "within the tolerance",
        deck(put(lambda d: shape(d, 1, 1), left=Cm(2) + 3000)),
        gold(),
    ),
    compare("right", "an empty box moved", deck(EMPTY), gold()),
    compare("near", "a text", deck(TEXT), gold()),
    compare(
        "right", "a text, unasked", deck(TEXT), gold(), examine_text=False, examine_bullets=False
    ),
    compare(
        "near",
        "a shape more",
        deck(lambda d: d.slides[1].shapes.add_picture(image(), 0, 0)),
        gold(),
    ),
    compare(
        "near",
        "a paragraph more",
        deck(lambda d: shape(d, 0, 1).text_frame.add_paragraph()),
        gold(),
    ),
    # colours
    compare("near", "another colour", deck(coloured(font, GREEN)), gold(coloured(font, RED))),
    compare(
        "right",
        "unasked",
        deck(coloured(font, GREEN)),
        gold(coloured(font, RED)),
        examine_color_rgb=False,
    ),
    compare("near", "no colour of its own", deck(), gold(coloured(font, RED)), 1, 0),
    compare("right", "the colour it inherits", deck(), gold(coloured(font, "000000"))),
    compare(
        "near",
        "another of the theme",
        deck(themed(font, MSO_THEME_COLOR.ACCENT_1)),
        gold(coloured(font, RED)),
        1,
        0,
    ),
    compare("near", "no colour in a box", deck(), gold(coloured(box_font, RED)), 1, 0),
    compare("right", "black in a box", deck(), gold(coloured(box_font, "000000"))),
    compare(
        "right",
        "the same of the theme",
        deck(themed(font, MSO_THEME_COLOR.ACCENT_1)),
        gold(coloured(font, "4F81BD")),
    ),
    compare("near", "another background", deck(ground(0, GREEN)), gold(ground(0, RED))),
    compare(
        "right",
        "background of the theme",
        deck(ground(0, MSO_THEME_COLOR.ACCENT_1)),
        gold(ground(0, "4F81BD")),
        0,
        1,
    ),
    # tables
    compare(
        "near",
        "a cell's text",
        deck(put(lambda d: shape(d, 2, 0).table.cell(0, 0), text="x")),
        gold(),
        1,
        0,
        examine_bullets=False,
    ),
    compare("near", "a cell in bold", deck(put(cell_font, bold=True)), gold()),
    compare(
        "right",
        "a cell in bold, unasked",
        deck(put(cell_font, bold=True)),
        gold(),
        0,
        1,
        examine_font_bold=False,
    ),
    compare(
        "right",
        "a cell in italics, unasked",
        deck(put(cell_font, italic=True)),
        gold(),
        0,
        1,
        examine_font_italic=False,
    ),
    compare(
        "right",
        "a cell underlined, unasked",
        deck(put(cell_font, underline=True)),
        gold(),
        0,
        1,
        examine_font_underline=False,
    ),
    compare(
        "near", "a cell's colour", deck(coloured(cell_font, RED)), gold(coloured(cell_font, GREEN))
    ),
    compare("right", "a cell's size", deck(put(cell_font, size=Pt(9))), gold()),
    compare(
        "near",
        "a cell's runs",
        deck(lambda d: shape(d, 2, 0).table.cell(0, 0).text_frame.paragraphs[0].add_run()),
        gold(),
    ),
    # groups, underlines, kinds
    compare(
        "near",
        "a text in a group",
        deck(put(lambda d: inside(d).text_frame, text="x")),
        gold(),
        examine_bullets=False,
    ),
    compare(
        "near",
        "aligned in a group",
        deck(put(lambda d: inside(d).text_frame.paragraphs[0], alignment=PP_ALIGN.RIGHT)),
        gold(),
    ),
    compare(
        "near",
        "bold in a group",
        deck(put(lambda d: inside(d).text_frame.paragraphs[0].runs[0].font, bold=True)),
        gold(),
        1,
        0,
    ),
    compare(
        "near",
        "a wavy line for none",
        deck(put(font, underline=MSO_UNDERLINE.WAVY_LINE)),
        gold(),
        1,
        0,
    ),
    compare(
        "near",
        "a wavy line for a plain one",
        deck(put(font, underline=MSO_UNDERLINE.WAVY_LINE)),
        gold(put(font, underline=True)),
    ),
    compare("near", "a picture for a table", deck(pictured), gold(), 1, 0),
    compare("near", "a table for a picture", deck(), gold(pictured)),
    # one task's places
    compare(
        "right", "the title below", deck(BELOW), gold(), **LOOSE, examine_title_bottom_position=True
    ),
    compare(
        "near",
        "the title where it was",
        deck(),
        gold(),
        **LOOSE,
        examine_title_bottom_position=True,
    ),
    compare(
        "near",
        "the title not so low",
        deck(put(lambda d: shape(d, 1, 0), top=Cm(9))),
        gold(),
        **LOOSE,
        examine_title_bottom_position=True,
    ),
    compare(
        "near",
        "the picture moved too",
        deck(BELOW, UP),
        gold(),
        **LOOSE,
        examine_title_bottom_position=True,
    ),
    compare(
        "right", "the table below", deck(LOW), gold(), **LOOSE, examine_table_bottom_position=True
    ),
    compare(
        "near",
        "the table where it was",
        deck(),
        gold(),
        **LOOSE,
        examine_table_bottom_position=True,
    ),
    compare(
        "right",
        "the picture at the right",
        deck(RIGHT),
        gold(),
        **LOOSE,
        examine_right_position=True,
    ),
    compare(
        "near",
        "not so far right",
        deck(put(lambda d: shape(d, 1, 1), left=Cm(11))),
        gold(),
        **LOOSE,
        examine_right_position=True,
    ),
    compare(
        "right", "the picture at the top", deck(UP), gold(), **LOOSE, examine_top_position=True
    ),
    compare(
        "near",
        "not so high",
        deck(put(lambda d: shape(d, 1, 1), top=Cm(6))),
        gold(),
        **LOOSE,
        examine_top_position=True,
    ),
    compare(
        "right",
        "the picture as high",
        deck(TALL, UP),
        gold(TALL),
        **LOOSE,
        examine_modify_height=True,
    ),
    compare(
        "near", "the picture not as high", deck(), gold(TALL), **LOOSE, examine_modify_height=True
    ),
    compare(
        "right",
        "the picture of that size",
        deck(TALL, UP),
        gold(TALL),
        **LOOSE,
        examine_image_size=True,
    ),
    compare("near", "the picture of another", deck(), gold(TALL), **LOOSE, examine_image_size=True),
    compare(
        "near",
        "another text moved",
        deck(BELOW),
        gold(),
        **LOOSE,
        examine_shape_for_shift_size=True,
    ),
    compare("broken", "no package", file("a.pptx", b"PK no more"), gold()),
    compare("broken", "another package", file("a.pptx", b"PK\5\6" + bytes(18)), gold()),
    compare("broken", "missing", nowhere, gold()),
]


def photo(slide: Deck, colour: str, left: int, top: int, width: int, height: int) -> Edit:
    def edit(deck: Deck) -> None:
        if not len(deck.slides):
            deck.slides.add_slide(deck.slide_layouts[6])
        deck.slides[0].shapes.add_picture(image(colour), left, top, width, height)

    return edit


W, H = Inches(10), Inches(7.5)
stretch = of("check_image_stretch_and_center")


def photos(
    colour: str, left: int, top: int, width: int, height: int, name: str = "result.pptx"
) -> Callable[[Path], Path]:
    return deck(photo(None, colour, left, top, width, height), name=name, of=Presentation)


SMALL = photos("navy", Inches(1), Inches(1), Inches(2), Inches(1), "gold.pptx")
STRETCHED = [
    stretch("right", "filled", photos("navy", 0, 0, W, H), SMALL),
    stretch("right", "nearly", photos("navy", Inches(0.2), 0, W - Inches(0.4), H), SMALL),
    stretch("near", "half an inch off", photos("navy", Inches(0.6), 0, W, H), SMALL),
    stretch("near", "as it was", photos("navy", Inches(1), Inches(1), Inches(2), Inches(1)), SMALL),
    stretch("near", "another picture", photos("red", 0, 0, W, H), SMALL),
    stretch(
        "near",
        "no picture before",
        photos("navy", 0, 0, W, H),
        deck(lambda d: d.slides.add_slide(d.slide_layouts[6]), name="gold.pptx", of=Presentation),
    ),
    stretch("broken", "no slide", deck(of=Presentation), SMALL),
    stretch("broken", "no package", file("a.pptx", b""), SMALL),
]

portrait = of("check_slide_orientation_Portrait")
PORTRAIT = [
    portrait("right", "higher", deck(put(lambda d: d, slide_width=H, slide_height=W))),
    portrait("near", "wider", deck()),
    portrait("near", "square", deck(put(lambda d: d, slide_width=H))),
    portrait("broken", "no package", file("a.pptx", b"")),
]


def changing(slide: int, inner: str) -> Edit:
    def edit(deck: Deck) -> None:
        markup = f'<p:transition xmlns:p="{P}">{inner}</p:transition>'
        deck.slides[slide]._element.append(parse_xml(markup))

    return edit


def swapped(made: Callable[[Path], Path]) -> Callable[[Path], Path]:
    """The same file with its first two slides swapped in order."""

    def edited(folder: Path) -> Path:
        path = made(folder)
        with zipfile.ZipFile(path) as archive:
            members = {item: archive.read(item) for item in archive.namelist()}
        root = etree.fromstring(members["ppt/presentation.xml"])
        displayed = root.find(f"{{{P}}}sldIdLst")
        assert displayed is not None
        displayed.insert(0, displayed[1])
        members["ppt/presentation.xml"] = etree.tostring(root)
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        return path

    return edited


DISSOLVE = {"slide_idx": 0, "transition_type": "dissolve"}
transition = of("check_transition")
TRANSITIONS = [
    transition("right", "there", deck(changing(0, "<p:dissolve/>")), DISSOLVE),
    transition("right", "shown first", swapped(deck(changing(1, "<p:dissolve/>"))), DISSOLVE, 0, 1),
    transition("near", "shown next", swapped(deck(changing(0, "<p:dissolve/>"))), DISSOLVE, 1, 0),
    transition("near", "another", deck(changing(0, "<p:fade/>")), DISSOLVE),
    transition("near", "on another slide", deck(changing(1, "<p:dissolve/>")), DISSOLVE),
    transition("near", "on no slide", deck(), {"slide_idx": 7, "transition_type": "dissolve"}),
    transition("broken", "missing", nowhere, DISSOLVE),
]


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


numbers = of("check_page_number_colors")
NUMBERS = [
    numbers("right", "red", deck(number("C9211E")), {"color": "red"}),
    numbers("right", "black", deck(number("101010")), {"color": "black"}),
    numbers("near", "orange", deck(number("FFD000")), {"color": "red"}),
    numbers("near", "blue", deck(number("0000FF"), titles(RED)), {"color": "red"}),
    numbers("near", "a red title", deck(titles(RED)), {"color": "red"}, 1, 0),
    numbers("broken", "no package", file("a.pptx", b""), {"color": "red"}),
]

BLUE = {"rgb": [0, 0, 255], "original_rgb": [255, 255, 255]}
fill = of("evaluate_presentation_fill_to_rgb_distance")
FILLED = [
    fill("right", "all", deck(*(ground(each, "0000FF") for each in range(3))), BLUE),
    fill("near", "two of three", deck(ground(0, "0000FF"), ground(1, "0000FF")), BLUE, 2 / 3),
    fill("near", "none", deck(), BLUE),
    fill("near", "as it was", deck(*(ground(each, "FFFFFF") for each in range(3))), BLUE),
    fill("near", "black", deck(*(ground(each, "000000") for each in range(3))), BLUE, 1 - 3**-0.5),
    fill(
        "right",
        "of the theme",
        deck(*(ground(each, MSO_THEME_COLOR.ACCENT_1) for each in range(3))),
        {"rgb": [0x4F, 0x81, 0xBD]},
        0,
        1,
    ),
    fill("broken", "no slide", deck(of=Presentation), BLUE),
    fill("broken", "no package", file("a.pptx", b""), BLUE),
]

CASES = [*COMPARED, *STRETCHED, *PORTRAIT, *TRANSITIONS, *NUMBERS, *FILLED]


@judge(CASES)
def test_the_verdicts_on_presentations(case: Case, tmp_path: Path) -> None:
    agrees(case, tmp_path)


def test_every_metric_on_presentations_has_a_right_a_near_miss_and_a_broken_case() -> None:
    assert lacking(CASES, *MODULES) == []


VITAL = (
    "[Content_Types].xml",
    "ppt/presentation.xml",
    "ppt/_rels/presentation.xml.rels",
    "ppt/slides/slide1.xml",
    "ppt/slides/_rels/slide1.xml.rels",
    "ppt/slideMasters/slideMaster1.xml",
    "ppt/theme/theme1.xml",
)


def test_a_deck_with_a_missing_part_gets_a_verdict(tmp_path: Path) -> None:
    complete, expected = deck()(tmp_path), gold()(tmp_path)
    with zipfile.ZipFile(complete) as archive:
        members = {item: archive.read(item) for item in archive.namelist()}
    torn = tmp_path / "torn.pptx"
    for removed in VITAL:
        empty = etree.Element(etree.fromstring(members[removed]).tag)
        for left in (members | {removed: etree.tostring(empty)}, members):
            with zipfile.ZipFile(torn, "w") as archive:
                for name, content in left.items():
                    if name != removed or left is not members:
                        archive.writestr(name, content)
            result = bind_metric("compare_pptx_files", {})(torn, expected)
            assert result.strict.value == 0, (removed, left is members, result)


@pytest.mark.parametrize(
    ("metric", "rule"),
    [
        ("check_transition", {"slide_idx": 0, "transition_type": "fade] | //x"}),
        ("evaluate_presentation_fill_to_rgb_distance", {"rgb": [0, 0]}),
    ],
)
def test_a_malformed_rule_is_refused_at_load(metric: str, rule: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=metric):
        bind_metric(metric, {}).check_expected(rule)


def test_an_unread_switch_is_named() -> None:
    assert bind_metric("compare_pptx_files", {"examine_shape_lenient_height": True}).unread == (
        "examine_shape_lenient_height",
    )
