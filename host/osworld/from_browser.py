"""Getters that query the running browser: its address bar, tabs and pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from ambidex.host.osworld.getter_context import GetterContext, GetterError, value
from ambidex.host.osworld.questions import QuestionRefusedError, ask
from ambidex.host.untrusted import MalformedError
from ambidex.tasks.osworld.evidence import Collected
from ambidex.tasks.osworld.web_getter_types import (
    ActiveTab,
    ActiveUrl,
    HtmlParse,
    OpenTabsInfo,
    PageInfo,
    UrlParse,
    UrlPart,
    UrlPath,
)

__all__ = [
    "address_of",
    "elided",
    "from_address",
    "html",
    "pages",
    "part_of",
    "query_values",
    "shop",
]

LOADS = 60.0
ANSWERS = 30.0


def elided(url: str) -> str:
    """A URL as the address bar shows it: without http(s), www and a lone trailing slash."""
    scheme, _, rest = url.partition("://")
    if scheme not in ("http", "https"):
        return url
    host, slash, path = rest.removeprefix("www.").partition("/")
    return host if slash and not path else f"{host}{slash}{path}"


def address_of(context: GetterContext, prefix: str) -> tuple[str | None, str]:
    """The text of the address bar with a prefix, or None, and a note. If the bar is not accessible,
    it is derived from the URL of the front tab."""
    address, note = ask(context.guest, "address"), ""
    if address is None:
        try:
            url = ask(context.guest, "shown")
        except QuestionRefusedError as refused:
            return None, str(refused)
        if url is None:
            return None, "no tab is open"
        address, note = (
            elided(url),
            "the address bar is not in the accessibility tree: taken from the front tab",
        )
    return f"{prefix}{address}", note


def from_address(
    context: GetterContext, getter: ActiveUrl | UrlParse | UrlPart | UrlPath
) -> Collected:
    """Answer with the address, or a part of it."""
    address, note = address_of(context, getter.goto_prefix)
    if address is None:
        return value(getter.type, None, note)
    try:
        match getter:
            case ActiveUrl():
                return value(getter.type, address, note)
            case UrlParse():
                return value(getter.type, query_values(address, getter), note)
            case UrlPart():
                return value(getter.type, part_of(address, getter), note)
            case UrlPath():
                return value(getter.type, shop(address, getter), note)
    except (ValueError, IndexError) as error:  # the bar can contain any text
        raise GetterError(f"cannot parse the address {address[:200]!r}: {error}") from None


def query_values(address: str, getter: UrlParse) -> dict[str, Any]:
    """The first value of each requested key of the query; empty for a missing key."""
    query = parse_qs(urlsplit(address).query)
    values: dict[str, Any] = {key: query.get(key, [""])[0] for key in getter.parse_keys}
    for old, new in getter.replace.items():
        values[new] = values.pop(old, "")
    return {key: text.split(",") for key, text in values.items()} if getter.split_list else values


def part_of(address: str, getter: UrlPart) -> Any:
    """One slash-separated part, counted from the scheme; None if there are fewer parts."""
    parts = address.split("/")
    if getter.partIndex >= len(parts):
        return None
    part = parts[getter.partIndex]
    if getter.needDeleteId:
        part = part.partition("?")[0]
    return part if getter.returnType == "string" else {getter.key: part}


HALF = "50_PERCENT_ off & more"
LESS = ("30_PERCENT_ off & more", "20_PERCENT_ off & more")


def shop(address: str, getter: UrlPath) -> dict[str, Any]:
    """The filters in the addresses of one shop: pairs of path parts, the first with names and the
    second with their values, each separated by commas."""
    path = unquote(urlsplit(address).path)
    filters = dict(_pairs(path.strip("/").split("/")))
    shirts = "shirts" in path or filters.get("Product_department") in ("shirts", "Shirts", "Shirt")
    short = "short-sleeve" in path or filters.get("Sleeve_length") in (
        "short-sleeve",
        "Short Sleeve",
    )
    result: dict[str, Any] = {
        "mens_clothing": "mens-clothing" in path or None,
        "shirts": shirts or None,
        "short_sleeve": short or None,
    }
    filters = {"Men_regular_size_t": None, "Price_discount_range": None, **filters}
    for key in getter.parse_keys:
        if key == "Price_discount_range":
            offers = [offer.strip() for offer in (filters[key] or "").split("|")]
            half = HALF in offers and not any(less in offers for less in LESS)
            result[key] = HALF if half else f"not_{HALF}"
        elif key in filters:
            result[key] = filters[key]
    return result


def _pairs(parts: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    for names, values in pairwise(parts):
        if "," in names and "," in values:
            for name, text in zip(names.split(","), values.split(","), strict=False):
                yield name.strip(), text.strip() or None
            return


def pages(context: GetterContext, getter: ActiveTab | OpenTabsInfo | PageInfo) -> Collected:
    """Answer with titles, URLs and HTML of tabs or a page."""
    kind = getter.type
    try:
        match getter:
            case OpenTabsInfo():
                return value(kind, ask(context.guest, "tabs", takes=2 * ANSWERS, within=ANSWERS))
            case PageInfo():
                answer = ask(context.guest, "opened", takes=2 * LOADS, url=getter.url, within=LOADS)
                return value(kind, answer)
            case ActiveTab():
                address, note = address_of(context, getter.goto_prefix)
                if address is None:
                    return value(kind, None, note)
                answer = ask(context.guest, "opened", takes=2 * LOADS, url=address, within=LOADS)
                return value(kind, answer, note)
    except QuestionRefusedError as refused:
        return value(kind, _fallback(getter), str(refused))


def _fallback(getter: ActiveTab | OpenTabsInfo | PageInfo) -> Any:
    """OSWorld's value if the browser or a page is not available."""
    match getter:
        case OpenTabsInfo():
            return []
        case PageInfo():
            return {"title": "Connection failed", "url": getter.url, "content": ""}
        case ActiveTab():
            return None


