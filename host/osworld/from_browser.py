"""Getters that ask the running browser: what its address bar says, what its pages hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from ambidex.host.osworld.getter_context import GetterError, Place, value
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

__all__ = ["address_of", "elided", "from_address", "html", "pages", "part_of", "shop", "told"]

LOADS = 60.0
ANSWERS = 30.0


def elided(url: str) -> str:
    """A URL as the address bar shows it: no scheme of the web, no www, no slash alone."""
    scheme, _, rest = url.partition("://")
    if scheme not in ("http", "https"):
        return url
    host, slash, path = rest.removeprefix("www.").partition("/")
    return host if slash and not path else f"{host}{slash}{path}"


def address_of(place: Place, prefix: str) -> tuple[str | None, str]:
    """What stands in the address bar, with the prefix; None where nothing does. Where the browser
    tells assistive programs nothing, it is what the bar would show."""
    seen, note = ask(place.guest, "address"), ""
    if seen is None:
        try:
            url = ask(place.guest, "shown")
        except QuestionRefusedError as refused:
            return None, str(refused)
        if url is None:
            return None, "no tab is open"
        seen, note = elided(url), "the bar is not in the accessibility tree: from the tab in front"
    return f"{prefix}{seen}", note


def from_address(place: Place, getter: ActiveUrl | UrlParse | UrlPart | UrlPath) -> Collected:
    """The address, or a part of it."""
    address, note = address_of(place, getter.goto_prefix)
    if address is None:
        return value(getter.type, None, note)
    try:
        match getter:
            case ActiveUrl():
                return value(getter.type, address, note)
            case UrlParse():
                return value(getter.type, told(address, getter), note)
            case UrlPart():
                return value(getter.type, part_of(address, getter), note)
            case UrlPath():
                return value(getter.type, shop(address, getter), note)
    except (ValueError, IndexError) as error:  # anything can be typed into the bar
        raise GetterError(f"{address[:200]!r} is no such address: {error}") from None


def told(address: str, getter: UrlParse) -> dict[str, Any]:
    """The first value of each wanted key of the query; empty for one that is not there."""
    query = parse_qs(urlsplit(address).query)
    found: dict[str, Any] = {key: query.get(key, [""])[0] for key in getter.parse_keys}
    for old, new in getter.replace.items():
        found[new] = found.pop(old, "")
    return {key: each.split(",") for key, each in found.items()} if getter.split_list else found


def part_of(address: str, getter: UrlPart) -> Any:
    """One part between slashes, counted from the scheme; None where there are fewer."""
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
    """What the addresses of one shop say: pairs of parts, the first of names and the second of
    their values, each separated by commas."""
    path = unquote(urlsplit(address).path)
    said = dict(_pairs(path.strip("/").split("/")))
    shirts = "shirts" in path or said.get("Product_department") in ("shirts", "Shirts", "Shirt")
    short = "short-sleeve" in path or said.get("Sleeve_length") in ("short-sleeve", "Short Sleeve")
    found: dict[str, Any] = {
        "mens_clothing": "mens-clothing" in path or None,
        "shirts": shirts or None,
        "short_sleeve": short or None,
    }
    said = {"Men_regular_size_t": None, "Price_discount_range": None, **said}
    for key in getter.parse_keys:
        if key == "Price_discount_range":
            offers = [each.strip() for each in (said[key] or "").split("|")]
            half = HALF in offers and not any(each in offers for each in LESS)
            found[key] = HALF if half else f"not_{HALF}"
        elif key in said:
            found[key] = said[key]
    return found


def _pairs(parts: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    for names, values in pairwise(parts):
        if "," in names and "," in values:
            for name, said in zip(names.split(","), values.split(","), strict=False):
                yield name.strip(), said.strip() or None
            return


def pages(place: Place, getter: ActiveTab | OpenTabsInfo | PageInfo) -> Collected:
    """Titles, URLs and HTML."""
    kind = getter.type
    try:
        match getter:
            case OpenTabsInfo():
                return value(kind, ask(place.guest, "tabs", takes=2 * ANSWERS, within=ANSWERS))
            case PageInfo():
                said = ask(place.guest, "opened", takes=2 * LOADS, url=getter.url, within=LOADS)
                return value(kind, said)
            case ActiveTab():
                address, note = address_of(place, getter.goto_prefix)
                if address is None:
                    return value(kind, None, note)
                said = ask(place.guest, "opened", takes=2 * LOADS, url=address, within=LOADS)
                return value(kind, said, note)
    except QuestionRefusedError as refused:
        return value(kind, _otherwise(getter), str(refused))


def _otherwise(getter: ActiveTab | OpenTabsInfo | PageInfo) -> Any:
    """What OSWorld takes where the browser or a page cannot be had."""
    match getter:
        case OpenTabsInfo():
            return []
        case PageInfo():
            return {"title": "Connection failed", "url": getter.url, "content": ""}
        case ActiveTab():
            return None


def html(place: Place, getter: HtmlParse) -> Collected:
    """Texts of the page whose address is in the bar, under the keys that the task gives them."""
    address, note = address_of(place, getter.goto_prefix)
    if address is None:
        return value(getter.type, None, note)
    asked = [[way, name] for way, name in dict.fromkeys(_wanted(getter))]
    try:
        said = ask(place.guest, "texts", takes=2 * LOADS, url=address, asked=asked, within=ANSWERS)
    except QuestionRefusedError as refused:
        return value(getter.type, {}, str(refused))
    if said is None:
        return value(getter.type, {}, f"no tab shows {address}")
    if len(said["found"]) != len(asked):
        raise MalformedError(f"{len(said['found'])} places of a page were read, not {len(asked)}")
    found = {(way, name): texts for (way, name), texts in zip(asked, said["found"], strict=True)}
    return value(getter.type, _named(getter, found, said["url"].lower()), note)


def _wanted(getter: HtmlParse) -> Iterator[tuple[str, str]]:
    """Each way of finding, and what is to be found by it."""
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


def _named(getter: HtmlParse, found: dict[tuple[str, str], list[str]], url: str) -> dict[str, Any]:
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
    said: dict[str, Any] = {}
    for way, wanted in (
        ("all", getter.class_multiObject),
        ("own", getter.class_multiObject_child),
        ("heading", getter.class_multiObject_only_child),
    ):
        for name, places in wanted.items():
            if isinstance(places, dict):
                for number, key in places.items():
                    said[key] = _first(found[way, name][int(number) :])
    for name, wanted_texts in getter.class_multiObject_search_exist.items():
        texts = found["all", name]
        others = "is_other_exist" in wanted_texts
        said |= {each: each in texts for each in wanted_texts if each != "is_other_exist"}
        if others:
            said["is_other_exist"] = any(text not in wanted_texts for text in texts)
    return said | {
        key: _first(found["all", name]) for name, key in getter.class_singleObject.items()
    }


def _by_class_and_url(
    getter: HtmlParse, found: dict[tuple[str, str], list[str]], url: str
) -> dict[str, Any]:
    """What is chosen on the page, or stands in its URL."""
    said: dict[str, Any] = {}
    for way, wanted in (("all", getter.class_multiObject), ("item", getter.class_multiObject_li)):
        for name, names in wanted.items():
            texts = [text.lower() for text in found[way, name]]
            wishes = [each.lower() for each in names]
            said |= {wish: True for wish in wishes if wish in texts}
            if any(all(text not in wish for wish in wishes) for text in texts):
                said["is_other_exist"] = True
            said.setdefault("is_other_exist", False)
    for wish in getter.url_include_expected:
        said.setdefault(wish.lower(), wish.lower() in url)
    for wish, key in getter.url_include_expected_multichoice.items():
        said.setdefault(key.lower(), wish.lower() in url)
    return said
