"""Reads web sites for tasks that are judged by them; needs a network, and sites may change."""

from __future__ import annotations

import contextlib
from typing import Any, Optional

from ambidex.guest.questions.pages import LOADS_WITHIN, new_page
from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.chrome.devtools import Browser, connected, evaluate
from ambidex.mcp_tools.waiting import wait_for

__all__ = ["information", "printed", "recreation"]

FINDS_WITHIN = 10.0
FAILED = "__EVALUATION_FAILED__"
RECREATION = "https://www.recreation.gov/"


def printed(url: str, within: float = LOADS_WITHIN) -> str:
    """A page as PDF, in base64."""
    with connected(starting=True) as browser, new_page(browser, url, within) as session:
        return str(browser.call("Page.printToPDF", session, within)["data"])


TEXT = "(selector) => document.querySelector(selector)?.innerText ?? null"
ATTRIBUTE = """(selector, name) =>
    document.querySelector(selector)?.getAttribute(name) ?? null"""
EXISTS = "(selector) => !!document.querySelector(selector)"
CLICK = "(selector) => document.querySelector(selector).click()"


def _wait_for_element(browser: Browser, session: str, selector: str) -> None:
    def exists() -> bool:
        with contextlib.suppress(ToolError):  # fails while one document replaces another
            return bool(evaluate(browser, session, EXISTS, selector))
        return False

    if not wait_for(exists, FINDS_WITHIN):
        raise ToolError(f"The page has no {selector}.", code="not_found")


def information(
    url: str, infos: list[dict[str, Any]], within: float = LOADS_WITHIN
) -> list[Optional[str]]:
    """Texts and attributes of a site, in the order of `infos`; each is reached from the page at
    `url` by a series of clicks.
    """
    values = []
    with connected(starting=True) as browser:
        for info in infos:
            with new_page(browser, url, within) as session:
                values.append(_read(browser, session, info))
    return values


def _read(browser: Browser, session: str, info: dict[str, Any]) -> Optional[str]:
    selectors = info["selector"]
    *clicks, target = [selectors] if isinstance(selectors, str) else list(selectors)
    for selector in clicks:
        _wait_for_element(browser, session, selector)
        evaluate(browser, session, CLICK, selector)
    _wait_for_element(browser, session, target)
    if "attribute" in info["action"]:
        value = evaluate(browser, session, ATTRIBUTE, target, info["attribute"])
    else:
        value = evaluate(browser, session, TEXT, target)
    return None if value is None else str(value)


FILL = """(text) => {
    const box = document.querySelector('input#hero-search-input');
    box.focus();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(box, text);
    box.dispatchEvent(new Event('input', {bubbles: true}));
}"""
LINK = """() =>
    document.querySelector('.search-result-highlight--success').closest('a')?.href ?? null"""
NTH = """(name, number) => {
    const element = document.querySelectorAll('.' + name)[number];
    return element ? (element.textContent ?? '').trim() : null;
}"""


def recreation(name: str, number: int, url: str = RECREATION) -> str:
    """The text of the element with that class and index, on the page of the first camp that a
    search for "Diamond" finds; `FAILED` if any of this fails.
    """
    try:
        with connected(starting=True) as browser, new_page(browser, url, LOADS_WITHIN) as session:
            _wait_for_element(browser, session, "input#hero-search-input")
            evaluate(browser, session, FILL, "Diamond")
            _wait_for_element(browser, session, "button.nav-search-button")
            evaluate(browser, session, CLICK, "button.nav-search-button")
            _wait_for_element(browser, session, ".search-result-highlight--success")
            target = evaluate(browser, session, LINK)
            if target is None:
                return FAILED
            browser.call("Page.navigate", session, LOADS_WITHIN, url=target)
            with contextlib.suppress(ToolError):  # a camp that is available has no such button
                _wait_for_element(browser, session, "button.next-available")
                evaluate(browser, session, CLICK, "button.next-available")
            _wait_for_element(browser, session, f".{name}")
            text = evaluate(browser, session, NTH, name, number)
            return FAILED if text is None else str(text)
    except ToolError:
        return FAILED
