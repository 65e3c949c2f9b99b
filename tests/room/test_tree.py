"""The tree of episodes in a real browser, and forks begun from a page, without a desktop."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from host.room.serve import opened
from tasks import Suite
from tests.host.travel import suite_in
from tests.room.family import family, live_branch
from tests.room.test_pages import UNNAMED

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return suite_in(tmp_path_factory.mktemp("suite") / "demo")


@pytest.fixture(scope="module")
def first(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trial that all others went on from."""
    return family(tmp_path_factory.mktemp("tree") / "runs", suite)


@pytest.fixture
def address(first: Path) -> Iterator[str]:
    with opened([first.parents[1]]) as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    wrong: list[str] = []
    with browser.new_context(viewport=WIDE) as context:
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(address)
        yield page
    assert wrong == []


def at_tree(page: Page, name: str = "demo/row.1") -> Page:
    page.evaluate(f"location.hash = '#/tree/{name}'")
    expect(page.locator(".members li").first).to_be_visible()
    return page


def test_the_tree_is_pictured(browser: Browser, first: Path, suite: Suite) -> None:
    with (
        live_branch(first.parents[1] / "live", suite, first, 2),
        opened([first.parents[1]]) as address,
    ):
        for scheme in ("light", "dark"):
            for size in (WIDE, NARROW):
                with browser.new_context(viewport=size, color_scheme=scheme) as context:
                    page = context.new_page()
                    page.goto(address)
                    at_tree(page)
                    expect(page.locator(".tree .lane.busy")).to_have_count(1)
                    _pictured(page, f"room-tree-{scheme}-{size['width']}")


def _pictured(page: Page, name: str) -> None:
    if os.environ.get("AMBIDEX_WRITE_PICTURES"):
        page.screenshot(path=PICTURES / f"{name}.png")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), name
