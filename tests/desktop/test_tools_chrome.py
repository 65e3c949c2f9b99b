"""Chromium's tools in the real Chromium, checked in its profile, its windows, the requests that a
web server receives, and the files it writes.
"""

import json
from contextlib import suppress
from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from ambidex.host.client.answers import NoSuchFileError
from ambidex.host.client.guest import Guest
from ambidex.mcp_tools.waiting import wait_for
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import called, done, read, refused, stop

PAGE = """<meta charset=utf-8><title>Grüße 🎉</title><p>שלום "world"</p>
<form><label>Full name <input name=who></label><select name=size><option>S<option>L ü</select>
<label><input type=checkbox id=box>Agree</label><input disabled name=fixed></form>
<script>onchange = () => document.title = 'changed ' + document.forms[0].who.value</script>"""
SERVER = """
import http.server
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == '/':  # not a request of the browser's own
            open('asked.txt', 'w').write(self.headers.get('Cookie') or 'none')
        self.send_response(200)
        self.send_header('Content-Type', 'text/html')
        self.send_header('Set-Cookie', 'seen=1; Max-Age=9999')
        self.end_headers()
        self.wfile.write(b'<title>Served</title>here')
http.server.HTTPServer(('127.0.0.1', 8123), Page).serve_forever()
"""
TARGETS = """import json, urllib.request
print(json.dumps(json.load(urllib.request.urlopen('http://127.0.0.1:9222/json'))))"""
STARTED = """import sys
sys.path[:0] = ["/opt", "/opt/ambidex/site"]
from ambidex.mcp_tools.chrome.devtools import STARTED, connected
with connected() as browser:
    print(browser.call("Browser.getHistogram", name=STARTED)["histogram"]["count"])"""


@pytest.fixture(scope="module")
def chrome(guest: Guest) -> Guest:
    """A guest whose Chromium was started by a tool and shows a page."""
    assert refused(guest, "chrome_list_tabs")[0] == "not_running"
    guest.put("~/a page.html", PAGE.encode())
    guest.put("~/serve.py", SERVER.encode())
    guest.run(["python3", "serve.py"], background=True)
    assert done(guest, "chrome_open_tabs_setup", url="~/a page.html")["active"]
    assert (
        read(guest, "python3", "-c", STARTED) == "1"
    )  # otherwise it may write nothing for minutes
    return guest


def pages(guest: Guest) -> set[str]:
    """The URLs of all pages, as the debugging port lists them."""
    listed = json.loads(read(guest, "python3", "-c", TARGETS))
    return {entry["url"] for entry in listed if entry["type"] == "page"}


def profile(guest: Guest, name: str, holds: str) -> Any:
    """A JSON file of the profile once it contains `holds`: the browser writes changes after 2.5 to
    10 s, or later on a busy computer."""

    def text() -> str | None:
        with suppress(NoSuchFileError):
            result = guest.get(f"~/.config/chromium/{name}").decode()
            return result if holds in result else None
        return None

    result = wait_for(text, 90, 0.5)
    assert result, f"{name} never held {holds}"
    return json.loads(result)


@proves(
    "the windows' titles and the port's list of pages",
    chrome_open_tabs_setup="the page is shown in a tab of its own",
    chrome_list_tabs="each page is listed",
    chrome_activate_tab="the window has its title",
    chrome_close_tab="its page is closed, the others are open",
    chrome_bring_back_last_tab="the page is open again",
)
def test_tabs_are_opened_closed_and_brought_back(chrome: Guest) -> None:
    chrome.wait_window("Grüße 🎉", timeout=60)
    served = "http://127.0.0.1:8123/"
    done(chrome, "chrome_open_tabs_setup", url="127.0.0.1:8123")
    chrome.wait_window("Served - Chromium", timeout=60)
    assert [tab["title"] for tab in done(chrome, "chrome_list_tabs")] == ["Grüße 🎉", "Served"]
    done(chrome, "chrome_activate_tab", tab=0)
    chrome.wait_window("Grüße 🎉 - Chromium", timeout=60)
    assert refused(chrome, "chrome_activate_tab", tab="nowhere")[0] == "no_tab"
    assert refused(chrome, "chrome_close_tab", tab=9)[0] == "no_tab"
    assert [item["index"] for item in done(chrome, "chrome_close_tab", tab="served")] == [0]
    assert served not in pages(chrome)
    assert done(chrome, "chrome_bring_back_last_tab")["url"] == served
    assert served in pages(chrome)
    assert refused(chrome, "chrome_bring_back_last_tab")[0] == "nothing"
    assert refused(chrome, "chrome_open_tabs_setup", url="~/none.html")[0] == "not_found"
    assert refused(chrome, "chrome_open_tabs_setup", url="x.invalid")[0] == "not_loaded"
    done(chrome, "chrome_close_tab", tab="x.invalid")


