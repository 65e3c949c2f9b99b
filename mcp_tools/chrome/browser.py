"""Chromium: its tabs, its own pages, printing. Google Chrome too, where that is installed."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import Annotated, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.chrome import app
from ambidex.mcp_tools.chrome.devtools import Browser, browser_page, connected, evaluate, page_of
from ambidex.mcp_tools.chrome.tabs import (
    EMPTY,
    Tab,
    TabName,
    find,
    listed,
    load,
    open_tab,
    show,
    url_of,
)
from ambidex.mcp_tools.files.files import at, free
from ambidex.mcp_tools.waiting import wait_for

OBEYS_WITHIN = 10.0
TAB_SEARCH = "chrome://tab-search.top-chrome/"
PREVIEW = "chrome://print/"
NO_NAME = re.compile(r'[\x00-\x1f"*/:<>?\\|~]')
"""What Chromium itself does not put into the name of a file it saves."""


@dataclass(frozen=True)
class Printed:
    """`path` of the PDF, None where the print dialog was opened instead."""

    title: str
    url: str
    path: Optional[str]
    bytes: int


def shown(url: str) -> Tab:
    """The browser's page at that URL, in front: a tab that has it, else a new one."""
    with connected(starting=True) as browser:
        open_one = next((each for each in listed(browser) if each.url.startswith(url)), None)
        return show(browser, open_one) if open_one else open_tab(browser, url)


@app.tool(timeout=120)
def open_tabs_setup(
    url: Annotated[
        str, Field(min_length=1, description="URL, host such as example.org, or path of a file")
    ],
    tab: Annotated[
        TabName,
        Field(description="a tab to show it in, by index, id, title or URL; else a new one"),
    ] = None,
) -> Tab:
    """Open a web page (website): visit or go to an address (https URL) in a new tab and wait until
    it has loaded; starts the browser if necessary. Returns the tab, now active.
    """
    target = url_of(url)
    with connected(starting=True) as browser:
        if tab is None:
            return open_tab(browser, target)
        return load(browser, find(browser, tab), target)


@app.tool(reads_only=True)
def list_tabs() -> list[Tab]:
    """List the open tabs of all windows: titles and URLs (addresses) of the web pages, and the
    active one.
    """
    with connected() as browser:
        return listed(browser)


@app.tool()
def activate_tab(tab: TabName) -> Tab:
    """Switch to another open tab: go back to it, select it, bring it to front. Returns it."""
    with connected() as browser:
        return show(browser, find(browser, tab))


@app.tool()
def close_tab(tab: TabName = None) -> list[Tab]:
    """Close a tab (shut a web page). Returns the remaining tabs; closing the last ends the browser.
    Error if the page asks before leaving.
    """
    with connected() as browser:
        chosen = find(browser, tab)
        last = len(listed(browser)) == 1
        browser.call("Target.closeTarget", targetId=chosen.id)
        if last:
            return []

        def gone() -> bool:
            return all(each.id != chosen.id for each in listed(browser))

        if not wait_for(gone, OBEYS_WITHIN):
            hint = "Its page may ask whether to leave: look at the screen."
            raise ToolError(f"{chosen.title!r} was not closed.", code="not_closed", hint=hint)
        return listed(browser)


CLOSED = """async url => {
    const {TabSearchApiProxyImpl: Search} = await import(url + 'tab_search.js');
    const {profileData: data} = await Search.getInstance().getProfileData();
    return data.recentlyClosedTabs.map(
        each => ({id: each.tabId, title: each.title, url: each.url}));
}"""
RESTORE = """async (url, id) => {
    const {TabSearchApiProxyImpl: Search} = await import(url + 'tab_search.js');
    Search.getInstance().openRecentlyClosedEntry(id, false, true, 0);
}"""


