"""Tabs of the browser: which page is open, and which pages are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, NotRequired

from pydantic import AfterValidator
from typing_extensions import TypedDict

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.answers import entries, fields, url_of
from ambidex.evaluators.osworld.browser.addresses import KEPT, equal, without_query
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.values import shown, verdict


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"no regular expression: {error}") from None
    return pattern


Pattern = Annotated[str, AfterValidator(_compiles)]


class Page(TypedDict):
    """The page that should be open; of another type than `url`, none is."""

    type: Any
    url: NotRequired[str | None]


class Pages(TypedDict):
    """The pages that should be open, one in each tab; of another type than `url`, none are."""

    type: Any
    urls: NotRequired[list[Any]]


class Patterns(TypedDict):
    """Regular expressions that an address should hold."""

    expected: list[Pattern] | Pattern


class Query(TypedDict):
    """What was searched for."""

    pattern: Pattern


class Search(TypedDict):
    """What an address of a search should hold."""

    expect: Query


class Cart(TypedDict):
    """What a page should name."""

    items: list[Any] | str


@metric(repairs=(KEPT,))
def is_expected_active_tab(result: Value, expected: Page, *, strict: bool) -> Score:
    """The open page has this address."""
    actual = _open(result, strict=strict)
    if expected["type"] != "url" or (actual is None and not result):
        return Score(0.0, "no page is asked for by its address, or none is open")
    same = _equal(_asked(expected, "url"), actual, strict=strict)
    return verdict([] if same else [f"{shown(actual)} is open"], "the page is open")


@metric(
    repairs=(
        "Addresses are compared as in is_expected_active_tab: upstream compares letters, so a"
        " slash after the host or an upper-case host is another page.",
    )
)
def is_expected_active_tab_approximate(result: Value, expected: Page, *, strict: bool) -> Score:
    """The open page has this address, whatever the query of either."""
    open_page = _open(result, strict=strict)
    if expected["type"] != "url" or not result:
        return Score(0.0, "no page is asked for by its address, or none is open")
    asked = _asked(expected, "url")
    if asked is None or open_page is None:
        return Score(float(asked is open_page), f"{shown(open_page)} is open, not {shown(asked)}")
    actual, target = (without_query(side, strict=strict) for side in (open_page, asked))
    same = equal(target, actual, strict=True) if strict else target == actual
    return verdict([] if same else [f"{shown(actual)} is open"], "the page is open")


def _open(result: Value, *, strict: bool) -> str | None:
    """The address of the open page."""
    if strict:
        return url_of(result)
    actual = result.get("url") if isinstance(result, dict) else result or None
    if actual is not None and not isinstance(actual, str):
        raise UpstreamRaisesError(f"{shown(actual)} is no address")
    return actual


def _asked(rule: Mapping[str, Any], key: str) -> Any:
    if key not in rule:
        raise UpstreamRaisesError(f"the rule has no {key!r}")
    return rule[key]


def _equal(target: str | None, actual: str | None, *, strict: bool) -> bool:
    if target is None or actual is None:
        return target is actual
    if not isinstance(target, str):
        raise UpstreamRaisesError(f"{shown(target)} is no address")
    return equal(target, actual, strict=strict)


@metric()
def is_expected_url_pattern_match(result: Value, expected: Patterns) -> Score:
    """Each regular expression is found in the address of the open page."""
    return _holds(_open(result, strict=False), expected["expected"])


@metric()
def is_expected_search_query(result: Value, expected: Search) -> Score:
    """The regular expression is found in the address of the open page."""
    if isinstance(result, str) and result:
        raise UpstreamRaisesError("of a text nothing is known, not even its `url`")
    return _holds(_open(result, strict=False), [expected["expect"]["pattern"]])


def _holds(actual: str | None, patterns: list[str] | str) -> Score:
    if actual is None:
        raise UnreadableError("no address of a page was given")
    wrong = [
        f"{shown(pattern)} is not in {shown(actual)}"
        for pattern in patterns
        if not re.search(pattern, actual)
    ]
    return verdict(wrong, f"{shown(actual)} is as expected")


@metric(
    repairs=(
        KEPT,
        "Each tab answers one expected page: upstream takes one tab for all that are equal to it.",
    )
)
def is_expected_tabs(result: Value, expected: Pages, *, strict: bool) -> Score:
    """As many tabs are open as pages are expected, and each expected page is in one of them."""
    target = [] if expected["type"] != "url" else _asked(expected, "urls")
    if expected["type"] != "url" or not result:
        return Score(0.0, "no pages are asked for by their addresses, or no tab is open")
    left = [_tab(entry, strict=strict) for entry in entries(result)]
    if len(left) != len(target):
        return Score(0.0, f"{len(left)} tabs are open, not {len(target)}")
    missing = []
    for url in target:
        place = next((n for n, tab in enumerate(left) if _equal(url, tab, strict=strict)), None)
        if place is None:
            missing.append(f"{shown(url)} is not open")
        elif strict:
            del left[place]
    return verdict(missing, f"all {len(target)} pages are open")


def _tab(tab: Any, *, strict: bool) -> str | None:
    if strict:
        return url_of(tab)
    if not isinstance(tab, dict) or not isinstance(tab.get("url", 0), str | None):
        raise UpstreamRaisesError(f"{shown(tab)} is no tab with a `url`")
    return tab["url"]  # type: ignore[no-any-return]  # a text or None, as was just asked


@metric()
def is_added_to_steam_cart(result: Value, expected: Cart) -> Score:
    """The page (its text, `content`) names every item."""
    content = fields(result).get("content")
    if not isinstance(content, str | list):
        raise UnreadableError("the content of the page was not given")
    wrong = []
    for item in expected["items"]:
        try:
            there = item in content
        except TypeError as error:
            raise UpstreamRaisesError(f"{shown(item)} cannot be on a page") from error
        wrong += [] if there else [f"{shown(item)} is not on the page"]
    return verdict(wrong, f"all {len(expected['items'])} items are on the page")
