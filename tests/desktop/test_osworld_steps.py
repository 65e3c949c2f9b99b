"""OSWorld's 13 kinds of step on a real desktop."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import docx
import pytest

from ambidex.host.client.answers import NoSuchFileError
from ambidex.host.client.guest import Guest
from ambidex.host.errors import StageError
from ambidex.host.osworld.history import PLACE
from ambidex.host.osworld.questions import ask
from ambidex.tasks.osworld.task import EMPTY_HISTORY
from tests.desktop.osworld_desk import Desk
from tests.desktop.tool_calls import comes_to_hold
from tests.evaluators.osworld.makers import document

PAGE = "<title>{0}</title><h1>{0}</h1>"
SITE = "http://127.0.0.1:8123"


@pytest.fixture(scope="module")
def desk(guest: Guest, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with a local site of three pages."""
    for name in ("one", "two", "three"):
        guest.put(f"~/site/{name}.html", PAGE.format(name).encode())
    serve = ["python3", "-m", "http.server", "8123", "--bind", "127.0.0.1"]
    guest.run([*serve, "--directory", f"{guest.home}/site"], background=True)
    return Desk(guest, tmp_path_factory.mktemp("desk"))


def titles(guest: Guest) -> list[str]:
    return [item["title"] for item in ask(guest, "windows")]


def test_a_file_of_the_store_is_put_at_the_step_s_path(desk: Desk, tmp_path: Path) -> None:
    url = "https://example.org/resolve/main/os/x/setup.sh"
    (tmp_path / "file").write_bytes(b"echo hello\n")
    desk.store.keep(url, tmp_path / "file")
    desk.step("download", files=[{"url": url, "path": "setup.sh"}])
    assert desk.guest.get("/home/user/setup.sh") == b"echo hello\n"


def test_a_file_missing_from_the_store_voids_the_trial(desk: Desk) -> None:
    with pytest.raises(StageError, match="not in the store"):
        desk.step("download", files=[{"url": "https://example.org/none", "path": "/tmp/none"}])


def test_a_program_missing_from_the_guest_voids_the_trial(desk: Desk) -> None:
    with pytest.raises(StageError, match="has no firefox-nightly"):
        desk.step("launch", command=["firefox-nightly", "--new-window"])


def test_a_command_runs_in_the_home_folder_and_may_fail(desk: Desk) -> None:
    answer = desk.step("execute", command="echo {SCREEN_WIDTH} > width; exit 3", shell="false")
    assert desk.guest.get("~/width") == b"1920\n"
    assert "exit 3" in answer


def test_a_list_command_reaches_its_program_as_it_is(desk: Desk) -> None:
    desk.step("command", command=["touch", "/home/user/|", "~/x"])
    assert desk.guest.get("/home/user/|") == desk.guest.get("~/x") == b""


def test_a_list_for_a_shell_is_its_first_member(desk: Desk) -> None:
    desk.step("execute", command=["echo first > ~/first", "echo second"], shell=True)
    assert desk.guest.get("~/first") == b"first\n"


def test_a_repeated_command_ends_on_its_condition(desk: Desk) -> None:
    count = "echo x >> ~/tries; wc -l < ~/tries"
    desk.step("execute", command=count, shell=True, until={"stdout": "3"})
    assert desk.guest.get("~/tries") == b"x\n" * 3


def test_the_output_of_a_command_is_stored_for_the_getter(desk: Desk) -> None:
    step = {"type": "execute", "parameters": {"command": ["echo", "hello"], "stdout": "out.txt"}}
    value = desk.value("cache_file", step, path="out.txt")
    assert value.read_text() == "hello\n"


def test_a_file_is_opened_and_its_window_is_active(desk: Desk) -> None:
    desk.guest.put("~/Documents/notes of mine.txt", b"hello\n")
    desk.step("open", path="/home/user/Documents/notes of mine.txt")
    assert any("notes of mine.txt" in title for title in titles(desk.guest))


def test_nothing_to_open_voids_the_trial(desk: Desk) -> None:
    with pytest.raises(StageError, match="neither a file nor a program"):
        desk.step("open", path="/home/user/none.txt")


def test_python_that_presses_keys_is_translated_into_calls(desk: Desk) -> None:
    desk.step("activate_window", window_name="notes of mine")
    keys = "import pyautogui; import time; pyautogui.hotkey('ctrl', 'end'); time.sleep(0.5); "
    code = f"{keys}pyautogui.write('more'); pyautogui.hotkey('ctrl', 's')"
    answer = desk.step("execute", command=["python", "-c", code])
    assert "4 calls" in answer
    comes_to_hold(desk.guest, "~/Documents/notes of mine.txt", b"hellomore\n")


def test_a_document_is_saved_in_its_own_format_without_a_dialog(desk: Desk, tmp_path: Path) -> None:
    document(tmp_path / "plan.docx", "Plan")
    desk.guest.put("~/plan.docx", (tmp_path / "plan.docx").read_bytes())
    desk.step("open", path="/home/user/plan.docx")
    written = ask(desk.guest, "wait_until_written", paths=["~/plan.docx"], within=5)
    assert written, "the office shows it, and writes nothing"
    keys = "import pyautogui; pyautogui.write('A '); pyautogui.hotkey('ctrl', 's')"
    saved = {"type": "execute", "parameters": {"command": ["python", "-c", keys]}}
    result = desk.value("vm_file", saved, path="/home/user/plan.docx", dest="plan.docx")
    assert docx.Document(str(result)).paragraphs[0].text == "A Plan"


