"""Tools for tabs, the browser's own pages and printing."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import Annotated, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.chrome import WITH_START, app
from ambidex.mcp_tools.chrome.devtools import (
    Browser,
    attach_to_page,
    browser_page,
    connected,
    evaluate,
)
from ambidex.mcp_tools.chrome.tabs import (
    EMPTY,
    Tab,
    TabName,
    activate,
    all_tabs,
    find_tab,
    load,
    open_tab,
    url_of,
)
from ambidex.mcp_tools.files.files import absolute_path, check_target
from ambidex.mcp_tools.waiting import wait_for

ACTS_WITHIN = 10.0
TAB_SEARCH = "chrome://tab-search.top-chrome/"
PREVIEW = "chrome://print/"
NOT_IN_FILE_NAMES = re.compile(r'[\x00-\x1f"*/:<>?\\|~]')
"""Characters that Chromium does not use in names of saved files."""


@dataclass(frozen=True)
class PrintResult:
    """A printed page. `path` is the PDF; None if the print dialog was opened instead."""

    title: str
    url: str
    path: Optional[str]
    bytes: int


def show_page(url: str) -> Tab:
    """Show one of the browser's own pages, in a tab that already has it or in a new one."""
    with connected(starting=True) as browser:
        existing = next((tab for tab in all_tabs(browser) if tab.url.startswith(url)), None)
        return activate(browser, existing) if existing else open_tab(browser, url)


@app.tool(timeout=WITH_START)
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
        return load(browser, find_tab(browser, tab), target)


@app.tool(reads_only=True)
def list_tabs() -> list[Tab]:
    """List the open tabs of all windows: titles and URLs (addresses) of the web pages, and the
    active one.
    """
    with connected() as browser:
        return all_tabs(browser)


@app.tool()
def activate_tab(tab: TabName) -> Tab:
    """Switch to another open tab: go back to it, select it, bring it to front. Returns it."""
    with connected() as browser:
        return activate(browser, find_tab(browser, tab))


@app.tool()
def close_tab(tab: TabName = None) -> list[Tab]:
    """Close a tab (shut a web page). Returns the remaining tabs; closing the last ends the browser.
    Error if the page asks before leaving.
    """
    with connected() as browser:
        target = find_tab(browser, tab)
        last = len(all_tabs(browser)) == 1
        browser.call("Target.closeTarget", targetId=target.id)
        if last:
            return []

        def gone() -> bool:
            return all(remaining.id != target.id for remaining in all_tabs(browser))

        if not wait_for(gone, ACTS_WITHIN):
            hint = "The page may ask whether to leave it: look at the screen."
            raise ToolError(
                f"The tab {target.title!r} did not close.", code="not_closed", hint=hint
            )
        return all_tabs(browser)


LIST_CLOSED = """async url => {
    const {TabSearchApiProxyImpl: Search} = await import(url + 'tab_search.js');
    const {profileData: data} = await Search.getInstance().getProfileData();
    return data.recentlyClosedTabs.map(
        tab => ({id: tab.tabId, title: tab.title, url: tab.url}));
}"""
RESTORE = """async (url, id) => {
    const {TabSearchApiProxyImpl: Search} = await import(url + 'tab_search.js');
    Search.getInstance().openRecentlyClosedEntry(id, false, true, 0);
}"""


@app.tool(timeout=WITH_START)
def bring_back_last_tab() -> Tab:
    """Reopen the last closed tab (Ctrl+Shift+T): restore it with its history; starts the browser if
    necessary. Returns the tab, now active. Error if no closed tab is known.
    """
    with connected(starting=True) as browser:
        with browser_page(browser, TAB_SEARCH) as session:
            recent = evaluate(browser, session, LIST_CLOSED, TAB_SEARCH)
            # Skip empty tabs: the browser pages that our tools opened are empty when they close.
            closed = [tab for tab in recent if not tab["url"].startswith(EMPTY)]
            if not closed:
                raise ToolError("There is no recently closed tab.", code="nothing")
            last = closed[0]
            before = {tab.id for tab in all_tabs(browser)}
            evaluate(browser, session, RESTORE, TAB_SEARCH, last["id"])

            def reopened() -> Optional[Tab]:
                new = [tab for tab in all_tabs(browser) if tab.id not in before]
                return new[0] if new else None

            tab = wait_for(reopened, ACTS_WITHIN)
        if tab is None:
            raise ToolError(f"The tab {last['title']!r} was not restored.", code="refused")
        return activate(browser, tab)


