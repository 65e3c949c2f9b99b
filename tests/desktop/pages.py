"""Pages in a real browser: watched for errors, waited for, and pictured for the documentation."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page

from tests.support import browsing
from tests.support.browsing import NARROW, SCHEMES, WIDE


def until(holds: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Wait until `holds` returns something true and return it."""
    end = time.monotonic() + seconds
    while not (result := holds()):
        assert time.monotonic() < end, "it did not come to be"
        time.sleep(0.05)
    return result


@contextmanager
def watched(browser: Browser, address: str) -> Iterator[Page]:
    """A page at this address. An error in it, or a request to another site, fails the test."""
    wrong: list[str] = []
    here = _site(address)

    def note(url: str) -> None:
        if not url.startswith(("data:", "blob:")) and _site(url) != here:
            wrong.append(url)

    with browser.new_context(viewport=WIDE) as context:
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda asked: note(asked.url))
        page.goto(address)
        yield page
    assert wrong == []


def _site(url: str) -> str:
    return url.partition("//")[2].partition("/")[0]


def looks(browser: Browser) -> Iterator[tuple[Page, str]]:
    """A new page in each colour scheme and width, and the end of its picture's name."""
    for scheme in SCHEMES:
        for size in (WIDE, NARROW):
            with browser.new_context(viewport=size, color_scheme=scheme) as context:
                yield context.new_page(), f"{scheme}-{size['width']}"


def pictured(page: Page, name: str) -> None:
    """As `browsing.pictured`, when what was scrolled to or has just been drawn is painted."""
    if os.environ.get("AMBIDEX_WRITE_PICTURES"):
        time.sleep(1.5)
    browsing.pictured(page, name)