OPENED = {
    "chrome_open_profile_settings": "chrome://settings/people",
    "chrome_open_password_settings": "chrome://password-manager/passwords",
    "chrome_open_privacy_settings": "chrome://settings/privacy",
    "chrome_open_appearance_settings": "chrome://settings/appearance",
    "chrome_open_search_engine_settings": "chrome://settings/search",
    "chrome_open_extensions": "chrome://extensions/",
    "chrome_open_bookmarks": "chrome://bookmarks/",
    "chrome_delete_browsing_data": "chrome://settings/clearBrowserData",
}


@proves("the port's list of pages and the window's title", **dict.fromkeys(OPENED, "it is shown"))
def test_each_of_the_browsers_own_pages_becomes_active(chrome: Guest) -> None:
    for tool, url in OPENED.items():
        shown = done(chrome, tool)
        tab = shown.get("tab", shown)
        assert url in pages(chrome)
        chrome.wait_window(f"{tab['title']} - Chromium", timeout=60)
        assert refused(chrome, tool, surely_not=1)[0] == "bad_arguments"
        done(chrome, "chrome_close_tab", tab=tab["id"])


@proves(
    "the profile's file of bookmarks",
    chrome_bookmark_page="stored once, with name and folder",
    chrome_create_bookmark_folder="stored",
    chrome_list_bookmarks="what the file holds",
)
def test_bookmarks_are_stored_in_the_right_folder(chrome: Guest) -> None:
    done(chrome, "chrome_activate_tab", tab="a%20page.html")
    assert done(chrome, "chrome_bookmark_page")["created"]
    assert not done(chrome, "chrome_bookmark_page")["created"]
    done(chrome, "chrome_bookmark_page", name='Ü "x"', folder="News/日本")
    done(chrome, "chrome_create_bookmark_folder", path="Favorites")
    listed = done(chrome, "chrome_list_bookmarks")["entries"]
    assert refused(chrome, "chrome_bookmark_page", tab="nowhere")[0] == "no_tab"
    assert refused(chrome, "chrome_create_bookmark_folder", path="")[0] == "bad_arguments"
    assert refused(chrome, "chrome_list_bookmarks", tab=1)[0] == "bad_arguments"
    stored = profile(chrome, "Default/Bookmarks", '"Favorites"')  # the last change
    bar = stored["roots"]["bookmark_bar"]["children"]
    assert [item["name"] for item in bar[-3:]] == ["Grüße 🎉", "News", "Favorites"]
    [inner] = bar[-2]["children"]
    assert (inner["name"], inner["children"][0]["name"]) == ("日本", 'Ü "x"')
    assert {item["name"] for item in bar} <= {entry["title"] for entry in listed}


@proves(
    "pypdf reads the file; the port lists the preview",
    chrome_print="a PDF with the page's text and name; the dialog without a path",
)
def test_a_page_is_printed_to_a_file_or_by_the_dialog(chrome: Guest) -> None:
    done(chrome, "chrome_activate_tab", tab="127.0.0.1")
    done(chrome, "chrome_print", path="~/Desktop", margins="none")
    [sheet] = PdfReader(BytesIO(chrome.get("~/Desktop/Served.pdf"))).pages
    assert "here" in sheet.extract_text()
    assert refused(chrome, "chrome_print", path="~/Desktop")[0] == "exists"
    done(chrome, "chrome_print")
    assert "chrome://print/" in pages(chrome)
    done(chrome, "computer_key", keys=["escape"])


