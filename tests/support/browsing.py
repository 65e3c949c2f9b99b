"""Opening a page in a tab that the tests of a module share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from playwright.sync_api import Error, Page, ViewportSize

__all__ = ["NARROW", "SCHEMES", "WIDE", "pictured", "visit"]

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"

WIDE, NARROW = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)

Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")


@contextmanager
def visit(
    tab: Page, address: str, size: ViewportSize = WIDE, scheme: Scheme = "light"
) -> Iterator[Page]:
    """Open an address as a new browser would: afterwards its cookies and what the page stored are
    gone. An error in the page fails the test."""
    errors: list[str] = []

    def on_error(error: Error) -> None:
        errors.append(str(error))

    tab.on("pageerror", on_error)
    tab.set_viewport_size(size)
    tab.emulate_media(color_scheme=scheme)
    tab.goto(address)
    try:
        yield tab
        tab.evaluate("sessionStorage.clear()")
    finally:
        tab.goto("about:blank")
        tab.context.clear_cookies()
        tab.remove_listener("pageerror", on_error)
    assert errors == []


def pictured(page: Page, name: str) -> None:
    """Assert that nothing is wider than the page, and picture it if that is asked for."""
    if os.environ.get("AMBIDEX_WRITE_PICTURES"):
        page.screenshot(path=PICTURES / f"{name}.png")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), name
