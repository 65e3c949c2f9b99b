"""Opening a page in a tab that the tests of a module share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from playwright.sync_api import Error, Page, ViewportSize

__all__ = ["NARROW", "SCHEMES", "WIDE", "visit"]

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
