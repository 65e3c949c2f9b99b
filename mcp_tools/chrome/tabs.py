"""Tabs of the browser: listed in the order in which they are seen, found by what an agent calls
them, opened, loaded.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.chrome.devtools import Browser, evaluate, page_of
from ambidex.mcp_tools.waiting import wait_for

__all__ = ["EMPTY", "Tab", "TabName", "find", "listed", "load", "open_tab", "show", "url_of"]

LOADS_WITHIN = 25.0
SHOWS_WITHIN = 5.0
EMPTY = ("chrome://newtab", "chrome://new-tab-page", "about:blank")

TabName = Annotated[
    Optional[int | str],
    Field(
        description="index or id from chrome_list_tabs, or part of title or URL; default: active"
    ),
]


@dataclass(frozen=True)
class Tab:
    """A tab. `index` counts from 0 through all windows, `window` too; `shown` is the one that its
    window shows, `active` the one of the window in front; `id` stays the same as long as it is
    open.
    """

    index: int
    title: str
    url: str
    active: bool
    shown: bool
    window: int
    id: str


def listed(browser: Browser) -> list[Tab]:
    """The open tabs, window by window, from left to right."""
    rows = []
    for each in browser.targets("tab"):
        place = each.get("embedderData") or {}
        if "tabStripIndex" not in place:
            continue  # a print preview is a tab to the browser, but nobody sees it as one
        with contextlib.suppress(ToolError):  # closed meanwhile
            found = browser.call("Browser.getWindowForTarget", targetId=each["targetId"])
            rows.append((found["windowId"], place["tabStripIndex"], bool(place["tabActive"]), each))
    rows.sort(key=lambda row: row[:2])
    windows = sorted({row[0] for row in rows})
    front = _front({row[0]: row[3]["title"] for row in rows if row[2]})
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


def _front(titles: dict[int, str]) -> int:
    """The window that is above the others; to the browser itself all are alike."""
    if len(titles) > 1:
        from ambidex.mcp_tools.display import x11

        for seen in x11.stacked(x11.display()):
            for window, title in titles.items():
                if title and seen.title.startswith(title):
                    return window
    return next(iter(titles), 0)


def find(browser: Browser, tab: Optional[int | str]) -> Tab:
    """The tab of that index, id, title or URL, else the active one; `ToolError` lists what is
    open.
    """
    tabs = listed(browser)
    name = str(tab).strip()
    if tab is None:
        matching = [each for each in tabs if each.active]
    elif name.isdecimal():
        matching = [each for each in tabs if each.index == int(name)]
    else:
        matching = [each for each in tabs if name in (each.id, each.title, each.url)]
        matching = matching or [
            each for each in tabs if name.lower() in f"{each.title}\n{each.url}".lower()
        ]
    if len(matching) == 1:
        return matching[0]
    names = "; ".join(f"{each.index}: {each.title[:60]} <{each.url[:80]}>" for each in tabs[:40])
    hint = f"Open tabs: {names or 'none'}."
    if matching:
        raise ToolError(f"Several tabs match {tab!r}.", code="ambiguous", hint=hint)
    what = "No tab is open" if tab is None else f"No tab matches {tab!r}"
    raise ToolError(f"{what}.", code="no_tab", hint=hint)


def url_of(url: str) -> str:
    """A URL for what was given: a path, a host, or a URL; `ToolError` if it is a path to
    nothing.
    """
    given = url.strip()
    if given.startswith(("/", "~")):
        file = Path(given).expanduser()
        if not file.exists():
            raise ToolError(f"There is no file {file}.", code="not_found")
        return file.as_uri()
    scheme, colon, rest = given.partition(":")
    if scheme.lower() == "javascript" or not given:
        raise ToolError(f"{url!r} is no address of a page.", code="bad_url")
    if "://" in given or (colon and not rest[:1].isdecimal() and scheme.isalpha()):
        return given
    host = given.partition("/")[0].partition(":")[0]
    plain = host == "localhost" or host.replace(".", "").isdecimal()
    return f"{'http' if plain else 'https'}://{given}"


def show(browser: Browser, tab: Tab) -> Tab:
    """The tab, once it is the one in front."""
    browser.call("Target.activateTarget", targetId=tab.id)

    def active() -> Optional[Tab]:
        return next((each for each in listed(browser) if each.active and each.id == tab.id), None)

    found = wait_for(active, SHOWS_WITHIN)
    if found is None:
        hint = "A dialog may hold the window: look at the screen."
        raise ToolError(f"The tab {tab.title!r} does not come up.", code="not_active", hint=hint)
    return found


def open_tab(browser: Browser, url: str) -> Tab:
    """A tab with that URL, loaded and in front: the active one if that is empty, else a new one."""
    active = next((each for each in listed(browser) if each.active), None)
    if active and active.url.startswith(EMPTY):
        return load(browser, active, url)
    made = browser.call("Target.createTarget", url=url, forTab=True)["targetId"]

    def appeared() -> Optional[Tab]:
        return next((each for each in listed(browser) if each.id == made), None)

    found = wait_for(appeared, SHOWS_WITHIN)
    if found is None:
        raise ToolError(f"The new tab with {url} was closed again.", code="gone")
    return loaded(browser, found, page_of(browser, made), url)


def load(browser: Browser, tab: Tab, url: str) -> Tab:
    """The tab with another page, loaded and in front."""
    session = page_of(browser, tab.id)
    said = browser.call("Page.navigate", session, LOADS_WITHIN, url=url)
    if "errorText" in said:
        raise not_loaded(url, said["errorText"])
    return loaded(browser, tab, session, url)


def not_loaded(url: str, why: str) -> ToolError:
    """What is said of a page that could not be had."""
    return ToolError(f"{url} could not be loaded: {why}.", code="not_loaded")


STATE = """async () => ({ready: document.readyState, url: location.href,
    error: document.querySelector('.error-code')?.textContent ?? ''})"""


def loaded(browser: Browser, tab: Tab, session: str, url: str) -> Tab:
    """The tab, once its page is complete and it is the one in front."""

    def complete() -> Optional[dict[str, str]]:
        with contextlib.suppress(ToolError):  # between two documents there is nobody to answer
            seen: dict[str, str] = evaluate(browser, session, STATE)
            blank = seen["url"] == "about:blank" and url != "about:blank"
            return seen if seen["ready"] == "complete" and not blank else None
        return None

    seen = wait_for(complete, LOADS_WITHIN)
    if seen is None:
        hint = "It is open; look at the screen."
        raise ToolError(f"{url} is still loading.", code="loading", hint=hint)
    if seen["url"].startswith("chrome-error://"):
        raise not_loaded(url, seen["error"] or "the browser shows an error page")
    return show(browser, tab)
