"""OSWorld's getters and steps on recorded answers, without a guest."""

import ast
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ambidex.host.osworld.from_browser import elided, part_of, query_values, shop
from ambidex.host.osworld.history import filled
from ambidex.host.osworld.pyautogui_keys import calls_of
from ambidex.host.osworld.shutdown import ENDING
from ambidex.host.osworld.steps import programs_of
from ambidex.tasks.osworld.getters import GETTERS, parse_getter
from ambidex.tasks.osworld.setup_steps import BrowseHistory, parse_step
from ambidex.tasks.osworld.web_getter_types import UrlParse, UrlPart, UrlPath
from tests.support.peer import CATALOGUE
from tests.support.peer.desktop import tool_spec
from tests.support.tables import every_case


@every_case(
    ("url", "shown"),
    [
        ("https://www.apple.com/", "apple.com"),
        ("https://www.apple.com/iphone/", "apple.com/iphone/"),
        ("http://127.0.0.1:8000/a?b=c", "127.0.0.1:8000/a?b=c"),
        ("chrome://settings/", "chrome://settings/"),
        ("file:///home/user/a.html", "file:///home/user/a.html"),
    ],
)
def test_an_address_as_the_bar_shows_it(url: str, shown: str) -> None:
    assert elided(url) == shown


def test_values_of_a_query_by_their_new_names() -> None:
    getter = parse_getter(
        {"type": "active_tab_url_parse", "parse_keys": ["a", "b"], "replace": {"a": "time"}}
    )
    assert isinstance(getter, UrlParse)
    assert query_values("https://x.org/?a=1&a=2", getter) == {"b": "", "time": "1"}


@given(st.integers(0, 9), st.text("abc/", max_size=20))
def test_a_part_that_is_not_there_is_none(number: int, path: str) -> None:
    getter = parse_getter({"type": "url_dashPart", "partIndex": number, "returnType": "string"})
    assert isinstance(getter, UrlPart)
    parts = f"https://x.org/{path}".split("/")
    assert part_of(f"https://x.org/{path}", getter) == (
        parts[number] if number < len(parts) else None
    )


SHOP = "https://www.shop.com/mens-clothing/Men_regular_size_t,Price_discount_range,Sleeve_length/"


@every_case(
    ("address", "said"),
    [
        (
            f"{SHOP}L,50_PERCENT_%20off%20%26%20more,Short%20Sleeve?id=1",
            {"Men_regular_size_t": "L", "Price_discount_range": "50_PERCENT_ off & more",
             "short_sleeve": True, "mens_clothing": True, "shirts": None},
        ),
        (
            f"{SHOP}L,30_PERCENT_%20off%20%26%20more%7C50_PERCENT_%20off%20%26%20more,x/shirts",
            {"Men_regular_size_t": "L", "Price_discount_range": "not_50_PERCENT_ off & more",
             "short_sleeve": None, "mens_clothing": True, "shirts": True},
        ),
        (
            "https://www.shop.com/",
            {"Men_regular_size_t": None, "Price_discount_range": "not_50_PERCENT_ off & more",
             "short_sleeve": None, "mens_clothing": None, "shirts": None},
        ),
    ],
)  # fmt: skip
def test_filters_in_an_address_of_the_shop(address: str, said: dict[str, Any]) -> None:
    keys = ["Men_regular_size_t", "Price_discount_range"]
    getter = parse_getter({"type": "url_path_parse", "parse_keys": keys})
    assert isinstance(getter, UrlPath)
    assert shop(address, getter) == said


TOOLS = CATALOGUE | {
    name: tool_spec(name) for name in ("computer_key", "computer_wait", "computer_type")
}


def test_python_that_only_presses_keys_is_converted_to_calls() -> None:
    code = "import pyautogui; import time; pyautogui.hotkey('ctrl', 's'); time.sleep(0.5); "
    assert calls_of(["python", "-c", code], TOOLS, (1920, 1080)) == [
        ("computer_key", {"keys": ["ctrl", "s"]}),
        ("computer_wait", {"seconds": 0.5}),
    ]


@every_case(
    "argv",
    [
        ["python", "-c", "import pyautogui; open('x')"],
        ["python", "-c", "import json"],
        ["python", "-c", "import pyautogui; pyautogui.locateOnScreen('x')"],
        ["python", "x.py"],
        ["bash", "-c", "pyautogui"],
    ],
)
def test_other_commands_are_not_converted(argv: list[str]) -> None:
    assert calls_of(argv, TOOLS, (1920, 1080)) is None


@every_case(
    ("words", "program"),
    [
        ("pkill chrome", "chrome"),
        ("killall gnome-terminal-server", "gnome-terminal-server"),
        ("pkill -9 vlc", "vlc"),
        ("pkill chrome && sleep 3", None),
        ("vlc", None),
    ],
)
def test_a_command_that_ends_a_program_is_recognized(words: str, program: str | None) -> None:
    found = ENDING.match(words)
    assert (found and found[1]) == program


def test_programs_that_a_task_names_directly() -> None:
    steps = [
        parse_step("launch", {"command": ["socat", "a", "b"]}),
        parse_step("launch", {"command": "vlc --loop", "shell": True}),
        parse_step("execute", {"command": ["python", "-c", "import pyautogui"]}),
        parse_step("execute", {"command": "./setup.sh"}),
        parse_step("execute", {"command": "wmctrl -l"}),
        parse_step("launch", {"command": ["socat", "c"]}),
        parse_getter({"type": "vm_command_line", "command": ["python", "x.py"]}),
        parse_getter({"type": "vm_command_line", "command": "xsel | cat", "shell": True}),
    ]
    assert programs_of(steps) == ["socat", "wmctrl", "python"]


def test_visits_are_counted_back_from_now(tmp_path: Path) -> None:
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
    visits = [
        {"url": f"https://{n}.org", "title": "t", "visit_time_from_now_in_seconds": 60 * n}
        for n in (1, 2)
    ]
    step = parse_step("update_browse_history", {"history": visits})
    assert isinstance(step, BrowseHistory)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    made = filled((tmp_path / "empty").read_bytes(), step, now)
    (tmp_path / "made").write_bytes(made)
    with closing(sqlite3.connect(tmp_path / "made")) as database:
        times = database.execute("SELECT last_visit_time FROM urls ORDER BY id").fetchall()
        joined = database.execute("SELECT url FROM visits ORDER BY id").fetchall()
    assert times[0][0] - times[1][0] == 60_000_000
    assert times[0][0] == 13_411_699_140_000_000
    assert joined == [(1,), (2,)]


BY_ITS_QUESTION = {"gotoRecreationPage_and_get_html_content"}
"""Its page is on the internet, so a test asks the guest's question with a local page."""


def test_every_getter_is_called_on_a_desktop() -> None:
    called = set()
    for path in (Path(__file__).parents[2] / "desktop").glob("test_osworld_*getters.py"):
        tree = ast.parse(path.read_text())
        called |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert GETTERS - BY_ITS_QUESTION - called == set()
