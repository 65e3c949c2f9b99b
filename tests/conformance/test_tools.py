"""One call to every application, on each provider.

tests/desktop has the rest, and VS Code's windows, for which an emulated processor takes longer than
a call may take.
"""

import json
from io import BytesIO

import pytest
from openpyxl import Workbook, load_workbook
from pptx import Presentation

from ambidex.host.client.guest import Guest
from tests.desktop.tool_calls import done, read, refused

PAGE = "<meta charset=utf-8><title>Grüße</title><p>Hello"
BOOK, SLIDES = "~/smoke test/book.xlsx", "~/smoke test/slides.pptx"


@pytest.fixture(scope="module")
def files(guest: Guest) -> Guest:
    """A guest with a file for each application."""
    book, slides = BytesIO(), BytesIO()
    Workbook().save(book)
    presentation = Presentation()
    layout = presentation.slide_layouts[0]
    presentation.slides.add_slide(layout).shapes.title.text = "Spring"
    presentation.save(slides)
    guest.put(BOOK, book.getvalue())
    guest.put(SLIDES, slides.getvalue())
    guest.put("~/smoke test/letter.txt", b"Dear all\n")
    guest.put("~/smoke test/page.html", PAGE.encode())
    return guest


def test_calc_writes_a_cell(files: Guest) -> None:
    done(files, "calc_open_workbook", path=BOOK)
    done(files, "calc_set_cell_value", cell="AB2", value="漢字")
    done(files, "calc_save")
    assert load_workbook(BytesIO(files.get(BOOK))).worksheets[0]["AB2"].value == "漢字"


def test_impress_writes_a_title(files: Guest) -> None:
    done(files, "impress_open_presentation", path=SLIDES)
    done(files, "impress_write_text", content="Summer", page_index=1, box_index=0)
    done(files, "impress_save")
    [slide] = Presentation(BytesIO(files.get(SLIDES))).slides
    assert slide.shapes.title.text == "Summer"


def test_writer_reads_a_text(files: Guest) -> None:
    done(files, "writer_open_document", path="~/smoke test/letter.txt")
    assert done(files, "writer_get_text").startswith("Dear all")


def test_chromium_opens_a_page(files: Guest) -> None:
    assert done(files, "chrome_open_tabs_setup", url="~/smoke test/page.html")["title"] == "Grüße"
    assert "Hello" in done(files, "chrome_get_page_text")["text"]


def test_vs_code_changes_a_setting(files: Guest) -> None:
    done(files, "code_set_word_wrap_column", column=72)
    settings = json.loads(files.get("~/.config/Code/User/settings.json"))
    assert settings["editor.wordWrapColumn"] == 72


def test_the_desktop_changes_settings(files: Guest) -> None:
    done(files, "os_change_text_scale", new_scale=1.25)
    scale = read(files, "gsettings", "get", "org.gnome.desktop.interface", "text-scaling-factor")
    assert float(scale) == 1.25
    done(files, "os_set_volume", percent=35)
    assert "35%" in read(files, "pactl", "get-sink-volume", "@DEFAULT_SINK@")


def test_a_vlc_call_is_refused_while_vlc_is_not_running(files: Guest) -> None:
    assert refused(files, "vlc_get_status")[0] == "not_running"


def test_the_mounted_servers_answer(files: Guest) -> None:
    done(files, "git_init", repo_path="~/smoke test")
    done(files, "filesystem_write_file", path="~/smoke test/new.txt", content="new\n")
    assert files.get("~/smoke test/new.txt") == b"new\n"
    assert "new.txt" in done(files, "git_status", repo_path="~/smoke test")
