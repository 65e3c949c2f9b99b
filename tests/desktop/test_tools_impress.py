"""Impress's tools for text in the real Impress; python-pptx reads the saved files back."""

from typing import Any

import pytest
from pptx.enum.text import PP_ALIGN

from ambidex.host.client.guest import Guest
from tests.desktop.decks import HIGH, WIDE, deck, runs, saved
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, read, refused

TALK = "~/tools/my talk.pptx"


@pytest.fixture(scope="module")
def impress(guest: Guest) -> Guest:
    """A guest in which a tool has opened a presentation."""
    guest.put(TALK, deck())
    done(guest, "impress_open_presentation", path=TALK)
    guest.wait_window("my talk.pptx", timeout=60)
    return guest


@proves(
    "python-pptx made the file; a window of that title is there",
    impress_open_presentation="the file is shown and described",
    impress_env_info="size, places, texts, fonts and notes are those of the file",
    impress_get_slide_count="as many slides as the file has",
)
def test_a_presentation_is_described_as_the_file_has_it(impress: Guest) -> None:
    done(impress, "impress_open_presentation", path=TALK)
    info = done(impress, "impress_env_info", page_indices=[2, 3])
    assert (info["width"], info["height"]) == (WIDE, HIGH)
    assert done(impress, "impress_get_slide_count") == info["slide_count"] == 4
    assert info["path"].endswith("/tools/my talk.pptx")
    lines, table = info["slides"]
    assert (lines["index"], lines["title"], lines["notes"]) == (2, "To do", "Say hello")
    assert lines["boxes"][1]["text"] == 'Book the hall\nBuy "tea"\nמים 🍎'
    assert lines["boxes"][1]["look"]["bold"] is None  # mixed
    assert table["boxes"][0]["cells"] == [["Name", "", ""], ["", "", ""]]
    assert table["boxes"][1]["look"]["size"] == 20
    place = table["boxes"][1]["place"]  # the box shrinks to its text
    assert (place["x"], place["y"], place["width"]) == (4.0, 10.0, 8.0)
    code, text = refused(impress, "impress_env_info", page_indices=[5])
    assert (code, "from 1 to 4" in text) == ("no_slide", True)
    assert refused(impress, "impress_get_slide_count", document="none.pptx")[0] == "no_document"
    assert refused(impress, "impress_open_presentation", path="~/no.pptx")[0] == "not_found"


@proves(
    "python-pptx made the file",
    impress_find_text="boxes, tables and notes are searched",
)
def test_text_is_found_in_boxes_tables_and_notes(impress: Guest) -> None:
    result = done(impress, "impress_find_text", text="NAME")
    assert result == [{"slide_index": 3, "box_index": 0, "text": "Name"}]
    result = done(impress, "impress_find_text", text="hello")
    assert result == [{"slide_index": 2, "box_index": None, "text": "Say hello"}]
    assert done(impress, "impress_find_text", text="🍎")[0]["slide_index"] == 2
    assert done(impress, "impress_find_text", text="NAME", match_case=True) == []
    assert refused(impress, "impress_find_text", text="")[0] == "bad_arguments"


@proves(
    "python-pptx reads the saved file",
    impress_write_text="the box says the text, its second line in bold; a table is left alone",
    impress_undo="text and look are those of before",
    impress_save="the file has it, in its own format",
)
def test_text_is_written_in_place_of_the_old_or_after_it(impress: Guest) -> None:
    untouched = saved(impress, TALK).slides[1].shapes[1]
    looks = [(run.text, run.font.bold, run.font.size) for run in runs(untouched)]
    arguments = {"page_index": 2, "box_index": 1}
    written = done(impress, "impress_write_text", content="One\n'Zwei' ❄", **arguments, size=30)
    assert written["before"].startswith("Book the hall")
    done(impress, "impress_write_text", content="\nסוף", **arguments, append=True, italic=True)
    box = saved(impress, TALK).slides[1].shapes[1]
    assert [paragraph.text for paragraph in box.text_frame.paragraphs] == ["One", "'Zwei' ❄", "סוף"]
    assert [run.text for run in runs(box) if run.font.italic] == ["סוף"]
    assert {run.font.size.pt for run in runs(box)[:2]} == {30}
    for _ in range(2):
        done(impress, "impress_undo")
    box = saved(impress, TALK).slides[1].shapes[1]
    assert [(run.text, run.font.bold, run.font.size) for run in runs(box)] == looks
    code, text = refused(impress, "impress_write_text", content="x", page_index=3, box_index=0)
    assert (code, "impress_set_table_cells" in text) == ("is_table", True)
    code, text = refused(impress, "impress_write_text", content="x", page_index=1, box_index=7)
    assert (code, "0 title" in text) == ("no_box", True)