@proves(
    "the window's title, set by the page's own script; the text is that of the file",
    chrome_get_page_text="the page's text",
    chrome_get_form_fields="each field with its value",
    chrome_fill_form_field="the page receives the input",
)
def test_a_form_is_read_and_filled_in(chrome: Guest) -> None:
    done(chrome, "chrome_activate_tab", tab="a%20page.html")
    assert 'שלום "world"' in done(chrome, "chrome_get_page_text")["text"]
    assert done(chrome, "chrome_get_page_text", limit=4)["next_offset"] == 4
    done(chrome, "chrome_fill_form_field", field="Full name", value='Ö "y" 🎉')
    chrome.wait_window('changed Ö "y" 🎉', timeout=60)
    done(chrome, "chrome_fill_form_field", field="size", value="L ü")
    done(chrome, "chrome_fill_form_field", field="Agree", value="true")
    fields = done(chrome, "chrome_get_form_fields")
    assert [field["value"] for field in fields] == ['Ö "y" 🎉', "L ü", "true", ""]
    assert refused(chrome, "chrome_fill_form_field", field="none", value="")[0] == "no_field"
    assert refused(chrome, "chrome_fill_form_field", field="size", value="Q")[0] == "bad_value"
    assert refused(chrome, "chrome_fill_form_field", field="fixed", value="Q")[0] == "disabled"
    assert refused(chrome, "chrome_get_form_fields", tab=99)[0] == "no_tab"
    assert refused(chrome, "chrome_get_page_text", tab=99)[0] == "no_tab"


def test_keys_reach_a_page_that_a_tool_has_loaded(chrome: Guest) -> None:
    """The address bar has the focus when the browser starts, and keeps it if it is not taken."""
    done(chrome, "chrome_activate_tab", tab="a%20page.html")
    done(chrome, "computer_key", keys=["ctrl", "l"])
    done(chrome, "chrome_open_tabs_setup", url="~/a page.html", tab="a%20page.html")
    done(chrome, "chrome_fill_form_field", field="Full name", value="typed")
    done(chrome, "computer_type", text=" on")
    chrome.wait_window("changed typed", timeout=60)

    def value() -> str:
        return str(done(chrome, "chrome_get_form_fields")[0]["value"])

    assert wait_for(lambda: value() == "typed on", 60), value()


@proves(
    "the cookie that the page's server is sent",
    chrome_delete_browsing_data="cookies are no longer sent",
)
def test_cookies_are_deleted_of_one_site_or_of_all(chrome: Guest) -> None:
    def sent() -> str:
        done(chrome, "chrome_open_tabs_setup", url="127.0.0.1:8123", tab="127.0.0.1")
        return chrome.get("~/asked.txt").decode()

    assert sent() == "seen=1"
    assert done(chrome, "chrome_delete_browsing_data", site="127.0.0.1")["cookies"] == 1
    assert [sent(), sent()] == ["none", "seen=1"]
    done(chrome, "chrome_delete_browsing_data", kinds=["cookies", "cache"])
    assert sent() == "none"
    assert refused(chrome, "chrome_delete_browsing_data", site="amazon.com")[0] == "nothing"


@proves(
    "the profile's preferences",
    chrome_set_setting="stored",
    chrome_get_settings="what was stored",
)
def test_a_setting_is_stored_in_the_profile(chrome: Guest) -> None:
    name = "webkit.webprefs.default_font_size"
    done(chrome, "chrome_set_setting", name=name, value=24)
    assert {"name": name, "value": 24} in done(chrome, "chrome_get_settings", name="font_size")
    assert refused(chrome, "chrome_get_settings", name="no such")[0] == "no_setting"
    assert refused(chrome, "chrome_set_setting", name="webkit", value=1)[0] == "no_setting"
    stored = profile(chrome, "Default/Preferences", '"default_font_size":24')
    assert stored["webkit"]["webprefs"]["default_font_size"] == 24


def test_a_page_with_an_open_dialog_is_not_taken_for_a_hung_browser(chrome: Guest) -> None:
    chrome.put(
        "~/ask.html", b"<title>Ask</title><script>onload=()=>setTimeout(alert,1500)</script>"
    )
    done(chrome, "chrome_open_tabs_setup", url="~/ask.html")

    def busy() -> bool:
        return called(chrome, "chrome_get_page_text", {"tab": "ask.html"}).error == "page_busy"

    assert wait_for(busy, 60)
    assert done(chrome, "chrome_list_tabs")
    done(chrome, "computer_key", keys=["enter"])
    assert done(chrome, "chrome_get_page_text", tab="ask.html")["title"] == "Ask"
    process = read(chrome, "pgrep", "-o", "-x", "chromium")
    stop(chrome, process)
    assert called(chrome, "chrome_list_tabs", {}).error == "hung"
    read(chrome, "kill", "-CONT", process)
    assert done(chrome, "chrome_list_tabs")
