"""Tabs of the browser: which page is open, and which pages are."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator
from typing_extensions import TypedDict

from evaluators import Score, Unreadable
from evaluators.osworld import Value
from evaluators.osworld.addresses import KEPT, equal, without_query
from evaluators.osworld.answers import entries, fields, url_of
from evaluators.osworld.registry import metric
from evaluators.values import shown, verdict


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"no regular expression: {error}") from None
    return pattern


Pattern = Annotated[str, AfterValidator(_compiles)]


class Page(TypedDict):
    """The page that should be open."""

    type: Literal["url"]
    url: str


class Pages(TypedDict):
    """The pages that should be open, one in each tab."""

    type: Literal["url"]
    urls: list[str]


class Patterns(TypedDict):
    """Regular expressions that an address should hold."""

    expected: list[Pattern]


class Query(TypedDict):
    """What was searched for."""

    pattern: Pattern


class Search(TypedDict):
    """What an address of a search should hold."""

    expect: Query


class Cart(TypedDict):
    """What a page should name."""

    items: list[str]


@metric(repairs=(KEPT,))
def is_expected_active_tab(result: Value, expected: Page, *, strict: bool) -> Score:
    """The open page has this address."""
    seen = url_of(result)
    wrong = [] if equal(expected["url"], seen, strict=strict) else [f"{shown(seen)} is open"]
    return verdict(wrong, "the page is open")


@metric(
    repairs=(
        "Addresses are compared as in is_expected_active_tab: upstream compares letters, so a"
        " slash after the host or an upper-case host is another page.",
    )
)
def is_expected_active_tab_approximate(result: Value, expected: Page, *, strict: bool) -> Score:
    """The open page has this address, whatever the query of either."""
    seen, wanted = without_query(url_of(result)), without_query(expected["url"])
    same = equal(wanted, seen, strict=True) if strict else wanted == seen
    return verdict([] if same else [f"{shown(seen)} is open"], "the page is open")


@metric()
def is_expected_url_pattern_match(result: Value, expected: Patterns) -> Score:
    """Each regular expression is found in the address of the open page."""
    return _holds(url_of(result), expected["expected"])


@metric()
def is_expected_search_query(result: Value, expected: Search) -> Score:
    """The regular expression is found in the address of the open page."""
    return _holds(url_of(result), [expected["expect"]["pattern"]])


def _holds(seen: str, patterns: list[str]) -> Score:
    wrong = [
        f"{shown(each)} is not in {shown(seen)}" for each in patterns if not re.search(each, seen)
    ]
    return verdict(wrong, f"{shown(seen)} is as expected")


@metric(
    repairs=(
        KEPT,
        "Each tab answers one expected page: upstream takes one tab for all that are equal to it.",
    )
)
def is_expected_tabs(result: Value, expected: Pages, *, strict: bool) -> Score:
    """As many tabs are open as pages are expected, and each expected page is in one of them."""
    left = [url_of(each) for each in entries(result)]
    if len(left) != len(expected["urls"]):
        return Score(0.0, f"{len(left)} tabs are open, not {len(expected['urls'])}")
    missing = []
    for url in expected["urls"]:
        place = next((n for n, tab in enumerate(left) if equal(url, tab, strict=strict)), None)
        if place is None:
            missing.append(f"{shown(url)} is not open")
        elif strict:
            del left[place]
    return verdict(missing, f"all {len(expected['urls'])} pages are open")


@metric()
def is_added_to_steam_cart(result: Value, expected: Cart) -> Score:
    """The page (its text, `content`) names every item."""
    content = fields(result).get("content")
    if not isinstance(content, str):
        raise Unreadable("the content of the page was not given")
    wrong = [
        f"{shown(each)} is not on the page" for each in expected["items"] if each not in content
    ]
    return verdict(wrong, f"all {len(expected['items'])} items are on the page")
