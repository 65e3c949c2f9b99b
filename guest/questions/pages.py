"""Pages of the browser, for a host that sets a stage or collects: opened, closed, read.

The browser is reached over its debugging port on this machine; nothing is open to the network.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Optional
from urllib.parse import unquote, urlsplit

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.chrome.devtools import (
    Browser,
    attach_to_page,
    browser_page,
    connected,
    endpoint,
    evaluate,
)
from ambidex.mcp_tools.chrome.tabs import all_tabs
from ambidex.mcp_tools.waiting import wait_for

__all__ = [
    "answering",
    "appearance",
    "close_tabs",
    "new_page",
    "open_tabs",
    "opened",
    "shown",
    "tabs",
    "texts",
]

LOADS_WITHIN = 60.0


def answering(within: float) -> bool:
    """Whether the browser's port answers, after so many seconds at most."""
    return bool(wait_for(endpoint, within))


def tabs(within: float) -> list[dict[str, str]]:
    """Title and URL of every tab, once it has loaded; one that does not within so many seconds has
    a title that says so.
    """
    with connected() as browser:
        found = []
        for tab in all_tabs(browser):
            complete = _complete(browser, attach_to_page(browser, tab.id), within)
            title = tab.title if complete else "Load timeout"
            found.append({"title": title, "url": tab.url})
        return found


def _complete(browser: Browser, session: str, within: float) -> bool:
    def ready() -> bool:
        with contextlib.suppress(ToolError):  # between two documents there is nobody to answer
            return bool(evaluate(browser, session, "() => document.readyState === 'complete'"))
        return False

    return bool(wait_for(ready, within))


def open_tabs(urls: list[str], within: float) -> list[str]:
    """Open pages, each in a tab of its own, and close the tab that was there first. Returns those
    that did not load, which are open all the same.
    """
    failed = []
    with connected() as browser:
        before = all_tabs(browser)
        for number, url in enumerate(urls):
            made = browser.call("Target.createTarget", url="about:blank", forTab=True)["targetId"]
            session = attach_to_page(browser, made)
            # A file, a page of the browser and an address without its scheme go in as they are.
            said = browser.call("Page.navigate", session, within, url=_whole(url))
            if "errorText" in said or not _complete(browser, session, within):
                failed.append(url)
            if number == 0 and before:
                browser.call("Target.closeTarget", targetId=before[0].id)
    return failed


def _whole(url: str) -> str:
    return url if ":" in url.partition("/")[0] else f"http://{url}"


def close_tabs(urls: list[str]) -> list[str]:
    """Close the tabs with these pages, one for each; returns the URLs that no tab had."""
    missing = []
    with connected() as browser:
        for url in urls:
            found = next((tab for tab in all_tabs(browser) if _same(tab.url, url)), None)
            if found is None:
                missing.append(url)
                continue
            browser.call("Target.closeTarget", targetId=found.id)
            _wait_until_closed(browser, found.id)
    return missing


def _wait_until_closed(browser: Browser, id: str) -> None:
    wait_for(lambda: all(tab.id != id for tab in all_tabs(browser)), 5)


def _same(one: str, other: str) -> bool:
    """Whether two URLs are one page: `www` and a slash at the end do not count."""

    def plain(url: str) -> tuple[str, str, str, str]:
        parts = urlsplit(_whole(url))
        return (
            parts.scheme,
            parts.netloc.removeprefix("www."),
            parts.path.rstrip("/"),
            parts.query,
        )

    return plain(one) == plain(other)


@contextmanager
def new_page(browser: Browser, url: str, within: float) -> Iterator[str]:
    """A session with a page in a tab that is closed again; `ToolError` where it does not load."""
    tab = browser.call("Target.createTarget", url="about:blank")["targetId"]
    session = browser.call("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]
    try:
        browser.call("Page.enable", session)
        said = browser.call("Page.navigate", session, within, url=_whole(url))
        if "errorText" in said:
            raise ToolError(f"{url} could not be loaded: {said['errorText']}.", code="not_loaded")
        if not _complete(browser, session, within):
            raise ToolError(f"{url} is still loading.", code="loading")
        yield session
    finally:
        browser.call("Target.closeTarget", targetId=tab)


SEEN = """() => ({title: document.title, url: location.href,
    content: document.documentElement.outerHTML})"""


def opened(url: str, within: float = LOADS_WITHIN) -> dict[str, str]:
    """Title, URL and HTML of a page, opened for this and closed again."""
    with connected(starting=True) as browser, new_page(browser, url, within) as session:
        found: dict[str, str] = evaluate(browser, session, SEEN)
        return found


def shown() -> Optional[str]:
    """The URL of the tab in front, as the browser has it; None where no tab is open."""
    with connected() as browser:
        return next((tab.url for tab in all_tabs(browser) if tab.active), None)


FIND = """(asked) => {
    const said = element => (element.textContent ?? '').trim();
    const own = element => [...element.childNodes].filter(each => each.nodeType === Node.TEXT_NODE)
        .map(each => each.textContent.trim()).filter(Boolean);
    const all = selector => [...document.querySelectorAll(selector)];
    const first = (found, ask) => found.map(ask).filter(each => each !== null);
    const under = (element, selector) => {
        const found = element.querySelector(selector);
        return found ? (found.innerText ?? found.textContent ?? '').trim() : null;
    };
    const value = element => (element.value ?? '').trim();
    const at = path => {
        const kind = XPathResult.FIRST_ORDERED_NODE_TYPE;
        return document.evaluate(path, document, null, kind, null).singleNodeValue;
    };
    const ways = {
        all: name => all('.' + name).map(said),
        own: name => { const found = all('.' + name); return found.length ? own(found[0]) : []; },
        heading: name => first(all('.' + name), each => under(each, 'h3')),
        item: name => first(all('.' + name + ' li.catAllProducts'), each => under(each, 'span')),
        xpath: path => { const found = at(path); return found ? [said(found)] : []; },
        value: path => { const found = at(path); return found ? [value(found)] : []; },
        label: text => {
            const wanted = text.toLowerCase();
            const found = all('body *').filter(each =>
                each.children.length === 0 && said(each).toLowerCase().includes(wanted));
            return found.slice(0, 1).map(said);
        },
    };
    return asked.map(([way, what]) => {
        try { return ways[way](what); } catch { return []; }
    });
}"""
"""Lists of texts: one for each way of finding and what is to be found."""


def texts(url: str, asked: list[list[str]], within: float) -> Optional[dict[str, Any]]:
    """What is found in the tab whose page has that URL: `url` and `found`, a list of texts for each
    way and name in `asked`. None where no tab has it.
    """
    with connected(starting=True) as browser:
        for tab in all_tabs(browser):
            if _plain(tab.url) == _plain(url):
                session = attach_to_page(browser, tab.id)
                _complete(browser, session, within)
                found = evaluate(browser, session, FIND, asked)
                return {"url": tab.url, "found": found}
    return None


def _plain(url: str) -> str:
    return unquote(url).rstrip("/")


SETTINGS = "chrome://settings/"
SCHEME = """async () => {
    const all = await chrome.settingsPrivate.getAllPrefs();
    const values = {};
    for (const each of all) values[each.key] = each.value;
    return [values['browser.theme.color_scheme2'] ?? values['browser.theme.color_scheme'] ?? null,
        values['extensions.theme.system_theme'] ?? null];
}"""


def appearance() -> list[Any]:
    """How light the browser is, as its settings have it: the scheme and the theme, as numbers."""
    with connected() as browser, browser_page(browser, SETTINGS) as session:
        found: list[Any] = evaluate(browser, session, SCHEME)
        return found