@app.tool(timeout=WITH_START)
def open_profile_settings() -> Tab:
    """Open the profile settings page (You and Google, people): profile name and picture. Returns
    the tab, now active.
    """
    return show_page("chrome://settings/people")


@app.tool(timeout=WITH_START)
def open_password_settings() -> Tab:
    """Open the password manager: the page of saved passwords and logins. Returns the tab, now
    active.
    """
    return show_page("chrome://password-manager/passwords")


@app.tool(timeout=WITH_START)
def open_privacy_settings() -> Tab:
    """Open the privacy and security settings page: cookies, tracking protection, site permissions.
    Returns the tab, now active.
    """
    return show_page("chrome://settings/privacy")


@app.tool(timeout=WITH_START)
def open_appearance_settings() -> Tab:
    """Open the appearance settings page: theme, font size, zoom, home button, bookmarks bar.
    Returns the tab, now active.
    """
    return show_page("chrome://settings/appearance")


@app.tool(timeout=WITH_START)
def open_search_engine_settings() -> Tab:
    """Open the search engine settings page, to choose or switch the default search engine (Google,
    DuckDuckGo, Bing). Returns the tab, now active.
    """
    return show_page("chrome://settings/search")


@app.tool(timeout=WITH_START)
def open_extensions() -> Tab:
    """Open the extensions page, to see, manage or switch off installed extensions (add-ons).
    Returns the tab, now active.
    """
    return show_page("chrome://extensions/")


@app.tool(timeout=WITH_START)
def open_bookmarks() -> Tab:
    """Open the bookmark manager page, where bookmarks (favourites) are edited. Returns the tab, now
    active.
    """
    return show_page("chrome://bookmarks/")


def print_dialogs(browser: Browser) -> set[str]:
    """Target ids of the open print dialogs."""
    pages = browser.targets("page")
    return {page["targetId"] for page in pages if page["url"].startswith(PREVIEW)}


@app.tool(timeout=WITH_START)
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
) -> PrintResult:
    """Print the active tab's web page: opens the print dialog, or with `path` saves the page as PDF
    without one (landscape, margins, background graphics).
    """
    with connected(starting=True) as browser:
        tab = find_tab(browser, None)
        session = attach_to_page(browser, tab.id)
        if path is None:
            before = print_dialogs(browser)
            evaluate(browser, session, "async () => { setTimeout(() => window.print(), 0) }")
            if not wait_for(lambda: print_dialogs(browser) - before, ACTS_WITHIN):
                hint = "A dialog may already be open: look at the screen."
                raise ToolError("The print dialog did not open.", code="refused", hint=hint)
            return PrintResult(tab.title, tab.url, None, 0)
        file = absolute_path(path)
        if file.is_dir():
            file = file / f"{NOT_IN_FILE_NAMES.sub('_', tab.title).strip() or 'page'}.pdf"
        check_target(file, overwrite)
        margin = 0.0 if margins == "none" else 0.4
        result = browser.call(
            "Page.printToPDF",
            session,
            60,
            landscape=landscape,
            printBackground=background,
            marginTop=margin,
            marginBottom=margin,
            marginLeft=margin,
            marginRight=margin,
        )
        content = base64.b64decode(result["data"])
        file.write_bytes(content)
        return PrintResult(tab.title, tab.url, str(file), len(content))
