"""OSWorld's getters on a real desktop, apart from those of its browser."""

import hashlib
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from ambidex.evaluators.osworld.registry import BoundMetric, metric
from ambidex.host.client.guest import Guest
from ambidex.mcp_tools.waiting import wait_for
from tests.desktop.osworld_desk import Desk, anything
from tests.desktop.test_tools_vlc import tone

GOLD = "https://a.org/gold.txt"


@pytest.fixture(scope="module")
def desk(guest: Guest, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with one file in the guest and one in its store."""
    guest.put("~/a.txt", b"a")
    folder = tmp_path_factory.mktemp("desk")
    (folder / "gold").write_bytes(b"gold")
    desk = Desk(guest, folder)
    desk.store.keep(GOLD, folder / "gold")
    return desk


# Files


def test_files_of_the_guest(desk: Desk) -> None:
    desk.guest.put("~/b.txt", b"b")
    assert desk.value("vm_file", path="/home/user/a.txt", dest="kept.txt").read_bytes() == b"a"
    assert desk.value("vm_file", path="/home/user/none.txt", dest="none.txt") is None
    assert desk.value("vm_file", path="/home/user", dest="folder") is None
    arguments = {"path": ["/home/user/a.txt", "/none", "/home/user/b.txt"], "dest": ["a", "n", "b"]}
    first = desk.value("vm_file", multi="true", **arguments)
    assert first.name == "a"
    assert (first.parent / "b").read_bytes() == b"b"
    several = desk.value("vm_file", multi=True, gives=[0, 1, 2], **arguments)
    assert [item and item.name for item in several] == ["a", None, "b"]


def test_a_file_can_be_stored_with_its_time_of_collection(desk: Desk) -> None:
    arguments = {
        "path": "/home/user/a.txt",
        "dest": "a.txt",
        "time_suffix": True,
        "time_format": "%Y",
    }
    assert desk.value("vm_file", **arguments).name.startswith("a_20")


def test_files_of_the_benchmark(desk: Desk) -> None:
    value, collected = desk.get("cloud_file", path=GOLD, dest="a.txt")
    assert isinstance(value, Path)
    assert value.read_bytes() == b"gold"
    assert [stored and stored.sha256 for stored in collected.files] == [
        hashlib.sha256(b"gold").hexdigest()
    ]
    _, collected = desk.get("cloud_file", path="https://a.org/none.txt", dest="a.txt")
    assert collected.state == "failed"


def test_a_second_file_of_the_same_name_is_shadowed(desk: Desk) -> None:
    pair = (
        {"type": "vm_file", "path": "/home/user/a.txt", "dest": "same.txt"},
        {"type": "cloud_file", "path": GOLD, "dest": "same.txt"},
    )
    record, _ = desk.record(desk.body([], [], [pair]))
    [expected] = record.expected
    assert expected is not None
    assert expected.shadowed is not None
    assert [stored and stored.name for stored in expected.shadowed] == ["result-0/same.txt"]


def test_a_missing_cache_file_is_a_failure(desk: Desk) -> None:
    _, collected = desk.get("cache_file", path="none.out")
    assert (collected.state, collected.said) == ("failed", "no step stored none.out")


def test_the_last_row_of_a_workbook(desk: Desk) -> None:
    book, target = Workbook(), io.BytesIO()
    for row in (["name", "h"], ["a", 1], ["b", 2]):
        book.worksheets[0].append(row)
    book.save(target)
    desk.guest.put("~/book.xlsx", target.getvalue())
    arguments = {"path": "/home/user/book.xlsx", "file_type": "xlsx", "file_content": "last_row"}
    assert desk.value("content_from_vm_file", **arguments) == ["b", "2"]


RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SLIDE = f"""<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"
xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="{RELATION}">
<p:cSld><p:bg><p:bgPr><a:blipFill><a:blip r:embed="rId2"/></a:blipFill></p:bgPr></p:bg></p:cSld>
</p:sld>"""


def deck(sound: str) -> bytes:
    kinds = "http://schemas.openxmlformats.org/package/2006/relationships"
    relations = f"""<Relationships xmlns="{kinds}">
    <Relationship Id="rId1" Type="{RELATION}/audio" Target="{sound}"/>
    <Relationship Id="rId2" Type="{RELATION}/image" Target="../media/image1.png"/>
    </Relationships>"""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("ppt/slides/slide1.xml", SLIDE)
        archive.writestr("ppt/slides/_rels/slide1.xml.rels", relations)
        archive.writestr("ppt/media/image1.png", b"picture")
        archive.writestr("ppt/media/sound.mp3", b"sound")
    return target.getvalue()


def test_sound_and_background_of_a_slide(desk: Desk) -> None:
    desk.guest.put("~/in.pptx", deck("../media/sound.mp3"))
    desk.guest.put("~/out.pptx", deck("file:///home/user/a%20song.mp3"))
    desk.guest.put("~/a song.mp3", b"song")
    arguments = {"ppt_file_path": "/home/user/in.pptx", "slide_index": 0, "dest": "x"}
    assert desk.value("audio_in_slide", **arguments).read_bytes() == b"sound"
    assert desk.value("background_image_in_slide", **arguments).read_bytes() == b"picture"
    arguments["ppt_file_path"] = "/home/user/out.pptx"
    assert desk.value("audio_in_slide", **arguments).read_bytes() == b"song"
    assert desk.value("audio_in_slide", **(arguments | {"slide_index": 4})) is None


# Rules


def test_rules_with_dates_use_the_guest_s_clock(desk: Desk) -> None:
    assert desk.value("rule", rules={"expected": [1]}) == {"expected": [1]}
    today = desk.guest.run(["date", "-d", "tomorrow", "+%Y-%m-%d"]).stdout.strip()
    rules = {"relativeTime": {"from": "tomorrow"}, "expected": {"time": "{Year}-{Month0D}-{Day0D}"}}
    assert desk.value("rule_relativeTime", rules=rules)["expected"] == {"time": today}
    zoned = rules | {"timezone": "Pacific/Kiritimati"}
    there = ["date", "-d", "tomorrow", "+%Y-%m-%d"]
    day = desk.guest.run(there, env={"TZ": "Pacific/Kiritimati"}).stdout.strip()
    assert desk.value("rule_relativeTime", rules=zoned)["expected"] == {"time": day}


# The desktop


def test_commands(desk: Desk) -> None:
    assert desk.value("vm_command_line", command="echo a | tr a b", shell="true") == "b\n"
    assert desk.value("vm_command_line", command="echo a | tr a b") == "a | tr a b\n"
    assert desk.value("vm_command_error", command=["sh", "-c", "echo no >&2"]) == "no\n"
    assert desk.value("vm_command_line", command=["no-such-program"]) is None


def test_a_folder_with_its_contents(desk: Desk) -> None:
    desk.guest.put("~/tree/inner/x.jpg", b"")
    assert desk.value("list_directory", path="/home/user/tree") == {
        "type": "directory",
        "name": "tree",
        "children": [
            {
                "type": "directory",
                "name": "inner",
                "children": [{"type": "file", "name": "x.jpg"}],
            }
        ],
    }
    assert desk.value("list_directory", path="/home/user/none") is None


def test_launchers_on_the_desktop(desk: Desk) -> None:
    desk.guest.put("~/Desktop/game.desktop", b"[Desktop Entry]\nName=Game\n")
    result = desk.value("shortcuts_on_desktop")
    assert result == {"game.desktop": "[Desktop Entry]\nName=Game\n"}


def test_the_sizes_of_screen_and_window(desk: Desk) -> None:
    assert desk.value("vm_screen_size") == {"width": 1920, "height": 1080}
    desk.step("launch", command=["nautilus", "/home/user"])
    size = desk.value("vm_window_size", app_class_name="Org.gnome.Nautilus")
    assert 100 < size["width"] <= 1920
    assert desk.value("vm_window_size", app_class_name="none") is None


def test_the_text_of_the_terminal_in_front(desk: Desk) -> None:
    desk.step("launch", command="gnome-terminal", shell=True)
    code = "import pyautogui; pyautogui.write('echo $((6*7))'); pyautogui.press('enter')"
    typed = {"type": "execute", "parameters": {"command": ["python3", "-c", code]}}
    assert desk.value("vm_terminal_output", typed).splitlines()[1] == "42"
    closed = {"window_name": "gnome-terminal-server.Gnome-terminal", "by_class": True}
    assert desk.value("vm_terminal_output", {"type": "close_window", "parameters": closed}) is None


def test_the_tree_of_the_desktop(desk: Desk) -> None:
    from lxml import etree

    tree = etree.fromstring(desk.value("accessibility_tree").encode())
    assert tree.tag == "desktop-frame"
    states = {"st": "https://accessibility.ubuntu.example.org/ns/state"}
    [bar, *_] = tree.xpath(
        '//frame[@st:showing="true" and contains(@name, "Panel")]', namespaces=states
    )
    place = "{https://accessibility.ubuntu.example.org/ns/component}screencoord"
    assert bar.get(place) == "(0, 0)"


def test_the_wallpaper_is_what_the_settings_name(desk: Desk) -> None:
    desk.guest.put("~/Pictures/wall paper.png", b"picture")
    key = ["gsettings", "set", "org.gnome.desktop.background", "picture-uri"]
    desk.guest.run([*key, "file:///home/user/Pictures/wall%20paper.png"])
    assert desk.value("vm_wallpaper", dest="w.png").read_bytes() == b"picture"
    desk.guest.run([*key, "file:///none.png"])
    assert desk.value("vm_wallpaper", dest="w.png").read_bytes() == b""


def test_the_player_that_most_films_open_with(desk: Desk) -> None:
    assert desk.value("default_video_player") == "org.gnome.Totem.desktop\n"


def test_settings_files(desk: Desk) -> None:
    desk.guest.put("~/.config/vlc/vlcrc", b"qt-bgcone=0\n")
    assert desk.value("vlc_config", dest="vlcrc").read_bytes() == b"qt-bgcone=0\n"
    desk.guest.put("~/.config/GIMP/2.10/gimprc", b"(undo-levels 100)\n")
    assert desk.value("gimp_config_file", file_name="gimprc", dest="g").name == "g"
    assert desk.value("gimp_config_file", file_name="none", dest="g") is None


def test_the_media_that_vlc_plays(desk: Desk) -> None:
    assert desk.value("vlc_playing_info", dest="status.xml") is None
    desk.guest.put("~/Music/song.wav", tone(600))
    web = "--extraintf http --http-host 127.0.0.1 --http-port 8080 --http-password password"
    desk.step("launch", command=f"vlc {web} --loop /home/user/Music/song.wav")

    def playing() -> bool:
        status = desk.value("vlc_playing_info", dest="status.xml")
        return status is not None and b"<state>playing</state>" in status.read_bytes()

    assert wait_for(playing, 90, 1)
    desk.guest.run(["pkill", "vlc"])


def test_the_file_written_by_a_vs_code_extension(desk: Desk) -> None:
    noted = "~/.config/Code/User/workspaceStorage/x/workspace.json"
    arguments = {"vscode_extension_command": "OpenProject", "dest": "p.txt"}
    path = "/home/user/OpenProject.txt"
    assert desk.value("vscode_config", path=path, **arguments) == ""
    desk.guest.put(noted, b'{"folder": "file:///home/user/project"}')
    assert b"project" in desk.value("vscode_config", path=path, **arguments).read_bytes()
    desk.guest.put(path, b"/home/user/project")
    assert desk.value("vscode_config", path=path, **arguments).read_bytes() == b"/home/user/project"


def test_a_file_on_google_drive_is_unavailable(desk: Desk) -> None:
    _, collected = desk.get("googledrive_file", path=["a"], dest="x")
    assert (collected.state, collected.said) == ("failed", "no Google account is available")


# What has to be run


@metric()
def check_python_file_by_test_suite(
    result: Any, expected: Any, *, test_function_name: str = "test"
) -> Any:
    """Stands in for the metric of that name: this test checks its arguments."""
    return anything.function(result, expected)


SUITES = {
    "def test(): import food; return food.ok": {"passed": 1, "failed": 0, "errors": []},
    "def test(): return 0.25": {"passed": 1, "failed": 3, "errors": []},
    "def test(): return []": {"passed": 0, "failed": 1, "errors": []},
    "import none": {
        "passed": 0,
        "failed": 0,
        "errors": ["ModuleNotFoundError: No module named 'none'"],
    },
    "def test(): raise SystemExit(1)": {"passed": 0, "failed": 0, "errors": ["SystemExit: 1"]},
}


@pytest.mark.parametrize("suite", SUITES)
def test_a_test_suite_runs_separately_and_gives_a_report(
    desk: Desk, tmp_path: Path, suite: str
) -> None:
    desk.guest.put("~/Desktop/snake/food.py", b"ok = True\n")
    (tmp_path / "suite.py").write_text(suite)
    address = f"https://a.org/{hashlib.sha256(suite.encode()).hexdigest()}.py"
    desk.store.keep(address, tmp_path / "suite.py")
    pair = (
        {
            "type": "vm_file",
            "path": ["/home/user/Desktop/snake/food.py"],
            "dest": ["food.py"],
            "multi": True,
        },
        {"type": "cloud_file", "path": address, "dest": "test_suite.py"},
    )
    bound = BoundMetric(check_python_file_by_test_suite, {}, ())
    record, _ = desk.record(desk.body([], [], [pair], bound))
    [report] = record.results
    assert report is not None
    assert report.value == SUITES[suite]
