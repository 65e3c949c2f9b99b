"""OSWorld's getters of the browser on a real desktop, with local pages and without an outside
network."""

import json
from typing import Any

import pytest
from pypdf import PdfReader

from ambidex.host import ToolCall
from ambidex.host.client.guest import Guest
from ambidex.host.osworld.questions import ask
from ambidex.host.osworld.shutdown import end_browser
from ambidex.mcp_tools.waiting import wait_for
from tests.desktop.osworld_desk import Desk

SITE = "http://127.0.0.1:8123"
PAGE = """<!doctype html><title>Shop</title><body>
<div class="name"> First </div><div class="name">Second</div>
<div class="way">SEA<span>to</span>NYC</div>
<div class="slot"><h3>Ten o'clock</h3><p>free</p></div>
<ul class="list"><li class="catAllProducts"><span>Shirts</span></li></ul>
<button id="rank">Price</button><label>Your size</label>
<form><input id="mail" value=" a@b.org "></form>
<a class="more" href="/detail.html">more</a>"""
DETAIL = "<title>Detail</title><h1 title='tip'>All of it</h1>"
RECREATION = """<input id="hero-search-input"><button class="nav-search-button"
onclick="setTimeout(() => { document.body.innerHTML +=
'<a href=camp.html><b class=search-result-highlight--success>Camp</b></a>' }, 100)">go</button>"""
CAMP = "<b class='column'>one</b><b class='column'>two</b>"
ENDED_AND_STARTED = [
    {"type": "launch", "parameters": {"command": ["pkill", "chrome"]}},
    {"type": "launch", "parameters": {"command": ["google-chrome"]}},
]


