"""Impress's tools for slides, boxes and media in the real Impress, checked with python-pptx, in
XML, and with Pillow.
"""

import math
import struct
import wave
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import docx
import pptx
import pytest
from PIL import Image
from pptx.util import Cm
from pypdf import PdfReader

from ambidex.host.client.guest import Guest
from tests.desktop.decks import HIGH, WIDE, deck, part, picture, saved
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, read, refused

TALK = "~/tools/talk.pptx"
NEAR = 0.02
"""Centimetres by which a saved place may differ: an office counts in 1/100 mm."""


@pytest.fixture(scope="module")
def impress(guest: Guest) -> Guest:
    """A guest in which a tool has opened a presentation, with a picture and an audio file."""
    guest.put(TALK, deck())
    guest.put("~/tools/red pic.png", picture())
    guest.put("~/tools/beep ö.wav", sound())
    done(guest, "impress_open_presentation", path=TALK)
    guest.wait_window("talk.pptx", timeout=60)
    return guest


def sound() -> bytes:
    """An audio file of a tenth of a second."""
    content = BytesIO()
    with wave.open(content, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(8000)
        tone = (int(9000 * math.sin(item / 3)) for item in range(800))
        out.writeframes(b"".join(struct.pack("<h", item) for item in tone))
    return content.getvalue()


def titles(guest: Guest) -> list[str]:
    """Titles of the slides in the saved file."""
    result = saved(guest, TALK).slides
    return [item.shapes.title.text if item.shapes.title else "" for item in result]


def box(guest: Guest, slide: int, index: int) -> Any:
    """A box in the saved file."""
    return saved(guest, TALK).slides[slide - 1].shapes[index]


def centimetres(shape: Any) -> list[float]:
    """Left, top, width and height in centimetres."""
    return [item / Cm(1) for item in (shape.left, shape.top, shape.width, shape.height)]


@proves(
    "python-pptx reads the saved file",
    impress_duplicate_slide="the copy, notes included, follows the slide that was named",
    impress_move_slide="the slide has that number",
    impress_delete_slide="the slide is gone",
    impress_insert_slide="a slide with that layout has that number",
    impress_undo="the order is that of before",
)
def test_slides_are_added_deleted_and_moved(impress: Guest) -> None:
    before = titles(impress)
    assert before == ["Übersicht 日本", "To do", "", ""]
    order = done(impress, "impress_duplicate_slide", slide_index=2, target_position=3)
    assert (order["slide_index"], order["slide_count"]) == (4, 5)
    assert titles(impress) == ["Übersicht 日本", "To do", "", "To do", ""]
    copy = saved(impress, TALK).slides[3]
    assert copy.notes_slide.notes_text_frame.text == "Say hello"
    done(impress, "impress_move_slide", slide_index=1, target_position=5)
    assert titles(impress) == ["To do", "", "To do", "", "Übersicht 日本"]
    done(impress, "impress_move_slide", slide_index=5, target_position=1)
    done(impress, "impress_duplicate_slide", slide_index=5, target_position=1)
    done(impress, "impress_delete_slide", slide_index=3)
    done(impress, "impress_insert_slide", position=1, layout="title_only")
    done(impress, "impress_write_text", page_index=1, box_index=0, content="New")
    assert titles(impress) == ["New", "Übersicht 日本", "", "", "To do", ""]
    for _ in range(7):
        done(impress, "impress_undo")
    assert titles(impress) == before
    copied = {"slide_index": 4, "target_position": 5}
    assert refused(impress, "impress_duplicate_slide", **copied)[0] == "no_slide"
    assert refused(impress, "impress_move_slide", **copied)[0] == "no_slide"
    assert refused(impress, "impress_delete_slide", slide_index=5)[0] == "no_slide"
    assert refused(impress, "impress_insert_slide", position=6)[0] == "no_slide"


@proves(
    "the picture of the screen",
    impress_goto_slide="the window shows another slide",
)
def test_a_slide_is_shown(impress: Guest) -> None:
    assert done(impress, "impress_goto_slide", slide_index=2)["title"] == "To do"
    first = impress.screenshot(settle=5).png()
    assert done(impress, "impress_env_info", page_indices=[1])["current_slide"] == 2
    done(impress, "impress_goto_slide", slide_index=3)
    assert impress.screenshot(settle=5).png() != first
    assert refused(impress, "impress_goto_slide", slide_index=5)[0] == "no_slide"


@proves(
    "python-pptx reads the saved file",
    impress_position_box="edges and corners are those of a slide of 32 x 18 cm",
    impress_place_box="place and size in cm",
    impress_set_background_color="the fill of the box, of every cell of a table",
    impress_delete_content="the box is gone, the others stay",
    impress_undo="place, fill and box come back",
)
def test_boxes_are_moved_filled_and_deleted(impress: Guest) -> None:
    free = {"slide_index": 3, "box_index": 1}
    wide, high = centimetres(box(impress, 3, 1))[2:]
    for position, x, y in (
        ("right", WIDE - wide, 10.0),
        ("top", WIDE - wide, 0.0),
        ("bottom-left", 0.0, HIGH - high),
        ("center", (WIDE - wide) / 2, (HIGH - high) / 2),
    ):
        moved = done(impress, "impress_position_box", **free, position=position)
        assert (moved["after"]["x"], moved["after"]["y"]) == pytest.approx((x, y), abs=NEAR)
        assert centimetres(box(impress, 3, 1))[:2] == pytest.approx((x, y), abs=NEAR)
    done(impress, "impress_place_box", **free, x=1.5, y=2.5, width=9, height=4)
    assert centimetres(box(impress, 3, 1)) == pytest.approx([1.5, 2.5, 9, 4], abs=NEAR)
    done(impress, "impress_set_background_color", **free, color="#00ff80")
    assert str(box(impress, 3, 1).fill.fore_color.rgb) == "00FF80"
    done(impress, "impress_set_background_color", slide_index=3, box_index=0, color="gold")
    cells = list(box(impress, 3, 0).table.iter_cells())
    assert {str(cell.fill.fore_color.rgb) for cell in cells} == {"FFD700"}
    deleted = done(impress, "impress_delete_content", slide_index=3, box_index=0)
    assert (deleted["box"]["kind"], deleted["boxes_left"]) == ("table", 1)
    assert [shape.has_text_frame for shape in saved(impress, TALK).slides[2].shapes] == [True]
    for _ in range(8):
        done(impress, "impress_undo")
    shapes = saved(impress, TALK).slides[2].shapes
    assert centimetres(shapes[1]) == pytest.approx([4, 10, wide, high], abs=NEAR)
    assert shapes[1].fill.type != 1
    wrong = {"slide_index": 3, "box_index": 2}
    assert refused(impress, "impress_delete_content", **wrong)[0] == "no_box"
    assert refused(impress, "impress_position_box", **wrong, position="top")[0] == "no_box"
    assert refused(impress, "impress_place_box", **free)[0] == "bad_arguments"
    assert refused(impress, "impress_set_background_color", **free, color="bluu")[0] == "bad_colour"


@proves(
    "python-pptx reads the saved file",
    impress_insert_textbox="a box with that text at that place",
    impress_insert_table="a table of 5 rows and 2 columns",
    impress_insert_image="the image is in the file, at that place, in proportion",
    impress_undo="the slide has the boxes of before",
)
def test_boxes_are_inserted(impress: Guest) -> None:
    new = {"slide_index": 4}
    done(impress, "impress_insert_textbox", **new, text="a\nb", x=3, y=4)
    done(impress, "impress_insert_table", **new, rows=5, columns=2)
    path = {"image_path": "~/tools/red pic.png"}
    put = done(impress, "impress_insert_image", **new, **path, width=4, position={"x": 50, "y": 10})
    done(impress, "impress_insert_image", **new, **path)
    shapes = saved(impress, TALK).slides[3].shapes
    assert [shape.shape_type for shape in shapes][2:] == [19, 13, 13]
    assert shapes[1].text_frame.text == "a\nb"
    assert centimetres(shapes[1])[:2] == pytest.approx([3, 4], abs=NEAR)
    table = shapes[2].table
    assert (len(table.rows), len(table.columns)) == (5, 2)
    assert centimetres(shapes[2])[0] == pytest.approx(WIDE / 8, abs=NEAR)
    assert put["box_index"] == 3
    assert centimetres(shapes[3]) == pytest.approx([WIDE / 2, HIGH / 10, 4, 2], abs=NEAR)
    assert Image.open(BytesIO(shapes[3].image.blob)).size == (200, 100)
    natural = centimetres(shapes[4])
    assert natural[2] / natural[3] == pytest.approx(2, abs=NEAR)
    assert natural[0] + natural[2] / 2 == pytest.approx(WIDE / 2, abs=NEAR)
    for _ in range(4):
        done(impress, "impress_undo")
    assert len(saved(impress, TALK).slides[3].shapes) == 1
    wrong = refused(impress, "impress_insert_image", **new, image_path="~/tools/beep ö.wav")
    assert wrong[0] == "bad_image"
    assert refused(impress, "impress_insert_image", **new, image_path="~/no.png")[0] == "not_found"
    arguments = {"slide_index": 9}
    assert refused(impress, "impress_insert_table", **arguments, rows=1, columns=1)[0] == "no_slide"
    assert refused(impress, "impress_insert_textbox", **arguments, text="")[0] == "no_slide"


@proves(
    "the XML and the media of the saved .pptx and .odp",
    impress_insert_file="the sound is in both files, bytes for bytes, and plays by itself",
    impress_save_as="an .odp with the same slides",
)
def test_a_sound_becomes_part_of_the_file(impress: Guest) -> None:
    path = {"file_path": "~/tools/beep ö.wav"}
    done(impress, "impress_goto_slide", slide_index=2)
    put = done(impress, "impress_insert_file", **path, autoplay=True)
    assert (put["slide_index"], put["box_index"], put["kind"]) == (2, 2, "audio")
    where = {"position": {"x": 10}, "size": {"width": 25, "height": 50}}
    put = done(impress, "impress_insert_file", **path, slide_index=4, **where)
    assert put["place"]["width"] == pytest.approx(WIDE / 4, abs=NEAR)
    assert put["place"]["x"] == pytest.approx(WIDE / 10, abs=NEAR)
    done(impress, "impress_save")
    with ZipFile(BytesIO(impress.get(TALK))) as packed:
        media = [packed.read(item) for item in packed.namelist() if item.endswith(".wav")]
    assert media == [sound(), sound()]
    slide = part(impress.get(TALK), "ppt/slides/slide2.xml")
    assert "<a:audioFile" in slide
    assert 'cmd="play' in slide
    done(impress, "impress_save_as", file_path="~/tools/with sound.odp")
    content = impress.get("~/tools/with sound.odp")
    assert content[38:85] == b"application/vnd.oasis.opendocument.presentation"
    assert part(content, "content.xml").count('anim:command="play"') == 1
    with ZipFile(BytesIO(content)) as packed:
        media = [packed.read(item) for item in packed.namelist() if item.endswith(".wav")]
    assert media == [sound(), sound()]
    for _ in range(2):
        done(impress, "impress_undo")
    done(impress, "impress_save_as", file_path=TALK, overwrite=True)
    assert "audioFile" not in part(impress.get(TALK), "ppt/slides/slide2.xml")
    wrong = refused(impress, "impress_insert_file", file_path="~/tools/red pic.png")
    assert wrong[0] == "bad_media"
    assert refused(impress, "impress_save_as", file_path="~/tools/with sound.odp")[0] == "exists"
    assert refused(impress, "impress_save_as", file_path="~/tools/a.xyz")[0] == "bad_format"


@proves(
    "python-pptx and the XML of the saved file",
    impress_set_slide_background="colour on all slides, an image on one; undone there is none",
    impress_set_transition="the slide's transition is that effect",
)
def test_backgrounds_and_transitions_are_set(impress: Guest) -> None:
    done(impress, "impress_set_slide_background", color="purple")
    image = {"slide_index": 3, "image_path": "~/tools/red pic.png"}
    assert done(impress, "impress_set_slide_background", **image) == [
        {"slide_index": 3, "before": "#800080", "after": "bitmap"}
    ]
    slides = saved(impress, TALK).slides
    fills = [slide.background.fill for slide in slides]
    assert [fill.type for fill in fills] == [1, 1, 6, 1]
    assert {str(fill.fore_color.rgb) for fill in fills if fill.type == 1} == {"800080"}
    for _ in range(2):
        done(impress, "impress_undo")
    assert all(slide.follow_master_background for slide in saved(impress, TALK).slides)
    done(impress, "impress_set_transition", transition="dissolve", slide_index=1)
    effects = {2: "wipe", 3: "push", 4: "fade"}
    for number, effect in effects.items():
        done(impress, "impress_set_transition", transition=effect, slide_index=number)
    done(impress, "impress_save")
    for number, effect in {1: "dissolve", **effects}.items():
        xml = part(impress.get(TALK), f"ppt/slides/slide{number}.xml")
        assert f"<p:{effect}" in xml, xml[xml.find("transition") - 20 :]
    changed = done(impress, "impress_set_transition", transition="none")
    assert [item["before"] for item in changed] == ["dissolve", "wipe", "push", "fade"]
    assert "<p:dissolve" not in str(saved(impress, TALK).slides[0].part.blob)
    assert refused(impress, "impress_set_slide_background")[0] == "bad_arguments"
    wrong = {"slide_index": 9, "transition": "none"}
    assert refused(impress, "impress_set_transition", **wrong)[0] == "no_slide"


@proves(
    "python-pptx reads the saved file",
    impress_set_slide_orientation="width and height have changed places, boxes are on the slide",
)
def test_the_slide_orientation_is_changed_and_undone(impress: Guest) -> None:
    before = done(impress, "impress_env_info")["slides"]
    turned = done(impress, "impress_set_slide_orientation", orientation="portrait")
    assert turned == {"before": [WIDE, HIGH], "after": [HIGH, WIDE]}
    again = done(impress, "impress_set_slide_orientation", orientation="portrait")
    assert again["before"] == again["after"]
    talk = saved(impress, TALK)
    size = (talk.slide_width / Cm(1), talk.slide_height / Cm(1))
    assert size == pytest.approx((HIGH, WIDE), abs=NEAR)
    assert all(
        shape.left + shape.width <= Cm(HIGH + NEAR)
        for slide in talk.slides
        for shape in slide.shapes
    )
    done(impress, "impress_undo")
    assert saved(impress, TALK).slide_width / Cm(1) == pytest.approx(WIDE, abs=NEAR)
    assert done(impress, "impress_env_info")["slides"] == before
    assert refused(impress, "impress_set_slide_orientation", orientation="up")[0] == "bad_arguments"


@proves(
    "pillow, python-docx and pypdf open the files",
    impress_export_to_image="format, size and how many; a coloured slide is of that colour",
    impress_export_to_pdf="a page for each slide, with its text",
    impress_convert_to_docx="a paragraph for each line of the slides, or of the notes",
)
def test_slides_are_exported_as_images_pdf_and_docx(impress: Guest) -> None:
    done(impress, "impress_set_slide_background", slide_index=4, color="#0000ff")
    for kind in ("png", "jpeg", "gif", "bmp", "tiff"):
        arguments = {"file_path": f"~/tools/out.{kind}", "format": kind, "slide_index": 4}
        (written,) = done(impress, "impress_export_to_image", **arguments, width=640)
        image = Image.open(BytesIO(impress.get(written["path"])))
        assert (image.format, image.size) == (kind.upper(), (640, 360))
        assert image.convert("RGB").getpixel((5, 5)) == pytest.approx((0, 0, 255), abs=3)
    series = done(impress, "impress_export_to_image", file_path="~/tools/all", format="jpg")
    names = [image["path"].rpartition("/")[2] for image in series]
    assert names == ["all-1.jpg", "all-2.jpg", "all-3.jpg", "all-4.jpg"]
    code, _ = refused(impress, "impress_export_to_image", **arguments)
    assert code == "exists"
    arguments = {"file_path": "~/tools/x.png", "format": "jpg"}
    assert refused(impress, "impress_export_to_image", **arguments)[0] == "bad_format"
    pdf = done(impress, "impress_export_to_pdf")
    pages = PdfReader(BytesIO(impress.get(pdf["path"]))).pages
    assert (len(pages), "Book the hall" in pages[1].extract_text()) == (4, True)
    assert refused(impress, "impress_export_to_pdf")[0] == "exists"
    assert done(impress, "impress_convert_to_docx")["path"].endswith("/tools/talk.docx")
    text = docx.Document(BytesIO(impress.get("~/tools/talk.docx")))
    answer = [paragraph.text for paragraph in text.paragraphs]
    assert answer[:3] == ["Übersicht 日本", "by Ana", "To do"]
    assert answer[-2:] == ["Name", "free"]
    done(impress, "impress_convert_to_docx", content="notes", output_path="~/tools/notes.docx")
    text = docx.Document(BytesIO(impress.get("~/tools/notes.docx")))
    assert [paragraph.text for paragraph in text.paragraphs] == ["Say hello"]
    assert done(impress, "impress_env_info", page_indices=[1])["title"] == "talk.pptx"
    assert refused(impress, "impress_convert_to_docx", output_path="~/x.pdf")[0] == "bad_format"


@proves(
    "registrymodifications.xcu of the office",
    impress_configure_auto_save="whether, and every how many minutes",
)
def test_auto_save_is_stored_in_the_office_s_settings(impress: Guest) -> None:
    set_to = done(impress, "impress_configure_auto_save", enabled=True, interval_minutes=3)
    assert (set_to["enabled_before"], set_to["interval_minutes"]) == (False, 3)
    profile = "~/.config/libreoffice/4/user/registrymodifications.xcu"
    items = impress.get(profile).decode().split("<item ")
    for path, switch, minutes in (
        ("/org.openoffice.Office.Recovery/AutoSave", "Enabled", "TimeIntervall"),
        ("/org.openoffice.Office.Common/Save/Document", "AutoSave", "AutoSaveTimeIntervall"),
    ):
        there = [item for item in items if path in item]
        assert any(f'"{switch}"' in item and "<value>true" in item for item in there)
        assert any(f'"{minutes}"' in item and "<value>3<" in item for item in there)
    wrong = {"enabled": True, "interval_minutes": 0}
    assert refused(impress, "impress_configure_auto_save", **wrong)[0] == "bad_arguments"
    done(impress, "impress_configure_auto_save", enabled=False, interval_minutes=10)


@proves(
    "python-pptx reads both saved files",
    impress_save="the named presentation is written, the other one is not",
    impress_env_info="the named one is described",
)
def test_of_two_presentations_the_named_one_is_changed(impress: Guest) -> None:
    other = pptx.Presentation()
    other.slides.add_slide(other.slide_layouts[5]).shapes[0].text_frame.text = "Other"
    content = BytesIO()
    other.save(content)
    impress.put("~/tools/other talk.pptx", content.getvalue())
    done(impress, "impress_open_presentation", path="~/tools/other talk.pptx")
    impress.wait_window("other talk.pptx", timeout=60)
    done(impress, "impress_write_text", content="Mine", page_index=1, box_index=0)
    new = {"content": "Named", "page_index": 1, "box_index": 0, "document": "talk.pptx"}
    done(impress, "impress_write_text", **new)
    assert done(impress, "impress_env_info", document="talk.pptx")["slide_count"] == 4
    assert titles(impress)[0] == "Named"
    disk = pptx.Presentation(BytesIO(impress.get("~/tools/other talk.pptx")))
    assert disk.slides[0].shapes[0].text_frame.text == "Other"
    done(impress, "impress_save", document="other talk.pptx")
    disk = pptx.Presentation(BytesIO(impress.get("~/tools/other talk.pptx")))
    assert disk.slides[0].shapes[0].text_frame.text == "Mine"
    done(impress, "impress_undo", document="talk.pptx")
    assert refused(impress, "impress_undo", document="no.pptx")[0] == "no_document"
    assert refused(impress, "impress_save", document="no.pptx")[0] == "no_document"
    gone = {"slide_index": 1}
    assert refused(impress, "impress_delete_slide", **gone, document="other talk.pptx")[0] == (
        "last_slide"
    )
    assert read(impress, "pgrep", "-c", "-x", "soffice.bin") == "1"
