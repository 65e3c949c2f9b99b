"""Metrics on the browser's profile: bookmarks, cookies, history, extensions, fonts, shortcuts."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Annotated, Any, Literal

from pydantic import Field, Strict
from typing_extensions import TypedDict

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.answers import entries, fields
from ambidex.evaluators.osworld.browser.addresses import equal
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.values import shown, verdict

AUTHORS = "Liked Authors"


class FolderNames(TypedDict):
    """Expected folders on the bookmark bar."""

    type: Literal["bookmark_bar_folders_names"]
    names: list[Any] | str


class BarUrls(TypedDict):
    """Expected pages directly on the bookmark bar."""

    type: Literal["bookmark_bar_websites_urls"]
    urls: list[Any] | str


class AuthorUrls(TypedDict):
    """Expected pages in the folder "Liked Authors"; an inner list holds accepted alternatives."""

    type: Literal["liked_authors_websites_urls"]
    urls: list[str | list[str]]


class Names(TypedDict):
    """Names that should be present."""

    expected: list[Any] | str


class Domains(TypedDict):
    """Domains that should have no cookies."""

    type: Literal["domains"]
    domains: list[str | None]


class Keywords(TypedDict):
    """Words that should occur in no visited URL."""

    type: Literal["keywords"]
    keywords: list[str] | str


Number = Annotated[float, Strict()]


class Exactly(TypedDict):
    """One exact size."""

    type: Literal["value"]
    value: Any


class Between(TypedDict):
    """A range of sizes, without its ends."""

    type: Literal["range"]
    min: Number
    max: Number


class ShortcutName(TypedDict):
    """The expected name of a shortcut."""

    type: Literal["name"]
    name: str | None


class ShortcutCommand(TypedDict):
    """The expected command of a shortcut."""

    type: Literal["exec"]
    exec: str | None


Shortcut = Annotated[ShortcutName | ShortcutCommand, Field(discriminator="type")]
ALIASES = {"Zoom for Google Chrome": "Zoom Chrome Extension"}
"""Extensions that the store has renamed, with their earlier names."""


@metric()
def is_expected_bookmarks(result: Value, expected: FolderNames | BarUrls | AuthorUrls) -> Score:
    """The bookmark bar has exactly these folders, or these pages; or its folder "Liked Authors" has
    exactly one page from each list of alternatives."""
    if not result:
        return Score(0.0, "there are no bookmarks")
    bar = _list_children(fields(result).get("bookmark_bar"))
    if expected["type"] == "bookmark_bar_folders_names":
        return _compare_sets(_attributes(bar, "folder", "name"), set(expected["names"]))
    if expected["type"] == "bookmark_bar_websites_urls":
        return _compare_sets(_attributes(bar, "url", "url"), set(expected["urls"]))
    named = (entry for entry in bar if AUTHORS in _attributes([entry], "folder", "name"))
    folder = next(named, None)
    if folder is None:
        return Score(0.0, f"the bar has no folder {AUTHORS!r}")
    actual = _attributes(_list_children(folder), "url", "url")
    # Keep only alternatives that are present, which leaves few combinations.
    ways = [actual & ({url} if isinstance(url, str) else set(url)) for url in expected["urls"]]
    matches_any = any(set(choice) == actual for choice in product(*ways))
    return Score(float(matches_any), f"the folder has {shown(sorted(map(str, actual)))}")


def _list_children(folder: Any) -> list[dict[str, Any]]:
    children = folder.get("children") if isinstance(folder, dict) else None
    if not isinstance(children, list) or not all(isinstance(child, dict) for child in children):
        raise UnreadableError("not the browser's bookmarks: a folder has no list of children")
    return children


def _is(bookmark: dict[str, Any], kind: str) -> bool:
    if "type" not in bookmark:
        raise UpstreamRaisesError("a bookmark has no type")
    return bool(bookmark["type"] == kind)


def _attributes(children: list[dict[str, Any]], kind: str, key: str) -> set[Any]:
    try:
        return {child[key] for child in children if _is(child, kind)}
    except (KeyError, TypeError) as error:
        raise UpstreamRaisesError(f"a {kind} has no comparable {key}") from error


def _compare_sets(actual: set[Any], target: set[Any]) -> Score:
    wrong = [f"{shown(item)} is missing" for item in sorted(target - actual, key=str)]
    wrong += [f"{shown(item)} should not be there" for item in sorted(map(str, actual - target))]
    return verdict(wrong, f"exactly the {len(target)} expected entries are present")


@metric()
def is_expected_installed_extensions(result: Value, expected: Names) -> Score:
    """Every named extension is installed, under its current or an earlier name; others may be
    installed too."""
    if not result:
        return Score(0.0, "no extension is installed")
    actual = result if isinstance(result, str) else entries(result)
    try:
        missing = _known(expected["expected"]) - _known(actual)
    except TypeError as error:
        raise UpstreamRaisesError("the listed values are not names") from error
    wrong = [f"{name} is not installed" for name in sorted(map(str, missing))]
    return verdict(wrong, f"all {len(expected['expected'])} extensions are installed")


def _known(names: Iterable[Any]) -> set[Any]:
    return {ALIASES.get(name, name) for name in names}


@metric(
    repairs=(
        "A cookie of a subdomain is a cookie of that site, and the public suffix counts: upstream"
        " asks whether host and domain are equal apart from suffix and `www`, so that"
        " api.amazon.com may keep its cookies and amazon.de may not.",
    )
)
def is_cookie_deleted(result: Value, expected: Domains, *, strict: bool) -> Score:
    """No cookie of these domains is left. The result is the browser's table of cookies, with the
    host in the second column."""
    hosts = {_cell(row, 1, strict=strict) for row in _rows(result, strict=strict)}
    left = [
        f"{host} has a cookie"
        for host in sorted(hosts)
        for domain in expected["domains"]
        if domain is not None
        and (_belongs_to(host, domain) if strict else equal(domain, host, strict=False))
    ]
    return verdict(left, f"no cookie is left for {', '.join(map(str, expected['domains']))}")


def _belongs_to(host: str, domain: str) -> bool:
    inner = domain.lower().removeprefix(".").removeprefix("www.")
    return f".{host.lower().removeprefix('.')}".endswith(f".{inner}")


@metric()
def check_history_deleted(result: Value, expected: Keywords) -> Score:
    """No visited URL contains a keyword. The result is the browser's table, with the URL first."""
    urls = [_cell(row, 0, strict=False) for row in _rows(result, strict=False)]
    left = [
        f"{shown(url)} is in the history"
        for url in urls
        if any(keyword in url for keyword in expected["keywords"])
    ]
    return verdict(left, f"none of {len(urls)} URLs contains a keyword")