@pytest.fixture(scope="module")
def desk(guest: Guest, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    pages = {
        "shop.html": PAGE, "detail.html": DETAIL, "recreation.html": RECREATION, "camp.html": CAMP,
    }  # fmt: skip
    for name, text in pages.items():
        guest.put(f"~/site/{name}", text.encode())
    serve = ["python3", "-m", "http.server", "8123", "--bind", "127.0.0.1"]
    guest.run([*serve, "--directory", f"{guest.home}/site"], background=True)
    return Desk(guest, tmp_path_factory.mktemp("desk"))


@pytest.fixture(scope="module")
def browser(desk: Desk) -> Desk:
    """The desk with the shop's page in front."""
    desk.step("launch", command=["chromium", f"{SITE}/shop.html?from=DUB&to=VIE,PRG&x="])
    assert ask(desk.guest, "answering", takes=60, within=60)
    assert wait_for(lambda: "Shop" in [item["title"] for item in desk.value("open_tabs_info")], 60)
    return desk


def test_the_address_and_its_parts(browser: Desk) -> None:
    address = f"{SITE}/shop.html?from=DUB&to=VIE,PRG&x="
    prefix = {"goto_prefix": "http://"}
    assert browser.value("active_url_from_accessTree", **prefix) == address
    keys = {"parse_keys": ["from", "to", "none"], "replace": {"to": "time"}}
    assert browser.value("active_tab_url_parse", **prefix, **keys) == {
        "from": "DUB", "none": "", "time": "VIE,PRG",
    }  # fmt: skip
    split = {"parse_keys": ["to"], "split_list": True}
    assert browser.value("active_tab_url_parse", **prefix, **split) == {"to": ["VIE", "PRG"]}
    part = {"partIndex": "3", "needDeleteId": True, "returnType": "json", "key": "k"}
    assert browser.value("url_dashPart", **prefix, **part) == {"k": "shop.html"}
    assert browser.value("url_path_parse", **prefix, parse_keys=[])["shirts"] is None


def test_texts_of_the_page_in_front(browser: Desk) -> None:
    def read(category: str, **given: Any) -> Any:
        return browser.value(
            "active_tab_html_parse", goto_prefix="http://", category=category, **given
        )

    assert read(
        "class",
        class_multiObject={"name": {"1": "second", "7": "none"}},
        class_singleObject={"name": "first", "missing": "nothing"},
        class_multiObject_child={"way": {"0": "from", "1": "to"}},
        class_multiObject_only_child={"slot": {"0": "time"}},
        class_multiObject_search_exist={"name": ["First", "Third", "is_other_exist"]},
    ) == {
        "second": "Second", "none": "", "first": "First", "nothing": "", "from": "SEA", "to": "NYC",
        "time": "Ten o'clock", "First": True, "Third": False, "is_other_exist": True,
    }  # fmt: skip
    assert read("xpath", xpathObject={"//button": "rank", "//nav": "no"}) == {
        "rank": "Price", "no": "",
    }  # fmt: skip
    assert read("input", inputObject={"//input": "mail"}) == {"mail": "a@b.org"}
    assert read("label", labelObject={"your SIZE": "size"}) == {"size": "Your size"}
    assert read(
        "class&url",
        class_multiObject={"name": ["FIRST"]},
        class_multiObject_li={"list": ["shirts"]},
        url_include_expected=["dub", "cork"],
        url_include_expected_multichoice={"vie": "Vienna"},
    ) == {"first": True, "is_other_exist": True, "shirts": True, "dub": True, "cork": False,
          "vienna": True}  # fmt: skip


def test_pages_opened_by_a_getter(browser: Desk) -> None:
    active = browser.value("active_tab_info", goto_prefix="http://")
    assert active["title"] == "Shop"
    assert active["url"].startswith(f"{SITE}/shop.html")
    assert "Second" in active["content"]
    page = browser.value("page_info", url=f"{SITE}/detail.html")
    assert (page["title"], page["url"]) == ("Detail", f"{SITE}/detail.html")
    assert browser.value("page_info", url="http://127.0.0.1:1/")["title"] == "Connection failed"
    assert [item["title"] for item in browser.value("open_tabs_info")] == ["Shop"]


def test_information_from_sites(browser: Desk) -> None:
    infos = [
        {"action": "inner_text", "selector": ".more"},
        {"action": "click_and_inner_text", "selector": [".more", "h1"]},
        {"action": "click_and_attribute", "selector": [".more", "h1"], "attribute": "title"},
    ]
    arguments = {"url": f"{SITE}/shop.html", "infos": infos, "backups": ["kept"]}
    assert browser.value("info_from_website", **arguments) == ["more", "All of it", "tip"]
    assert browser.value("info_from_website", **(arguments | {"url": "http://127.0.0.1:1"})) == [
        "kept"
    ]
    pdf = browser.value("pdf_from_url", path=f"{SITE}/detail.html", dest="page.pdf")
    assert "All of it" in PdfReader(pdf).pages[0].extract_text()
    asked = {"name": "column", "number": 1, "url": f"{SITE}/recreation.html"}
    assert ask(browser.guest, "recreation", takes=120, **asked) == "two"
    asked["url"] = f"{SITE}/detail.html"
    assert ask(browser.guest, "recreation", takes=120, **asked) == "__EVALUATION_FAILED__"


def test_the_browser_s_colour_scheme(browser: Desk) -> None:
    assert browser.value("chrome_appearance_mode_ui") in ("light", "dark", "system")


FONT = {"default_font_size": 20}


def extension(said: dict[str, Any]) -> dict[str, Any]:
    return {"extensions": {"settings": {"abc": said}}}


@pytest.mark.parametrize(
    ("getter", "preferences", "value"),
    [
        ("chrome_font_size", {"webkit": {"webprefs": FONT}}, FONT),
        ("data_delete_automacally", {"profile": {"default_content_setting_values": {}}}, "true"),
        ("data_delete_automacally", {"profile": {}}, "false"),
        ("data_delete_automacally", {}, "Google"),
        ("default_search_engine", {}, "Google"),
        (
            "default_search_engine",
            {"default_search_provider_data": {"template_url_data": {"short_name": "Bing"}}},
            "Bing",
        ),
        ("enable_do_not_track", {"enable_do_not_track": True}, "true"),
        ("enable_safe_browsing", {"safebrowsing": {"enhanced": True, "enabled": False}}, "true"),
        ("enable_safe_browsing", {}, "false"),
        ("find_installed_extension_name", extension({"manifest": {"name": "N"}}), ["N"]),
        ("find_installed_extension_name", extension({}), "Google"),
        ("find_unpacked_extension_path", extension({"path": "/p"}), ["/p"]),
        ("new_startup_page", {}, "true"),
        ("new_startup_page", {"session": {"restore_on_startup": 4}}, "false"),
        ("profile_name", {"profile": {"name": "Thomas"}}, "Thomas"),
    ],
)  # fmt: skip
def test_the_browsers_preferences(
    desk: Desk, getter: str, preferences: dict[str, Any], value: object
) -> None:
    end_browser(desk.guest)  # or it would write its own when the getter ends it
    content = json.dumps(preferences).encode()
    desk.guest.put("~/.config/google-chrome/Default/Preferences", content)
    assert desk.value(getter) == value


@pytest.mark.parametrize("steps", [[], ENDED_AND_STARTED], ids=["as it runs", "started again"])
def test_a_bookmark_is_collected_though_the_browser_puts_off_writing_it(
    desk: Desk, steps: list[dict[str, Any]]
) -> None:
    name = f"after {len(steps)} steps"
    call = ToolCall(name, "chrome_create_bookmark_folder", {"path": name})
    assert not desk.guest.call(call).error
    bar = desk.value("bookmarks", *steps)["bookmark_bar"]
    assert name in [item["name"] for item in bar["children"]]


def test_bookmarks_cookies_and_history(desk: Desk) -> None:
    roots = {"bookmark_bar": {"children": [{"type": "url", "name": "n", "url": "https://a.org/"}]}}
    content = json.dumps({"roots": roots}).encode()
    desk.guest.put("~/.config/google-chrome/Default/Bookmarks", content)
    assert desk.value("bookmarks") == roots
    make = (
        "import sqlite3; d = sqlite3.connect('.config/google-chrome/Default/Cookies'); "
        "d.execute('CREATE TABLE cookies (created, host_key, value)'); "
        "d.execute(\"INSERT INTO cookies VALUES (1, '.a.org', x'00ff')\"); d.commit(); "
        "d = sqlite3.connect('.config/google-chrome/Default/History'); "
        "d.execute('CREATE TABLE urls (id, url, title, last_visit_time)'); "
        "d.execute(\"INSERT INTO urls VALUES (1, 'https://a.org/', 'A', 7)\"); d.commit()"
    )
    # A browser that an earlier test started has files of these names.
    profile = f"{desk.guest.home}/.config/google-chrome/Default"
    desk.guest.run(["rm", "-f", f"{profile}/History", f"{profile}/Cookies"])
    assert desk.guest.run(["python3", "-c", make]).returncode == 0
    assert desk.value("cookie_data", dest="Cookies") == [[1, ".a.org", "00ff"]]
    assert desk.value("history", dest="h") == [["https://a.org/", "A", 7]]
