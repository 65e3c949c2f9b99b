"""The content of a page on Notion, in a form in which a page and its copy are equal."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ambidex.host.accounts.rest import RestApi
from ambidex.host.errors import StageError

__all__ = ["Content", "content", "difference", "listed"]

PER_PAGE = 100
"""Items of a list in one answer, Notion's maximum."""
QUOTED = 120
"""Characters of a value in a difference."""
LATER = frozenset({
    "created_time", "created_by", "last_edited_time", "last_edited_by", "parent", "url",
    "public_url", "archived", "in_trash", "is_archived", "request_id", "synced_property_id",
    "synced_property_name", "expiry_time",
})  # fmt: skip
"""Keys whose values are those of one page, and not of its content."""
COMPUTED = frozenset({
    "created_time", "created_by", "last_edited_time", "last_edited_by", "unique_id", "formula",
    "rollup", "button",
})  # fmt: skip
"""Types of properties that Notion computes."""
ID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}")


@dataclass(frozen=True)
class Content:
    """What is on a page."""

    blocks: list[Any]
    numbers: Mapping[str, str]
    """By id without hyphens, the number of each part of the page in the page's order."""


def listed(api: RestApi, method: str, path: str, body: Mapping[str, Any]) -> Iterator[Any]:
    """All items of a list that Notion answers in parts."""
    cursor: dict[str, Any] = {}
    while True:
        if method == "GET":
            query = "&".join(f"{key}={value}" for key, value in {**body, **cursor}.items())
            part = api.ask("GET", f"{path}?{query}")
        else:
            part = api.ask(method, path, {**body, **cursor})
        match part:
            case {"results": list(results), **rest}:
                yield from results
            case _:
                raise StageError(f"Notion's answer to {method} {path} is no list")
        if not rest.get("has_more"):
            return
        cursor = {"start_cursor": rest.get("next_cursor")}


def content(api: RestApi, page: str, template: Content | None = None) -> Content:
    """The blocks of a page, with those in them, and the rows of its databases. What names a part of
    the page by its id names it by its number instead. Addresses on a copy may lead to its
    `template`; everything else, such as a relation between rows, must not."""
    numbers = {page.replace("-", ""): "#0"}
    blocks = _blocks(api, page, numbers)
    addressed = {**template.numbers, **numbers} if template else numbers
    return Content(_numbered(blocks, numbers, addressed), numbers)


def difference(wanted: Any, found: Any, where: str = "") -> str:
    """The first place where two contents differ, in words; empty if they are equal."""
    match wanted, found:
        case (dict(), dict()) if wanted.keys() == found.keys():
            parts = ((f"{where}.{key}", wanted[key], found[key]) for key in wanted)
        case (list(), list()):
            shared = enumerate(zip(wanted, found, strict=False), 1)
            parts = ((f"{where}[{index}]", *pair) for index, pair in shared)
        case _:
            if wanted == found:
                return ""
            first, second = (json.dumps(each, ensure_ascii=False) for each in (wanted, found))
            return f"{where.lstrip('.')} is {second[:QUOTED]}, not {first[:QUOTED]}"
    for place, first, second in parts:
        if said := difference(first, second, place):
            return said
    if len(wanted) == len(found):
        return ""
    return f"{where.lstrip('.') or 'the page'} has {len(found)} parts, not {len(wanted)}"


def _blocks(api: RestApi, parent: str, numbers: dict[str, str]) -> list[Any]:
    path = f"/v1/blocks/{parent}/children"
    return [_block(api, one, numbers) for one in listed(api, "GET", path, {"page_size": PER_PAGE})]


def _block(api: RestApi, block: dict[str, Any], numbers: dict[str, str]) -> Any:
    identity = _number(block, numbers)
    found = {"block": _without_later(block)}
    if block.get("type") == "child_database":
        found["database"] = _database(api, identity, numbers)
    elif block.get("has_children") or block.get("type") == "child_page":
        found["children"] = _blocks(api, identity, numbers)
    return found


def _database(api: RestApi, identity: str, numbers: dict[str, str]) -> Any:
    database = api.ask("GET", f"/v1/databases/{identity}", tolerated=404)
    if database is None:
        return "a view of another database, which the API does not show"
    sources = []
    for one in database.get("data_sources") or ():
        source = _number(one, numbers)
        path = f"/v1/data_sources/{source}"
        schema = (api.ask("GET", path) or {}).get("properties")
        rows = sorted(
            listed(api, "POST", f"{path}/query", {"page_size": PER_PAGE}), key=_without_ids
        )
        sources.append({
            "name": one.get("name"),
            "schema": _without_later(schema),
            "rows": [_row(api, row, numbers) for row in rows],
        })  # fmt: skip
    return {"title": _without_later(database.get("title")), "sources": sources}


def _row(api: RestApi, row: dict[str, Any], numbers: dict[str, str]) -> Any:
    identity = _number(row, numbers)
    values = {key: row.get(key) for key in ("icon", "cover")}
    return {
        **_without_later(values),
        "properties": _properties(row),
        "children": _blocks(api, identity, numbers),
    }


def _properties(row: dict[str, Any]) -> Any:
    properties = row.get("properties") or {}
    kept = {key: one for key, one in properties.items() if one.get("type") not in COMPUTED}
    return _without_later(kept)


def _number(item: dict[str, Any], numbers: dict[str, str]) -> str:
    """The id of an item, which gets the next number."""
    identity = item.get("id")
    if not isinstance(identity, str):
        raise StageError("Notion's answer names something without an id")
    numbers[identity.replace("-", "")] = f"#{len(numbers)}"
    return identity


def _without_later(value: Any) -> Any:
    """The value without what differs between a page and its copy. An address of a stored file
    expires: its name remains."""
    match value:
        case dict():
            kept = {key: one for key, one in value.items() if key not in LATER}
            if len(kept) > 1:
                kept.pop("id", None)  # of an item; the id alone is a link to one
            if "expiry_time" in value:
                kept["file"] = urlsplit(str(value.get("url"))).path.rpartition("/")[2]
            return {key: _without_later(one) for key, one in kept.items()}
        case list():
            return [_without_later(one) for one in value]
    return value


def _without_ids(row: dict[str, Any]) -> str:
    """A row as text for sorting, which is the same for its copy."""
    return ID.sub("", json.dumps(_properties(row), sort_keys=True))


def _numbered(value: Any, numbers: Mapping[str, str], addressed: Mapping[str, str]) -> Any:
    """The value with numbers for ids: for those in an address, the numbers of `addressed`."""
    match value:
        case str():
            known = addressed if "/" in value else numbers
            return ID.sub(lambda id: known.get(id[0].replace("-", ""), id[0]), value)
        case dict():
            return {key: _numbered(one, numbers, addressed) for key, one in value.items()}
        case list():
            return [_numbered(one, numbers, addressed) for one in value]
    return value