@proves("python-pptx reads the saved file", impress_write_text="an empty title takes a text")
def test_an_empty_title_is_filled_and_emptied(impress: Guest) -> None:
    before = done(impress, "impress_env_info", page_indices=[4])["slides"][0]
    assert before["title"] == ""
    done(impress, "impress_write_text", content="Thanks", page_index=4, box_index=0, bold=True)
    title = saved(impress, TALK).slides[3].shapes[0]
    assert [(run.text, run.font.bold) for run in runs(title)] == [("Thanks", True)]
    done(impress, "impress_undo")
    assert done(impress, "impress_env_info", page_indices=[4])["slides"][0] == before


@proves(
    "python-pptx reads the saved file",
    impress_set_style="bold, underlined, size and font are in every run; undone they are not",
    impress_set_text_color="every run has the colour, also one that had the theme's",
    impress_set_slide_font="every run of the slide has the font",
    impress_undo="a mixed look comes back run by run",
)
def test_text_is_formatted_and_restored(impress: Guest) -> None:
    box = {"slide_index": 2, "box_index": 1}
    before = done(impress, "impress_env_info", page_indices=[2])["slides"]
    original = [(run.font.bold, run.font.color.type) for run in runs(_box(impress))]
    shown = done(
        impress, "impress_set_style", **box, bold=True, italic=False, underline=True, font_size=14
    )
    assert shown["box"]["look"]["bold"] is True
    done(impress, "impress_set_text_color", **box, color="Dark Orange")
    done(impress, "impress_set_slide_font", slide_index=2, font_name="Times New Roman")
    slide = saved(impress, TALK).slides[1]
    changed = runs(slide.shapes[1])
    assert all(run.font.bold and run.font.underline and not run.font.italic for run in changed)
    assert {str(run.font.color.rgb) for run in changed} == {"FF8C00"}
    assert {run.font.size.pt for run in changed} == {14}
    assert {run.font.name for shape in slide.shapes for run in runs(shape)} == {"Times New Roman"}
    for title in ("Font", "Font colour", "Text style"):
        assert title in done(impress, "impress_undo")
    assert done(impress, "impress_env_info", page_indices=[2])["slides"] == before
    assert [(run.font.bold, run.font.color.type) for run in runs(_box(impress))] == original
    assert refused(impress, "impress_set_text_color", **box, color="redish")[0] == "bad_colour"
    assert refused(impress, "impress_set_style", **box)[0] == "bad_arguments"
    wrong = refused(impress, "impress_set_slide_font", slide_index=4, font_name="Arial")
    assert wrong[0] == "no_text"


def _box(guest: Guest) -> object:
    return saved(guest, TALK).slides[1].shapes[1]


@proves(
    "python-pptx reads the saved file",
    impress_set_text_strikethrough="these lines are struck out, the others not",
    impress_set_textbox_alignment="every line is aligned so",
)
def test_lines_are_struck_out_and_aligned(impress: Guest) -> None:
    box = {"slide_index": 2, "box_index": 1}
    done(impress, "impress_set_text_strikethrough", **box, line_numbers=[1, 3], apply=True)
    done(impress, "impress_set_text_strikethrough", **box, line_numbers=[3], apply=False)
    done(impress, "impress_set_textbox_alignment", **box, alignment="right")
    lines = _box(impress).text_frame.paragraphs  # type: ignore[attr-defined]
    struck = [{run.font._element.get("strike") for run in line.runs} for line in lines]
    assert struck == [{"sngStrike"}, {"noStrike"}, {"noStrike"}]
    assert [line.alignment for line in lines] == [PP_ALIGN.RIGHT] * 3
    arguments = {"line_numbers": [4], "apply": True}
    code, text = refused(impress, "impress_set_text_strikethrough", **box, **arguments)
    assert (code, "from 1 to 3" in text) == ("no_line", True)
    box["box_index"] = 9
    code, _ = refused(impress, "impress_set_textbox_alignment", **box, alignment="left")
    assert code == "no_box"