def html(context: GetterContext, getter: HtmlParse) -> Collected:
    """Answer with texts of the page whose address is in the bar, under the task's keys."""
    address, note = address_of(context, getter.goto_prefix)
    if address is None:
        return value(getter.type, None, note)
    lookups = [[way, name] for way, name in dict.fromkeys(_lookups(getter))]
    try:
        answer = ask(
            context.guest, "texts", takes=2 * LOADS, url=address, asked=lookups, within=ANSWERS
        )
    except QuestionRefusedError as refused:
        return value(getter.type, {}, str(refused))
    if answer is None:
        return value(getter.type, {}, f"no tab shows {address}")
    if len(answer["found"]) != len(lookups):
        count = len(answer["found"])
        raise MalformedError(f"{count} places of a page were read instead of {len(lookups)}")
    found = {
        (way, name): texts for (way, name), texts in zip(lookups, answer["found"], strict=True)
    }
    return value(getter.type, _by_key(getter, found, answer["url"].lower()), note)


def _lookups(getter: HtmlParse) -> Iterator[tuple[str, str]]:
    """The method and the name or path of each lookup that the getter needs."""
    match getter.category:
        case "class":
            for name in (*getter.class_multiObject, *getter.class_multiObject_search_exist):
                yield "all", name
            yield from (("own", name) for name in getter.class_multiObject_child)
            yield from (("heading", name) for name in getter.class_multiObject_only_child)
            yield from (("all", name) for name in getter.class_singleObject)
        case "label":
            yield from (("label", name) for name in getter.labelObject)
        case "xpath":
            yield from (("xpath", path) for path in getter.xpathObject)
        case "input":
            yield from (("value", path) for path in getter.inputObject)
        case "class&url":
            yield from (("all", name) for name in getter.class_multiObject)
            yield from (("item", name) for name in getter.class_multiObject_li)


def _by_key(getter: HtmlParse, found: dict[tuple[str, str], list[str]], url: str) -> dict[str, Any]:
    match getter.category:
        case "class":
            return _by_class(getter, found)
        case "label":
            return {key: _first(found["label", name]) for name, key in getter.labelObject.items()}
        case "xpath":
            return {key: _first(found["xpath", path]) for path, key in getter.xpathObject.items()}
        case "input":
            return {key: _first(found["value", path]) for path, key in getter.inputObject.items()}
        case "class&url":
            return _by_class_and_url(getter, found, url)


def _first(texts: Sequence[str]) -> str:
    return texts[0] if texts else ""


def _by_class(getter: HtmlParse, found: dict[tuple[str, str], list[str]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for way, places_by_name in (
        ("all", getter.class_multiObject),
        ("own", getter.class_multiObject_child),
        ("heading", getter.class_multiObject_only_child),
    ):
        for name, places in places_by_name.items():
            if isinstance(places, dict):
                for number, key in places.items():
                    values[key] = _first(found[way, name][int(number) :])
    for name, wanted_texts in getter.class_multiObject_search_exist.items():
        texts = found["all", name]
        others = "is_other_exist" in wanted_texts
        values |= {each: each in texts for each in wanted_texts if each != "is_other_exist"}
        if others:
            values["is_other_exist"] = any(text not in wanted_texts for text in texts)
    return values | {
        key: _first(found["all", name]) for name, key in getter.class_singleObject.items()
    }


def _by_class_and_url(
    getter: HtmlParse, found: dict[tuple[str, str], list[str]], url: str
) -> dict[str, Any]:
    """Which of the expected texts are selected on the page or part of its URL."""
    values: dict[str, Any] = {}
    for way, names_by_class in (
        ("all", getter.class_multiObject),
        ("item", getter.class_multiObject_li),
    ):
        for name, names in names_by_class.items():
            texts = [text.lower() for text in found[way, name]]
            expected_texts = [each.lower() for each in names]
            values |= {expected: True for expected in expected_texts if expected in texts}
            if any(all(text not in expected for expected in expected_texts) for text in texts):
                values["is_other_exist"] = True
            values.setdefault("is_other_exist", False)
    for expected in getter.url_include_expected:
        values.setdefault(expected.lower(), expected.lower() in url)
    for expected, key in getter.url_include_expected_multichoice.items():
        values.setdefault(key.lower(), expected.lower() in url)
    return values