@app.tool(timeout=90)
def bring_back_last_tab() -> Tab:
    """Reopen the last closed tab (Ctrl+Shift+T): restore it with its history; starts the browser if
    necessary. Returns the tab, now active. Error if no closed tab is known.
    """
    with connected(starting=True) as browser:
        with browser_page(browser, TAB_SEARCH) as session:
            known = evaluate(browser, session, CLOSED, TAB_SEARCH)
            # An empty tab is no loss; the browser's own pages that tools use close as one.
            closed = [each for each in known if not each["url"].startswith(EMPTY)]
            if not closed:
                raise ToolError("No closed tab is known.", code="nothing")
            last = closed[0]
            before = {each.id for each in listed(browser)}
            evaluate(browser, session, RESTORE, TAB_SEARCH, last["id"])

            def back() -> Optional[Tab]:
                new = [each for each in listed(browser) if each.id not in before]
                return new[0] if new else None

            tab = wait_for(back, OBEYS_WITHIN)
        if tab is None:
            raise ToolError(f"{last['title']!r} did not come back.", code="refused")
        return show(browser, tab)


@app.tool(timeout=90)
def open_profile_settings() -> Tab:
    """Open the profile settings page (You and Google, people): profile name and picture. Returns
    the tab, now active.
    """
    return shown("chrome://settings/people")


@app.tool(timeout=90)
def open_password_settings() -> Tab:
    """Open the password manager: the page of saved passwords and logins. Returns the tab, now
    active.
    """
    return shown("chrome://password-manager/passwords")


@app.tool(timeout=90)
def open_privacy_settings() -> Tab:
    """Open the privacy and security settings page: cookies, tracking protection, site permissions.
    Returns the tab, now active.
    """
    return shown("chrome://settings/privacy")


@app.tool(timeout=90)
def open_appearance_settings() -> Tab:
    """Open the appearance settings page: theme, font size, zoom, home button, bookmarks bar.
    Returns the tab, now active.
    """
    return shown("chrome://settings/appearance")


@app.tool(timeout=90)
def open_search_engine_settings() -> Tab:
    """Open the search engine settings page, to choose or switch the default search engine (Google,
    DuckDuckGo, Bing). Returns the tab, now active.
    """
    return shown("chrome://settings/search")


@app.tool(timeout=90)
def open_extensions() -> Tab:
    """Open the extensions page, to see, manage or switch off installed extensions (add-ons).
    Returns the tab, now active.
    """
    return shown("chrome://extensions/")


@app.tool(timeout=90)
def open_bookmarks() -> Tab:
    """Open the bookmark manager page, where bookmarks (favourites) are edited. Returns the tab, now
    active.
    """
    return shown("chrome://bookmarks/")


def previews(browser: Browser) -> set[str]:
    """The print dialogs that are open."""
    found = browser.targets("page")
    return {each["targetId"] for each in found if each["url"].startswith(PREVIEW)}


@app.tool(timeout=90)
def print(
    path: Annotated[
        Optional[str],
        Field(description="PDF file to write, or folder for one named after the page"),
    ] = None,
    margins: Annotated[
        Literal["default", "none"], Field(description="of the PDF: 1 cm, or none")
    ] = "default",
    landscape: Annotated[bool, Field(description="landscape pages in the PDF")] = False,
    background: Annotated[bool, Field(description="print background graphics")] = False,
    overwrite: Annotated[bool, Field(description="replace an existing file")] = False,
) -> Printed:
    """Print the active tab's web page: opens the print dialog, or with `path` saves the page as PDF
    without one (landscape, margins, background graphics).
    """
    with connected(starting=True) as browser:
        tab = find(browser, None)
        session = page_of(browser, tab.id)
        if path is None:
            before = previews(browser)
            evaluate(browser, session, "async () => { setTimeout(() => window.print(), 0) }")
            if not wait_for(lambda: previews(browser) - before, OBEYS_WITHIN):
                hint = "One may be open already, or another dialog: look at the screen."
                raise ToolError("No print dialog came up.", code="refused", hint=hint)
            return Printed(tab.title, tab.url, None, 0)
        file = at(path)
        if file.is_dir():
            file = file / f"{NO_NAME.sub('_', tab.title).strip() or 'page'}.pdf"
        free(file, overwrite)
        edge = 0.0 if margins == "none" else 0.4
        said = browser.call(
            "Page.printToPDF",
            session,
            60,
            landscape=landscape,
            printBackground=background,
            marginTop=edge,
            marginBottom=edge,
            marginLeft=edge,
            marginRight=edge,
        )
        content = base64.b64decode(said["data"])
        file.write_bytes(content)
        return Printed(tab.title, tab.url, str(file), len(content))
