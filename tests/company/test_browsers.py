"""The desktop user's two browsers are logged in: the tools', and Chromium on the desktop."""

from __future__ import annotations

import base64
import itertools
import os
from collections.abc import Iterator
from contextlib import closing

import pytest

from ambidex.host import ToolCall, ToolResult
from ambidex.host.client.guest import Guest
from ambidex.host.runs.machines import Source
from ambidex.vm.firm.draw import draw_firm
from tests.support.browsing import PICTURES

FIRM = draw_firm(1)
NUMBERS = itertools.count()
FORGE, TRACKER = "http://forge.firm.test:8081", "http://tracker.firm.test:8082"
CHAT = "http://chat.firm.test:8084"
GENERAL = next(room for room in FIRM.rooms if room.name == "General")


def call(guest: Guest, tool: str, /, **arguments: object) -> ToolResult:
    """The result of a tool."""
    result = guest.call(ToolCall(f"browsers-{next(NUMBERS)}", tool, arguments))
    assert not result.error, result
    return result


def test_the_profile_has_logins_and_passwords_and_nothing_else(machines: Source) -> None:
    """No lock of a browser that ran, no history, no window to restore: on a machine of its own, as
    other tests start Chromium."""
    with closing(machines.make()) as machine:
        machine.revert("ready")
        with Guest(machine.endpoint, machine.token) as guest:
            guest.wait_ready()
            listed = guest.run(["sh", "-c", "cd ~/.config/chromium && ls -A . Default"])
    stored = listed.stdout.split("\n")
    names = {"Cookies", "IndexedDB", "Local Storage", "Login Data", "WebStorage"}
    assert {line for line in stored if line} == {".:", "Default", "Default:", *names}


@pytest.fixture
def page(guest: Guest) -> Iterator[Guest]:
    """The guest, with a tools' browser as wide as the pictures; it is closed afterwards."""
    call(guest, "browser_resize", width=1280, height=800)
    yield guest
    call(guest, "browser_close")


def expect_texts(guest: Guest, *texts: str, picture: str = "") -> None:
    """Wait until the page says all this, and picture it if that is asked for."""
    for text in texts:
        call(guest, "browser_wait_for", text=text)
    if picture and os.environ.get("AMBIDEX_WRITE_PICTURES"):
        image = call(guest, "browser_take_screenshot", type="png", scale="css").images[0]
        (PICTURES / f"{picture}.png").write_bytes(base64.b64decode(image.partition(",")[2]))


def test_the_tools_browser_is_logged_in(page: Guest) -> None:
    repository = next(one for one in FIRM.repositories if one.name == "gateway")
    open_issues = [issue.title for issue in repository.issues if issue.open]
    call(page, "browser_navigate", url=f"{FORGE}/settings/")  # for people who are logged in
    expect_texts(page, "Basic Information")
    call(page, "browser_navigate", url=f"{FORGE}/gateway/issues")
    expect_texts(page, *open_issues[:2], picture="company-forge")

    project = FIRM.projects[0]
    tickets = [ticket.subject for ticket in project.tickets if ticket.status == "New"]
    call(page, "browser_navigate", url=f"{TRACKER}/projects/{project.identifier}/issues")
    expect_texts(page, "Logged in as user", project.name, tickets[0], picture="company-tracker")

    call(page, "browser_navigate", url=CHAT)
    expect_texts(page, "General")
    call(page, "browser_click", target='a:has-text("General")')
    expect_texts(page, GENERAL.messages[-1].text, picture="company-chat")


def test_the_tools_browser_opens_documents_with_a_password_in_the_address(page: Guest) -> None:
    call(page, "browser_navigate", url="http://user:password@documents.firm.test:8085/sales/")
    expect_texts(page, "contracts", picture="company-documents")


def run_from_the_desktop(guest: Guest, line: str) -> None:
    """Start a program with the keys of the desktop."""
    call(guest, "computer_key", keys=["alt", "F2"])
    call(guest, "computer_wait", seconds=20, window="Run Application")
    call(guest, "computer_type", text=f"{line}\n")


def close_the_browser(guest: Guest) -> None:
    """Close the browser's window, and wait until its processes have ended."""
    call(guest, "computer_key", keys=["alt", "F4"])
    guest.run(["sh", "-c", "while pgrep -x chromium; do sleep 0.2; done"])


def wait_for_tab(guest: Guest, address: str, text: str) -> None:
    """Wait until the tab at an address of the desktop's Chromium says this."""
    seen = ""
    for _ in range(120):
        asked = ToolCall(f"browsers-{next(NUMBERS)}", "chrome_get_page_text", {"tab": address})
        if text in (seen := guest.call(asked).text):
            return
        guest.run(["sleep", "0.5"])
    raise AssertionError(f"{address} does not say {text!r}: {seen}")


def test_the_desktop_s_chromium_is_logged_in_and_stays_so(guest: Guest) -> None:
    for _ in range(2):  # a login must outlast the browser
        run_from_the_desktop(guest, f"chromium {FORGE}/settings/ {TRACKER}/my/page {CHAT}")
        wait_for_tab(guest, f"{FORGE}/settings/", "Basic Information")
        wait_for_tab(guest, f"{TRACKER}/my/page", "Logged in as user")
        wait_for_tab(guest, "http://localhost:8084/", GENERAL.name)
        close_the_browser(guest)


def test_the_desktop_s_chromium_fills_in_the_password_of_documents(guest: Guest) -> None:
    run_from_the_desktop(guest, "chromium http://documents.firm.test:8085/sales/")
    call(guest, "computer_wait", seconds=20, window="documents.firm.test")
    call(guest, "computer_wait", seconds=5)  # the dialog is no window
    call(guest, "computer_key", keys=["Return"])
    wait_for_tab(guest, "http://documents.firm.test:8085/", "discounts.csv")
    close_the_browser(guest)
