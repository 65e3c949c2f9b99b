"""Opens, closes and reads pages of the browser, for setup and collection.

The browser is accessed through its debugging port, which listens on this machine only.
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
    """Whether the browser's port answers within that many seconds."""
    return bool(wait_for(endpoint, within))


def tabs(within: float) -> list[dict[str, str]]:
    """Title and URL of every tab, once it has loaded.

    A tab that does not load within that many seconds has the title "Load timeout".
    """
    with connected() as browser:
        result = []
        for tab in all_tabs(browser):
            complete = _wait_until_complete(browser, attach_to_page(browser, tab.id), within)
            title = tab.title if complete else "Load timeout"
            result.append({"title": title, "url": tab.url})
        return result


def _wait_until_complete(browser: Browser, session: str, within: float) -> bool:
    def is_complete() -> bool:
        with contextlib.suppress(ToolError):  # fails while one document replaces another
            return bool(evaluate(browser, session, "() => document.readyState === 'complete'"))
        return False

    return bool(wait_for(is_complete, within))


def open_tabs(urls: list[str], within: float) -> list[str]:
    """Open each page in a tab of its own, and close the first tab that was open before.

    Returns the URLs that did not load; their tabs remain open.
    """
    failed = []
    with connected() as browser:
        before = all_tabs(browser)
        for number, url in enumerate(urls):
            tab = browser.call("Target.createTarget", url="about:blank", forTab=True)["targetId"]
            session = attach_to_page(browser, tab)
            answer = browser.call("Page.navigate", session, within, url=_with_scheme(url))
            if "errorText" in answer or not _wait_until_complete(browser, session, within):
                failed.append(url)
            if number == 0 and before:
                browser.call("Target.closeTarget", targetId=before[0].id)
    return failed


def _with_scheme(url: str) -> str:
    return url if ":" in url.partition("/")[0] else f"http://{url}"


def close_tabs(urls: list[str]) -> list[str]:
    """Close one tab for each of these pages; returns the URLs that no tab has."""
    missing = []
    with connected() as browser:
        for url in urls:
            tab = next((tab for tab in all_tabs(browser) if _same_page(tab.url, url)), None)
            if tab is None:
                missing.append(url)
                continue
            browser.call("Target.closeTarget", targetId=tab.id)
            _wait_until_closed(browser, tab.id)
    return missing


def _wait_until_closed(browser: Browser, id: str) -> None:
    wait_for(lambda: all(tab.id != id for tab in all_tabs(browser)), 5)


def _same_page(one: str, other: str) -> bool:
    """Whether two URLs are the same page, ignoring `www` and a trailing slash."""

    def normalise(url: str) -> tuple[str, str, str, str]:
        parts = urlsplit(_with_scheme(url))
        return (
            parts.scheme,
            parts.netloc.removeprefix("www."),
            parts.path.rstrip("/"),
            parts.query,
        )

    return normalise(one) == normalise(other)


@contextmanager
def new_page(browser: Browser, url: str, within: float) -> Iterator[str]:
    """Open a page in a new tab, which is closed on exit; `ToolError` if it does not load."""
    tab = browser.call("Target.createTarget", url="about:blank")["targetId"]
    session = browser.call("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]
    try:
        browser.call("Page.enable", session)
        answer = browser.call("Page.navigate", session, within, url=_with_scheme(url))
        if "errorText" in answer:
            message = f"{url} could not be loaded: {answer['errorText']}."
            raise ToolError(message, code="not_loaded")
        if not _wait_until_complete(browser, session, within):
            raise ToolError(f"{url} is still loading.", code="loading")
        yield session
    finally:
        browser.call("Target.closeTarget", targetId=tab)


READ_PAGE = """() => ({title: document.title, url: location.href,
    content: document.documentElement.outerHTML})"""


def opened(url: str, within: float = LOADS_WITHIN) -> dict[str, str]:
    """Title, URL and HTML of a page, which is opened and closed for this."""
    with connected(starting=True) as browser, new_page(browser, url, within) as session:
        page: dict[str, str] = evaluate(browser, session, READ_PAGE)
        return page


def shown() -> Optional[str]:
    """The URL of the tab in front; None if no tab is open."""
    with connected() as browser:
        return next((tab.url for tab in all_tabs(browser) if tab.active), None)


FIND = """(queries) => {
    const text = element => (element.textContent ?? '').trim();
    const own = element => [...element.childNodes].filter(node => node.nodeType === Node.TEXT_NODE)
        .map(node => node.textContent.trim()).filter(Boolean);
    const all = selector => [...document.querySelectorAll(selector)];
    const present = (elements, read) => elements.map(read).filter(value => value !== null);
    const under = (element, selector) => {
        const match = element.querySelector(selector);
        return match ? (match.innerText ?? match.textContent ?? '').trim() : null;
    };
    const value = element => (element.value ?? '').trim();
    const at = path => {
        const kind = XPathResult.FIRST_ORDERED_NODE_TYPE;
        return document.evaluate(path, document, null, kind, null).singleNodeValue;
    };
    const methods = {
        all: name => all('.' + name).map(text),
        own: name => { const nodes = all('.' + name); return nodes.length ? own(nodes[0]) : []; },
        heading: name => present(all('.' + name), node => under(node, 'h3')),
        item: name => present(all('.' + name + ' li.catAllProducts'), node => under(node, 'span')),
        xpath: path => { const node = at(path); return node ? [text(node)] : []; },
        value: path => { const node = at(path); return node ? [value(node)] : []; },
        label: label => {
            const part = label.toLowerCase();
            const matches = all('body *').filter(node =>
                node.children.length === 0 && text(node).toLowerCase().includes(part));
            return matches.slice(0, 1).map(text);
        },
    };
    return queries.map(([method, target]) => {
        try { return methods[method](target); } catch { return []; }
    });
}"""
"""Returns a list of texts for each pair of a method and its target."""


def texts(url: str, asked: list[list[str]], within: float) -> Optional[dict[str, Any]]:
    """Find texts in the tab that shows that URL: `url` and `found`, a list of texts for each pair
    of a method and its target in `asked`. None if no tab shows it.
    """
    with connected(starting=True) as browser:
        for tab in all_tabs(browser):
            if _normalise(tab.url) == _normalise(url):
                session = attach_to_page(browser, tab.id)
                _wait_until_complete(browser, session, within)
                matches = evaluate(browser, session, FIND, asked)
                return {"url": tab.url, "found": matches}
    return None


def _normalise(url: str) -> str:
    return unquote(url).rstrip("/")


SETTINGS = "chrome://settings/"
SCHEME = """async () => {
    const all = await chrome.settingsPrivate.getAllPrefs();
    const values = {};
    for (const pref of all) values[pref.key] = pref.value;
    return [values['browser.theme.color_scheme2'] ?? values['browser.theme.color_scheme'] ?? null,
        values['extensions.theme.system_theme'] ?? null];
}"""


def appearance() -> list[Any]:
    """The browser's colour scheme and theme, as the numbers in its settings."""
    with connected() as browser, browser_page(browser, SETTINGS) as session:
        numbers: list[Any] = evaluate(browser, session, SCHEME)
        return numbers