def test_the_shortcut_that_tasks_rely_on_opens_a_terminal(desk: Desk) -> None:
    keys = "import pyautogui; pyautogui.hotkey('ctrl', 'alt', 't')"
    desk.step("execute", command=["python", "-c", keys])
    desk.guest.wait_window("user@", timeout=60)
    assert desk.guest.screenshot(settle=5).focused == "gnome-terminal"
    desk.step("close_window", window_name="user@")


def test_other_python_is_run_as_it_is(desk: Desk) -> None:
    code = "import pyautogui\nopen('/home/user/size', 'w').write(str(pyautogui.size()[0]))"
    desk.step("execute", command=["python3", "-c", code])
    assert desk.guest.get("~/size") == b"1920"


def test_a_window_comes_to_the_front_by_title_and_by_class(desk: Desk) -> None:
    desk.step("launch", command="gnome-terminal --title=shell", shell=True)
    assert desk.guest.screenshot().focused == "gnome-terminal"
    assert "in front" in desk.step("activate_window", window_name="NOTES OF")
    assert desk.guest.screenshot().focused == "gedit"
    arguments = {"strict": True, "by_class": True}
    name = "gnome-terminal-server.Gnome-terminal"
    assert "in front" in desk.step("activate_window", window_name=name, **arguments)
    assert "no such window" in desk.step("activate_window", window_name="NOTES OF", strict=True)


def test_a_window_is_closed(desk: Desk) -> None:
    name = "gnome-terminal-server.Gnome-terminal"
    desk.step("close_window", window_name=name, strict=True, by_class=True)
    assert not any(item["class"] == name for item in ask(desk.guest, "windows"))
    assert "no such window" in desk.step("close_window", window_name=name, strict=True)


def test_a_killed_program_is_gone_before_the_next_step(desk: Desk) -> None:
    desk.step("launch", command=["sleep", "600"])
    desk.step("launch", command=["pkill", "sleep"])
    assert desk.guest.run(["pgrep", "-x", "sleep"]).returncode == 1


def test_a_pause_ends_when_the_screen_is_still(desk: Desk) -> None:
    [first, _] = map(json.loads, desk.step("sleep", seconds=60).splitlines())
    assert first["said"] == "the screen was still"
    assert first["seconds"] < 30


def test_a_pause_is_slept_in_full_on_request(desk: Desk) -> None:
    assert '"slept 1 s"' in desk.step("sleep", literal=True, seconds=1)


def test_tabs_are_opened_and_closed(desk: Desk) -> None:
    desk.step("launch", command=["chromium", "--no-default-browser-check"])
    desk.step("chrome_open_tabs", urls_to_open=[f"{SITE}/one.html", f"{SITE}/two.html"])
    assert [item["url"] for item in desk.value("open_tabs_info")] == [
        f"{SITE}/one.html",
        f"{SITE}/two.html",
    ]
    desk.step("chrome_close_tabs", urls_to_close=[f"{SITE}/one.html", f"{SITE}/none.html"])
    assert [item["title"] for item in desk.value("open_tabs_info")] == ["two"]


def test_the_browser_gets_a_history(desk: Desk, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "empty")) as database:
        database.execute(
            "CREATE TABLE urls (id INTEGER PRIMARY KEY, url, title, visit_count, typed_count, "
            "last_visit_time, hidden)"
        )
        database.execute(
            "CREATE TABLE visits (id INTEGER PRIMARY KEY, url, visit_time, from_visit, transition, "
            "segment_id, visit_duration)"
        )
        database.commit()
    desk.store.keep(EMPTY_HISTORY, tmp_path / "empty")
    visit = {"url": "https://a.org/", "title": "A", "visit_time_from_now_in_seconds": 3600}
    desk.step("update_browse_history", history=[visit])
    assert desk.guest.get(PLACE).startswith(b"SQLite format 3")
    [[url, title, when]] = desk.value("history")
    assert (url, title) == ("https://a.org/", "A")
    assert 13e15 < when < 15e15


@pytest.mark.parametrize(
    ("type", "given"),
    [
        ("googledrive", {"operation": ["delete"]}),
        ("login", {"settings_file": "s", "platform": "p"}),
    ],
)
def test_a_google_account_is_unavailable(desk: Desk, type: str, given: dict[str, Any]) -> None:
    with pytest.raises(StageError, match="Google account"):
        desk.step(type, **given)


def test_a_failed_step_after_the_episode_is_recorded_for_judging(desk: Desk) -> None:
    opened = {"type": "open", "parameters": {"path": "/home/user/none.txt"}}
    record, _ = desk.record(desk.body([], [opened], []))
    assert record.failed_step.startswith("postconfig[0] (open): neither a file nor a program")


def test_relative_paths_start_at_the_home_folder(desk: Desk) -> None:
    with pytest.raises(NoSuchFileError):
        desk.guest.get("/setup.sh")
    assert desk.value("vm_file", path="setup.sh", dest="s.sh").read_bytes() == b"echo hello\n"