def _rows(result: Value, *, strict: bool) -> list[Any]:
    """The rows of a table; for a text its letters, over which upstream iterates."""
    if not strict and isinstance(result, str | dict):
        return list(result)
    return entries(result)


def _cell(row: Any, column: int, *, strict: bool) -> str:
    kinds = list | tuple if strict else list | tuple | str
    value = row[column] if isinstance(row, kinds) and len(row) > column else None
    if not isinstance(value, str):
        raise UnreadableError(f"expected a row of the browser's table, not {shown(row)}")
    return value


@metric()
def check_font_size(result: Value, expected: Exactly | Between) -> Score:
    """The browser's default font size is this value, or lies strictly between two."""
    size = fields(result).get("default_font_size")
    if expected["type"] == "value":
        right = "default_font_size" in fields(result) and size == expected["value"]
    elif not isinstance(size, int | float):
        raise UnreadableError("the default font size is missing")
    else:
        right = expected["min"] < size < expected["max"]
    return Score(float(right), f"the default font size is {size}")


@metric(
    repairs=(
        "The shortcut's name contains the expected one, case included: upstream also accepts a"
        " name contained in the expected one, in any case, so that a shortcut called `P` or without"
        " a name passes for `Play Puzzle Game 2048`.",
    )
)
def is_shortcut_on_desktop(result: Value, expected: Shortcut, *, strict: bool) -> Score:
    """A `.desktop` file on the desktop has a `Name`, or an `Exec`, that contains the expected one.

    The result maps the path of each such file to its text.
    """
    target, key = (
        (expected["name"], "Name") if expected["type"] == "name" else (expected["exec"], "Exec")
    )
    contents = [str(content) for content in fields(result).values()]
    if target is None:
        if contents:
            raise UpstreamRaisesError("the rule has no text")
        return Score(0.0, "there is no shortcut")
    lines = [line for content in contents for line in _lines(content, strict=strict)]
    actual = [line.removeprefix(f"{key}=") for line in lines if line.startswith(f"{key}=")]
    if strict:
        matched = any(target.strip() in value.strip() for value in actual)
    else:
        matched = any(f"{key}={target}\n" in content for content in contents)
        matched = matched or any(_alike(target, value, key == "Name") for value in actual)
    return Score(float(matched), f"the shortcuts have {key} {shown(actual)}")


def _lines(content: str, *, strict: bool) -> list[str]:
    return content.splitlines() if strict else content.split("\n")


def _alike(one: str, other: str, any_case: bool) -> bool:
    if any_case:
        one, other = one.lower(), other.lower()
    return one in other or other in one