@proves(
    "python-pptx reads the saved file",
    impress_set_table_cells="these cells say it, the others stay",
)
def test_cells_of_a_table_are_written_and_undone(impress: Guest) -> None:
    table = {"slide_index": 3, "box_index": 0}
    done(impress, "impress_set_table_cells", **table, values=[["T1", None, "T3"]], start_row=1)
    cells = [cell.text for cell in saved(impress, TALK).slides[2].shapes[0].table.iter_cells()]
    assert cells == ["T1", "", "T3", "", "", ""]
    done(impress, "impress_undo")
    cells = [cell.text for cell in saved(impress, TALK).slides[2].shapes[0].table.iter_cells()]
    assert cells == ["Name", "", "", "", "", ""]
    code, text = refused(
        impress, "impress_set_table_cells", **table, values=[["1", "2"]], start_column=3
    )
    assert (code, "3 columns" in text) == ("too_large", True)
    arguments = {"slide_index": 1, "box_index": 0, "values": [["x"]]}
    assert refused(impress, "impress_set_table_cells", **arguments)[0] == "no_table"


@proves(
    "python-pptx reads the saved file",
    impress_set_notes="the slide's notes are the text, also where there were none",
    impress_get_notes="what python-pptx wrote there",
)
def test_notes_are_read_and_written(impress: Guest) -> None:
    assert done(impress, "impress_get_notes", slide_index=2)["notes"] == "Say hello"
    done(impress, "impress_set_notes", slide_index=2, notes="\nand goodbye 👋", append=True)
    done(impress, "impress_set_notes", slide_index=4, notes="APP")
    slides = saved(impress, TALK).slides
    assert slides[1].notes_slide.notes_text_frame.text == "Say hello\nand goodbye 👋"
    assert slides[3].notes_slide.notes_text_frame.text == "APP"
    done(impress, "impress_undo")
    assert done(impress, "impress_get_notes", slide_index=4)["notes"] == ""
    assert refused(impress, "impress_get_notes", slide_index=9)[0] == "no_slide"
    assert refused(impress, "impress_set_notes", slide_index=9, notes="")[0] == "no_slide"


@proves(
    "keys pressed in the window, and python-pptx",
    impress_write_text="Ctrl+Z takes it back, Ctrl+Y makes it again",
    impress_insert_textbox="Ctrl+Z takes it back, Ctrl+Y makes it again",
)
def test_a_tool_s_change_can_be_undone_and_redone_with_keys(impress: Guest) -> None:
    done(impress, "impress_write_text", content="Fin", page_index=4, box_index=0, bold=True)
    done(impress, "impress_insert_textbox", slide_index=4, text="by key")
    for _ in range(2):
        done(impress, "computer_key", keys=["ctrl", "z"])
    impress.screenshot(settle=5)
    assert [item.text_frame.text for item in _last(impress)] == [""]
    for _ in range(2):
        done(impress, "computer_key", keys=["ctrl", "y"])
    impress.screenshot(settle=5)
    assert [item.text_frame.text for item in _last(impress)] == ["Fin", "by key"]
    assert runs(_last(impress)[0])[0].font.bold


def _last(guest: Guest) -> list[Any]:
    """The boxes of the last slide of the saved file."""
    return list(saved(guest, TALK).slides[3].shapes)


def test_undo_reports_changes_of_a_process_that_is_gone(impress: Guest) -> None:
    done(impress, "impress_write_text", content="Stays", page_index=4, box_index=0)
    worker = read(impress, "pgrep", "--exact", "worker-office")
    read(impress, "sh", "-c", f"kill -KILL {worker}; while kill -0 {worker}; do :; done 2>&-")
    code, text = refused(impress, "impress_undo", document="my talk.pptx")
    assert code == "too_late", text
    assert read(impress, "pgrep", "--exact", "worker-office") != worker
    assert done(impress, "impress_env_info", page_indices=[4])["slides"][0]["title"] == "Stays"
