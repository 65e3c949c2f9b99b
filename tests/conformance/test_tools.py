"""One call to every application, and the file manager, on each provider.

Calc stands for LibreOffice, and git's server for those that are mounted. tests/desktop has the
rest, and the windows of VS Code, for which an emulated processor takes longer than a call may take.
"""

import json
import time
from io import BytesIO
from pathlib import Path

import numpy
import pytest
from openpyxl import Workbook, load_workbook

from ambidex.host.client.guest import Guest
from tests.desktop.tool_calls import done, read, refused
from tests.support.films import red_film

PAGE = "<meta charset=utf-8><title>Grüße</title><p>Hello"
BOOK = "~/smoke test/book.xlsx"
SHOWN = 0.01
"""Share of the screen that a film of 320 x 180 covers at least."""


@pytest.fixture(scope="module")
def files(guest: Guest) -> Guest:
    """A guest with a file for each application."""
    book = BytesIO()
    Workbook().save(book)
    guest.put(BOOK, book.getvalue())
    guest.put("~/smoke test/page.html", PAGE.encode())
    return guest


def test_the_file_manager_has_shown_a_folder_when_the_screen_is_still(files: Guest) -> None:
    # On a slow emulated processor Nautilus showed "Loading…" forever, with a spinner.
    files.run(["nautilus", "smoke test"], cwd=files.home, background=True)
    files.wait_window("smoke test", timeout=120)
    assert files.screenshot(settle=20).still
    done(files, "computer_key", keys=["alt", "f4"])


def test_calc_writes_a_cell(files: Guest) -> None:
    done(files, "calc_open_workbook", path=BOOK)
    done(files, "calc_set_cell_value", cell="AB2", value="漢字")
    done(files, "calc_save")
    assert load_workbook(BytesIO(files.get(BOOK))).worksheets[0]["AB2"].value == "漢字"


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


def test_vlc_shows_a_film(files: Guest, tmp_path: Path) -> None:
    # VLC draws with llvmpipe. It crashed while the emulated processor was one that LLVM does not
    # know.
    assert refused(files, "vlc_get_status")[0] == "not_running"
    files.put("~/smoke test/red.avi", red_film(tmp_path))
    files.run(["vlc", "--loop", "smoke test/red.avi"], cwd=files.home, background=True)
    end = time.monotonic() + 120
    while (share := red_share(files)) < SHOWN and time.monotonic() < end:
        time.sleep(0.5)
    assert share >= SHOWN
    assert done(files, "vlc_get_status")["state"] == "playing"
    read(files, "pkill", "-x", "vlc")  # it would slow down the tests after this one


def red_share(guest: Guest) -> float:
    """The share of the screen's pixels that are red."""
    frame = guest.screenshot()
    pixels = numpy.frombuffer(frame.rgb, numpy.uint8).reshape(-1, 3)
    return float(((pixels[:, 0] > 200) & (pixels[:, 1:] < 60).all(axis=1)).mean())


def test_a_mounted_server_answers(files: Guest) -> None:
    done(files, "git_init", repo_path="~/smoke test")
    files.put("~/smoke test/new.txt", b"new\n")
    assert "new.txt" in done(files, "git_status", repo_path="~/smoke test")
