"""What sites say, for tasks that are judged by them: it takes a network, and what a site says
tomorrow is another thing.
"""

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
    """A page as PDF, in Base64."""
    with connected(starting=True) as browser, new_page(browser, url, within) as session:
        return str(browser.call("Page.printToPDF", session, within)["data"])


TEXT = "(selector) => document.querySelector(selector)?.innerText ?? null"
ATTRIBUTE = """(selector, name) =>
    document.querySelector(selector)?.getAttribute(name) ?? null"""
THERE = "(selector) => !!document.querySelector(selector)"
CLICK = "(selector) => document.querySelector(selector).click()"


def _found(browser: Browser, session: str, selector: str) -> None:
    def there() -> bool:
        with contextlib.suppress(ToolError):  # between two documents there is nobody to answer
            return bool(evaluate(browser, session, THERE, selector))
        return False

    if not wait_for(there, FINDS_WITHIN):
        raise ToolError(f"The page has no {selector}.", code="not_found")


def information(
    url: str, infos: list[dict[str, Any]], within: float = LOADS_WITHIN
) -> list[Optional[str]]:
    """Texts and attributes of a site, in order: each begins at the page, and may lead over clicks
    on several others.
    """
    said = []
    with connected(starting=True) as browser:
        for info in infos:
            with new_page(browser, url, within) as session:
                said.append(_one(browser, session, info))
    return said


def _one(browser: Browser, session: str, info: dict[str, Any]) -> Optional[str]:
    selectors = info["selector"]
    way = [selectors] if isinstance(selectors, str) else list(selectors)
    for selector in way[:-1]:
        _found(browser, session, selector)
        evaluate(browser, session, CLICK, selector)
    _found(browser, session, way[-1])
    if "attribute" in info["action"]:
        value = evaluate(browser, session, ATTRIBUTE, way[-1], info["attribute"])
    else:
        value = evaluate(browser, session, TEXT, way[-1])
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
    const found = document.querySelectorAll('.' + name)[number];
    return found ? (found.textContent ?? '').trim() : null;
}"""


def recreation(name: str, number: int, url: str = RECREATION) -> str:
    """The text of the element of that class and number on the page of the first camp that a search
    for "Diamond" finds; what stands for a failure where any step of that fails.
    """
    try:
        with connected(starting=True) as browser, new_page(browser, url, LOADS_WITHIN) as session:
            _found(browser, session, "input#hero-search-input")
            evaluate(browser, session, FILL, "Diamond")
            _found(browser, session, "button.nav-search-button")
            evaluate(browser, session, CLICK, "button.nav-search-button")
            _found(browser, session, ".search-result-highlight--success")
            target = evaluate(browser, session, LINK)
            if target is None:
                return FAILED
            browser.call("Page.navigate", session, LOADS_WITHIN, url=target)
            with contextlib.suppress(ToolError):  # a camp that is free now has no such button
                _found(browser, session, "button.next-available")
                evaluate(browser, session, CLICK, "button.next-available")
            _found(browser, session, f".{name}")
            said = evaluate(browser, session, NTH, name, number)
            return FAILED if said is None else str(said)
    except ToolError:
        return FAILED
