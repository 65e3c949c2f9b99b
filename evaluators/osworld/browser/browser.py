"""Metrics on the browser's tabs: the active page and the set of open pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, NotRequired

from pydantic import AfterValidator
from typing_extensions import TypedDict

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.answers import entries, fields, url_of
from ambidex.evaluators.osworld.browser.addresses import WHOLE_HOST, equal, without_query
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.values import shown, verdict


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return pattern


Pattern = Annotated[str, AfterValidator(_compiles)]


class Page(TypedDict):
    """The page that should be open; a type other than `url` never matches."""

    type: Any
    url: NotRequired[str | None]


class Pages(TypedDict):
    """The pages that should be open, one per tab; a type other than `url` never matches."""

    type: Any
    urls: NotRequired[list[Any]]


class Patterns(TypedDict):
    """Regular expressions that should match in a URL."""

    expected: list[Pattern] | Pattern


class Query(TypedDict):
    """The pattern of a search query."""

    pattern: Pattern


class Search(TypedDict):
    """The expected search query."""

    expect: Query


class Cart(TypedDict):
    """The items that a page should list."""

    items: list[Any] | str


@metric(repairs=(WHOLE_HOST,))
def is_expected_active_tab(result: Value, expected: Page, *, strict: bool) -> Score:
    """The active page has this URL."""
    actual = _active_url(result, strict=strict)
    if expected["type"] != "url" or (actual is None and not result):
        return Score(0.0, "the rule is not about a URL, or no page is open")
    same = _equal(_required(expected, "url"), actual, strict=strict)
    return verdict([] if same else [f"{shown(actual)} is open"], "the page is open")


@metric(
    repairs=(
        "URLs are compared as in is_expected_active_tab: upstream compares URLs letter by letter,"
        " so that a slash after the host or an upper-case host makes another page.",
    )
)
def is_expected_active_tab_approximate(result: Value, expected: Page, *, strict: bool) -> Score:
    """The active page has this URL, ignoring the query of both."""
    open_page = _active_url(result, strict=strict)
    if expected["type"] != "url" or not result:
        return Score(0.0, "the rule is not about a URL, or no page is open")
    url = _required(expected, "url")
    if url is None or open_page is None:
        return Score(float(url is open_page), f"{shown(open_page)} is open, not {shown(url)}")
    actual, target = (without_query(side, strict=strict) for side in (open_page, url))
    same = equal(target, actual, strict=True) if strict else target == actual
    return verdict([] if same else [f"{shown(actual)} is open"], "the page is open")


def _active_url(result: Value, *, strict: bool) -> str | None:
    """The URL of the active page."""
    if strict:
        return url_of(result)
    actual = result.get("url") if isinstance(result, dict) else result or None
    if actual is not None and not isinstance(actual, str):
        raise UpstreamRaisesError(f"{shown(actual)} is not a URL")
    return actual


def _required(rule: Mapping[str, Any], key: str) -> Any:
    if key not in rule:
        raise UpstreamRaisesError(f"the rule has no {key!r}")
    return rule[key]


def _equal(target: str | None, actual: str | None, *, strict: bool) -> bool:
    if target is None or actual is None:
        return target is actual
    if not isinstance(target, str):
        raise UpstreamRaisesError(f"{shown(target)} is not a URL")
    return equal(target, actual, strict=strict)


@metric()
def is_expected_url_pattern_match(result: Value, expected: Patterns) -> Score:
    """Each regular expression matches in the URL of the active page."""
    return _match(_active_url(result, strict=False), expected["expected"])


@metric()
def is_expected_search_query(result: Value, expected: Search) -> Score:
    """The regular expression matches in the URL of the active page."""
    if isinstance(result, str) and result:
        raise UpstreamRaisesError("a text has no `url`")
    return _match(_active_url(result, strict=False), [expected["expect"]["pattern"]])


def _match(actual: str | None, patterns: list[str] | str) -> Score:
    if actual is None:
        raise UnreadableError("the URL of a page is missing")
    wrong = [
        f"{shown(pattern)} is not in {shown(actual)}"
        for pattern in patterns
        if not re.search(pattern, actual)
    ]
    return verdict(wrong, f"{shown(actual)} is as expected")


@metric(
    repairs=(
        WHOLE_HOST,
        "Each tab counts for one expected page: upstream counts one tab for all equal pages.",
    )
)
def is_expected_tabs(result: Value, expected: Pages, *, strict: bool) -> Score:
    """As many tabs are open as pages are expected, and each expected page is open in one."""
    target = [] if expected["type"] != "url" else _required(expected, "urls")
    if expected["type"] != "url" or not result:
        return Score(0.0, "the rule is not about URLs, or no tab is open")
    open_tabs = [_tab(entry, strict=strict) for entry in entries(result)]
    if len(open_tabs) != len(target):
        return Score(0.0, f"{len(open_tabs)} tabs are open, not {len(target)}")
    missing = []
    for url in target:
        place = next(
            (n for n, tab in enumerate(open_tabs) if _equal(url, tab, strict=strict)), None
        )
        if place is None:
            missing.append(f"{shown(url)} is not open")
        elif strict:
            del open_tabs[place]
    return verdict(missing, f"all {len(target)} pages are open")


def _tab(tab: Any, *, strict: bool) -> str | None:
    if strict:
        return url_of(tab)
    if not isinstance(tab, dict) or not isinstance(tab.get("url", 0), str | None):
        raise UpstreamRaisesError(f"{shown(tab)} is not a tab with a `url`")
    return tab["url"]  # type: ignore[no-any-return]  # checked above: a text or None


@metric()
def is_added_to_steam_cart(result: Value, expected: Cart) -> Score:
    """The page (its text, `content`) contains every item."""
    content = fields(result).get("content")
    if not isinstance(content, str | list):
        raise UnreadableError("the content of the page is missing")
    wrong = []
    for item in expected["items"]:
        try:
            listed = item in content
        except TypeError as error:
            raise UpstreamRaisesError(f"{shown(item)} cannot be searched for") from error
        wrong += [] if listed else [f"{shown(item)} is not on the page"]
    return verdict(wrong, f"all {len(expected['items'])} items are on the page")
