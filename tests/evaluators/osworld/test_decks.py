"""OSWorld's comparison of presentations, with decks by python-pptx."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from lxml import etree
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.text import MSO_UNDERLINE, PP_ALIGN
from pptx.util import Cm, Pt

from ambidex.evaluators.osworld.registry import bind_metric
from tests.evaluators.osworld.asked import Case, Kind, agrees, file, judge, lacking, nowhere, of
from tests.evaluators.osworld.decks import (
    GREEN,
    RED,
    Edit,
    box_font,
    bulleted,
    cell_font,
    coloured,
    deck,
    font,
    gold,
    ground,
    image,
    inside,
    list_item,
    pictured,
    put,
    shape,
    split,
    struck,
    themed,
)

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


MODULES = ("slide_decks",)
compare = of("compare_pptx_files")
Edits = Edit | tuple[Edit, ...]


def edited(
    kind: Kind,
    about: str,
    result: Edits = (),
    target: Edits = (),
    /,
    *scores: float,
    **switches: bool,
) -> Case:
    """A comparison of the deck with `result` done to it and the deck with `target` done to it."""
    made = [edits if isinstance(edits, tuple) else (edits,) for edits in (result, target)]
    return compare(kind, about, deck(*made[0]), gold(*made[1]), *scores, **switches)


def moved(slide: int, place: int, **values: int) -> Edit:
    """Set the position or size of a shape."""
    return put(lambda deck: shape(deck, slide, place), **values)


ACCENT = MSO_THEME_COLOR.ACCENT_1
BELOW, LOW = moved(1, 0, top=Cm(11)), moved(2, 0, top=Cm(12))
RIGHT, UP, TALL = moved(1, 1, left=Cm(13)), moved(1, 1, top=Cm(1)), moved(1, 1, height=Cm(6))
TEXT = put(lambda deck: shape(deck, 0, 1).text_frame.paragraphs[0].runs[0], text="Won")
WAVY = put(font, underline=MSO_UNDERLINE.WAVY_LINE)
ANY_BULLETS, ANY_SHAPE = {"examine_bullets": False}, {"examine_shape": False}
TITLE_LOW = ANY_SHAPE | {"examine_title_bottom_position": True}
TABLE_LOW = ANY_SHAPE | {"examine_table_bottom_position": True}
AT_RIGHT = ANY_SHAPE | {"examine_right_position": True}
AT_TOP = ANY_SHAPE | {"examine_top_position": True}
AS_HIGH = ANY_SHAPE | {"examine_modify_height": True}
AS_LARGE = ANY_SHAPE | {"examine_image_size": True}
SHIFTED = ANY_SHAPE | {"examine_shape_for_shift_size": True}
CASES = [
    edited("right", "the same"),
    edited("right", "a false for a none", put(font, bold=False, italic=False)),
    edited("right", "left for none", put(list_item(0), alignment=PP_ALIGN.LEFT)),
    edited("right", "levels 0 and 1", put(list_item(0), level=1), **ANY_BULLETS),
    edited("right", "within the tolerance", moved(1, 1, left=Cm(2) + 3000)),
    edited("right", "an empty box moved", moved(1, 2, left=Cm(15))),
    edited("near", "a text", TEXT),
    edited("right", "a text, unasked", TEXT, examine_text=False, **ANY_BULLETS),
    edited("near", "a shape more", lambda d: d.slides[1].shapes.add_picture(image(), 0, 0)),
    edited("near", "a paragraph more", lambda d: shape(d, 0, 1).text_frame.add_paragraph()),
    # colours
    edited("near", "another colour", coloured(font, GREEN), coloured(font, RED)),
    edited("right", "unasked", coloured(font, GREEN), coloured(font, RED), examine_color_rgb=False),
    edited("near", "no colour of its own", (), coloured(font, RED), 1, 0),
    edited("right", "the colour it inherits", (), coloured(font, "000000")),
    edited("near", "another of the theme", themed(font, ACCENT), coloured(font, RED), 1, 0),
    edited("near", "no colour in a box", (), coloured(box_font, RED), 1, 0),
    edited("right", "black in a box", (), coloured(box_font, "000000")),
    edited("right", "the same of the theme", themed(font, ACCENT), coloured(font, "4F81BD")),
    edited("near", "another background", ground(0, GREEN), ground(0, RED)),
    edited("right", "background of the theme", ground(0, ACCENT), ground(0, "4F81BD"), 0, 1),
    # tables
    edited(
        "near", "a cell's text",
        put(lambda d: shape(d, 2, 0).table.cell(0, 0), text="x"), (), 1, 0, **ANY_BULLETS,
    ),
    edited("near", "a cell in bold", put(cell_font, bold=True)),
    *(
        edited("right", f"a cell {words}, unasked", put(cell_font, **{look: True}), (), 0, 1,
               **{f"examine_font_{look}": False})
        for look, words in
        (("bold", "in bold"), ("italic", "in italics"), ("underline", "underlined"))
    ),
    edited("near", "a cell's colour", coloured(cell_font, RED), coloured(cell_font, GREEN)),
    edited("right", "a cell's size", put(cell_font, size=Pt(9))),
    edited(
        "near", "a cell's runs",
        lambda d: shape(d, 2, 0).table.cell(0, 0).text_frame.paragraphs[0].add_run(),
    ),
    # groups, underlines, kinds
    edited(
        "near", "a text in a group",
        put(lambda d: inside(d).text_frame, text="x"), **ANY_BULLETS,
    ),
    edited(
        "near", "aligned in a group",
        put(lambda d: inside(d).text_frame.paragraphs[0], alignment=PP_ALIGN.RIGHT),
    ),
    edited(
        "near", "bold in a group",
        put(lambda d: inside(d).text_frame.paragraphs[0].runs[0].font, bold=True), (), 1, 0,
    ),
    edited("near", "a wavy line for none", WAVY, (), 1, 0),
    edited("near", "a wavy line for a plain one", WAVY, put(font, underline=True)),
    edited("near", "a picture for a table", pictured, (), 1, 0),
    edited("near", "a table for a picture", (), pictured),
    # one task's places
    edited("right", "the title below", BELOW, **TITLE_LOW),
    edited("near", "the title where it was", **TITLE_LOW),
    edited("near", "the title not so low", moved(1, 0, top=Cm(9)), **TITLE_LOW),
    edited("near", "the picture moved too", (BELOW, UP), **TITLE_LOW),
    edited("right", "the table below", LOW, **TABLE_LOW),
    edited("near", "the table where it was", **TABLE_LOW),
    edited("right", "the picture at the right", RIGHT, **AT_RIGHT),
    edited("near", "not so far right", moved(1, 1, left=Cm(11)), **AT_RIGHT),
    edited("right", "the picture at the top", UP, **AT_TOP),
    edited("near", "not so high", moved(1, 1, top=Cm(6)), **AT_TOP),
    edited("right", "the picture as high", (TALL, UP), TALL, **AS_HIGH),
    edited("near", "the picture not as high", (), TALL, **AS_HIGH),
    edited("right", "the picture of that size", (TALL, UP), TALL, **AS_LARGE),
    edited("near", "the picture of another", (), TALL, **AS_LARGE),
    edited("near", "another text moved", BELOW, **SHIFTED),
    compare("broken", "no package", file("a.pptx", b"PK no more"), gold()),
    compare("broken", "another package", file("a.pptx", b"PK\5\6" + bytes(18)), gold()),
    compare("broken", "missing", nowhere, gold()),
]  # fmt: skip


@judge(CASES)
def test_the_verdicts_on_decks(case: Case, tmp_path: Path) -> None:
    agrees(case, tmp_path)


def test_the_comparison_has_a_right_a_near_miss_and_a_broken_case() -> None:
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


def test_an_unread_switch_is_named() -> None:
    assert bind_metric("compare_pptx_files", {"examine_shape_lenient_height": True}).unread == (
        "examine_shape_lenient_height",
    )
