"""What the browser remembers: bookmarks, cookies, history, extensions, fonts, shortcuts."""

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
    """The folders on the bookmark bar."""

    type: Literal["bookmark_bar_folders_names"]
    names: list[Any] | str


class BarUrls(TypedDict):
    """The pages on the bookmark bar itself."""

    type: Literal["bookmark_bar_websites_urls"]
    urls: list[Any] | str


class AuthorUrls(TypedDict):
    """The pages in the folder "Liked Authors"; a list is of pages that will do."""

    type: Literal["liked_authors_websites_urls"]
    urls: list[str | list[str]]


class Names(TypedDict):
    """Names that should be there."""

    expected: list[Any] | str


class Domains(TypedDict):
    """Sites without cookies."""

    type: Literal["domains"]
    domains: list[str | None]


class Keywords(TypedDict):
    """Words that no visited address should hold."""

    type: Literal["keywords"]
    keywords: list[str] | str


Number = Annotated[float, Strict()]


class Exactly(TypedDict):
    """One size."""

    type: Literal["value"]
    value: Any


class Between(TypedDict):
    """Sizes between two, without them."""

    type: Literal["range"]
    min: Number
    max: Number


class ShortcutName(TypedDict):
    """The name of a shortcut."""

    type: Literal["name"]
    name: str | None


class ShortcutCommand(TypedDict):
    """The command of a shortcut."""

    type: Literal["exec"]
    exec: str | None


Shortcut = Annotated[ShortcutName | ShortcutCommand, Field(discriminator="type")]
ALIASES = {"Zoom for Google Chrome": "Zoom Chrome Extension"}
"""Extensions that the store has renamed, and what they were called before."""


@metric()
def is_expected_bookmarks(result: Value, expected: FolderNames | BarUrls | AuthorUrls) -> Score:
    """The bookmark bar has exactly these folders, or these pages; or its folder "Liked Authors" has
    one page of each list of alternatives, and no others."""
    if not result:
        return Score(0.0, "there are no bookmarks")
    bar = _children(fields(result).get("bookmark_bar"))
    if expected["type"] == "bookmark_bar_folders_names":
        return _sets(_each_of(bar, "folder", "name"), set(expected["names"]))
    if expected["type"] == "bookmark_bar_websites_urls":
        return _sets(_each_of(bar, "url", "url"), set(expected["urls"]))
    named = (each for each in bar if AUTHORS in _each_of([each], "folder", "name"))
    folder = next(named, None)
    if folder is None:
        return Score(0.0, f"the bar has no folder {AUTHORS!r}")
    actual = _each_of(_children(folder), "url", "url")
    # Only what is there can be chosen, so that few choices remain.
    ways = [actual & ({url} if isinstance(url, str) else set(url)) for url in expected["urls"]]
    found = any(set(choice) == actual for choice in product(*ways))
    return Score(float(found), f"the folder has {shown(sorted(map(str, actual)))}")


def _children(folder: Any) -> list[dict[str, Any]]:
    found = folder.get("children") if isinstance(folder, dict) else None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise UnreadableError("no bookmarks of the browser: a folder has no list of children")
    return found


def _is(bookmark: dict[str, Any], kind: str) -> bool:
    if "type" not in bookmark:
        raise UpstreamRaisesError("a bookmark has no type")
    return bool(bookmark["type"] == kind)


def _each_of(children: list[dict[str, Any]], kind: str, key: str) -> set[Any]:
    try:
        return {child[key] for child in children if _is(child, kind)}
    except (KeyError, TypeError) as error:
        raise UpstreamRaisesError(f"a {kind} has no {key} that could be compared") from error


def _sets(actual: set[Any], target: set[Any]) -> Score:
    wrong = [f"{shown(each)} is missing" for each in sorted(target - actual, key=str)]
    wrong += [f"{shown(each)} should not be there" for each in sorted(map(str, actual - target))]
    return verdict(wrong, f"exactly the {len(target)} expected are there")


@metric()
def is_expected_installed_extensions(result: Value, expected: Names) -> Score:
    """Every named extension is installed, under its name of today or an earlier one; there may be
    more."""
    if not result:
        return Score(0.0, "no extension is installed")
    actual = result if isinstance(result, str) else entries(result)
    try:
        missing = _known(expected["expected"]) - _known(actual)
    except TypeError as error:
        raise UpstreamRaisesError("what is listed are no names") from error
    wrong = [f"{each} is not installed" for each in sorted(map(str, missing))]
    return verdict(wrong, f"all {len(expected['expected'])} extensions are installed")


