"""Listing, finding, opening and loading tabs of the browser."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.chrome.devtools import Browser, attach_to_page, evaluate
from ambidex.mcp_tools.waiting import wait_for

__all__ = [
    "EMPTY",
    "Tab",
    "TabName",
    "activate",
    "all_tabs",
    "find_tab",
    "load",
    "open_tab",
    "url_of",
]

LOADS_WITHIN = 90.0
SHOWS_WITHIN = 15.0
EMPTY = ("chrome://newtab", "chrome://new-tab-page", "about:blank")

TabName = Annotated[
    Optional[int | str],
    Field(
        description="index or id from chrome_list_tabs, or part of title or URL; default: active"
    ),
]


@dataclass(frozen=True)
class Tab:
    """A tab. `index` and `window` count from 0, `index` through all windows. `shown` marks the tab
    that its window shows, `active` the one shown by the front window. `id` is stable while the tab
    is open.
    """

    index: int
    title: str
    url: str
    active: bool
    shown: bool
    window: int
    id: str


def all_tabs(browser: Browser) -> list[Tab]:
    """The open tabs, window by window, from left to right."""
    rows = []
    for info in browser.targets("tab"):
        strip_data = info.get("embedderData") or {}
        if "tabStripIndex" not in strip_data:
            continue  # a print preview, which is a tab only internally
        with contextlib.suppress(ToolError):  # closed meanwhile
            owner = browser.call("Browser.getWindowForTarget", targetId=info["targetId"])
            rows.append(
                (
                    owner["windowId"],
                    strip_data["tabStripIndex"],
                    bool(strip_data["tabActive"]),
                    info,
                )
            )
    rows.sort(key=lambda row: row[:2])
    windows = sorted({row[0] for row in rows})
    front = _front_window({row[0]: row[3]["title"] for row in rows if row[2]})
    return [
        Tab(
            index,
            target["title"],
            target["url"],
            shown and window == front,
            shown,
            windows.index(window),
            target["targetId"],
        )
        for index, (window, _, shown, target) in enumerate(rows)
    ]


def _front_window(titles: dict[int, str]) -> int:
    """Id of the topmost window, which only the window manager knows."""
    if len(titles) > 1:
        from ambidex.mcp_tools.display import x11

        for window_info in x11.stacked(x11.display()):
            for window, title in titles.items():
                if title and window_info.title.startswith(title):
                    return window
    return next(iter(titles), 0)


def find_tab(browser: Browser, tab: Optional[int | str]) -> Tab:
    """Find a tab by index, id, title or URL; the active one if `tab` is None. `ToolError` lists the
    open tabs.
    """
    tabs = all_tabs(browser)
    name = str(tab).strip()
    if tab is None:
        matching = [entry for entry in tabs if entry.active]
    elif name.isdecimal():
        matching = [entry for entry in tabs if entry.index == int(name)]
    else:
        matching = [entry for entry in tabs if name in (entry.id, entry.title, entry.url)]
        matching = matching or [
            entry for entry in tabs if name.lower() in f"{entry.title}\n{entry.url}".lower()
        ]
    if len(matching) == 1:
        return matching[0]
    names = "; ".join(
        f"{entry.index}: {entry.title[:60]} <{entry.url[:80]}>" for entry in tabs[:40]
    )
    hint = f"Open tabs: {names or 'none'}."
    if matching:
        raise ToolError(f"Several tabs match {tab!r}.", code="ambiguous", hint=hint)
    problem = "No tab is open" if tab is None else f"No tab matches {tab!r}"
    raise ToolError(f"{problem}.", code="no_tab", hint=hint)


def url_of(url: str) -> str:
    """Turn a path, a host or a URL into a URL; `ToolError` if a path does not exist."""
    address = url.strip()
    if address.startswith(("/", "~")):
        file = Path(address).expanduser()
        if not file.exists():
            raise ToolError(f"No such file: {file}.", code="not_found")
        return file.as_uri()
    scheme, colon, rest = address.partition(":")
    if scheme.lower() == "javascript" or not address:
        raise ToolError(f"Not a web address: {url!r}.", code="bad_url")
    if "://" in address or (colon and not rest[:1].isdecimal() and scheme.isalpha()):
        return address
    host = address.partition("/")[0].partition(":")[0]
    plain = host == "localhost" or host.replace(".", "").isdecimal()
    return f"{'http' if plain else 'https'}://{address}"


def activate(browser: Browser, tab: Tab) -> Tab:
    """Switch to a tab, give its page the keyboard focus, and return it once it is active."""
    browser.call("Target.activateTarget", targetId=tab.id)
    # Otherwise the address bar, which has the focus when the browser starts, keeps it.
    browser.call("Page.bringToFront", attach_to_page(browser, tab.id))

    def active() -> Optional[Tab]:
        return next(
            (
                candidate
                for candidate in all_tabs(browser)
                if candidate.active and candidate.id == tab.id
            ),
            None,
        )

    activated = wait_for(active, SHOWS_WITHIN)
    if activated is None:
        hint = "A dialog may block the window: look at the screen."
        raise ToolError(
            f"The tab {tab.title!r} did not become active.", code="not_active", hint=hint
        )
    return activated


def open_tab(browser: Browser, url: str) -> Tab:
    """Load a URL in the active tab if that is empty, else in a new tab; return it, activated."""
    active = next((tab for tab in all_tabs(browser) if tab.active), None)
    if active and active.url.startswith(EMPTY):
        return load(browser, active, url)
    target = browser.call("Target.createTarget", url=url, forTab=True)["targetId"]

    def appeared() -> Optional[Tab]:
        return next((tab for tab in all_tabs(browser) if tab.id == target), None)

    new_tab = wait_for(appeared, SHOWS_WITHIN)
    if new_tab is None:
        raise ToolError(f"The new tab for {url} closed again.", code="gone")
    return wait_until_loaded(browser, new_tab, attach_to_page(browser, target), url)


def load(browser: Browser, tab: Tab, url: str) -> Tab:
    """Load a URL in a tab; return the tab, activated."""
    session = attach_to_page(browser, tab.id)
    reply = browser.call("Page.navigate", session, LOADS_WITHIN, url=url)
    if "errorText" in reply:
        raise not_loaded(url, reply["errorText"])
    return wait_until_loaded(browser, tab, session, url)


def not_loaded(url: str, why: str) -> ToolError:
    """The error for a page that could not be loaded."""
    return ToolError(f"{url} could not be loaded: {why}.", code="not_loaded")


STATE = """async () => ({ready: document.readyState, url: location.href,
    error: document.querySelector('.error-code')?.textContent ?? ''})"""


def wait_until_loaded(browser: Browser, tab: Tab, session: str, url: str) -> Tab:
    """Wait until a tab's page has loaded; return the tab, activated."""

    def complete() -> Optional[dict[str, str]]:
        with contextlib.suppress(ToolError):  # no document can answer during navigation
            state: dict[str, str] = evaluate(browser, session, STATE)
            blank = state["url"] == "about:blank" and url != "about:blank"
            return state if state["ready"] == "complete" and not blank else None
        return None

    state = wait_for(complete, LOADS_WITHIN)
    if state is None:
        hint = "The tab is open: look at the screen."
        raise ToolError(f"{url} is still loading.", code="loading", hint=hint)
    if state["url"].startswith("chrome-error://"):
        raise not_loaded(url, state["error"] or "the browser shows an error page")
    return activate(browser, tab)