def _known(names: Iterable[Any]) -> set[Any]:
    return {ALIASES.get(name, name) for name in names}


@metric(
    repairs=(
        "A cookie of a host below the domain is a cookie of that site, and the public suffix"
        " counts: upstream asks whether host and domain are equal but for suffix and `www`, so"
        " api.amazon.com may keep its cookies and amazon.de may not.",
    )
)
def is_cookie_deleted(result: Value, expected: Domains, *, strict: bool) -> Score:
    """No cookie is left of these domains; rows of the browser's table, the host in the second
    column."""
    hosts = {_cell(row, 1, strict=strict) for row in _rows(result, strict=strict)}
    left = [
        f"{host} has a cookie"
        for host in sorted(hosts)
        for domain in expected["domains"]
        if domain is not None
        and (_below(host, domain) if strict else equal(domain, host, strict=False))
    ]
    return verdict(left, f"no cookie is left of {', '.join(map(str, expected['domains']))}")


def _below(host: str, domain: str) -> bool:
    inner = domain.lower().removeprefix(".").removeprefix("www.")
    return f".{host.lower().removeprefix('.')}".endswith(f".{inner}")


@metric()
def check_history_deleted(result: Value, expected: Keywords) -> Score:
    """No visited address holds a keyword; rows of the browser's table, the address first."""
    urls = [_cell(row, 0, strict=False) for row in _rows(result, strict=False)]
    left = [
        f"{shown(url)} is in the history"
        for url in urls
        if any(keyword in url for keyword in expected["keywords"])
    ]
    return verdict(left, f"none of {len(urls)} addresses holds a keyword")


def _rows(result: Value, *, strict: bool) -> list[Any]:
    """The rows of a table; of a text its letters, as upstream goes through it."""
    if not strict and isinstance(result, str | dict):
        return list(result)
    return entries(result)


def _cell(row: Any, place: int, *, strict: bool) -> str:
    kinds = list | tuple if strict else list | tuple | str
    found = row[place] if isinstance(row, kinds) and len(row) > place else None
    if not isinstance(found, str):
        raise UnreadableError(f"a row of the browser's table was expected, not {shown(row)}")
    return found


@metric()
def check_font_size(result: Value, expected: Exactly | Between) -> Score:
    """The browser's default font size is this value, or lies between two without being one."""
    size = fields(result).get("default_font_size")
    if expected["type"] == "value":
        right = "default_font_size" in fields(result) and size == expected["value"]
    elif not isinstance(size, int | float):
        raise UnreadableError("the default font size was not given")
    else:
        right = expected["min"] < size < expected["max"]
    return Score(float(right), f"the default font size is {size}")


@metric(
    repairs=(
        "The shortcut's name holds the expected one, letter for letter: upstream also takes a name"
        " that the expected one holds, in any case, so a shortcut called `P` or without a name is"
        " the one to `Play Puzzle Game 2048`.",
    )
)
def is_shortcut_on_desktop(result: Value, expected: Shortcut, *, strict: bool) -> Score:
    """A `.desktop` file on the desktop has a `Name`, or an `Exec`, that holds the expected one.

    The result is the text of each such file by its path.
    """
    target, key = (
        (expected["name"], "Name") if expected["type"] == "name" else (expected["exec"], "Exec")
    )
    contents = [str(each) for each in fields(result).values()]
    if target is None:
        if contents:
            raise UpstreamRaisesError("no text is asked for")
        return Score(0.0, "there is no shortcut")
    lines = [line for content in contents for line in _lines(content, strict=strict)]
    actual = [line.removeprefix(f"{key}=") for line in lines if line.startswith(f"{key}=")]
    if strict:
        found = any(target.strip() in each.strip() for each in actual)
    else:
        found = any(f"{key}={target}\n" in content for content in contents)
        found = found or any(_alike(target, each, key == "Name") for each in actual)
    return Score(float(found), f"the shortcuts have {key} {shown(actual)}")


def _lines(content: str, *, strict: bool) -> list[str]:
    return content.splitlines() if strict else content.split("\n")


def _alike(one: str, other: str, any_case: bool) -> bool:
    if any_case:
        one, other = one.lower(), other.lower()
    return one in other or other in one
