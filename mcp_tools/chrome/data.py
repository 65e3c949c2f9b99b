"""Tools for bookmarks, browsing data and settings, through the browser's own pages."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.chrome import WITH_START, app
from ambidex.mcp_tools.chrome.browser import show_page
from ambidex.mcp_tools.chrome.devtools import (
    Browser,
    attach_to_page,
    browser_page,
    connected,
    evaluate,
)
from ambidex.mcp_tools.chrome.tabs import Tab, TabName, find_tab

__all__ = ["app"]

BOOKMARKS = "chrome://bookmarks/"
SETTINGS = "chrome://settings/"
DIALOG = "chrome://settings/clearBrowserData"
ENTRIES = 500
DELETES_WITHIN = 60.0

Kind = Literal["cookies", "cache"]
Folder = Annotated[
    Optional[str],
    Field(
        min_length=1,
        description='folder, such as "Bookmarks bar/News" or just "News"; default: the bar',
    ),
]


@dataclass(frozen=True)
class Bookmark:
    """A bookmark, or a bookmark folder if `url` is None. `folder` is the path of its parent."""

    title: str
    url: Optional[str]
    folder: str


@dataclass(frozen=True)
class BookmarkResult:
    """A stored bookmark; `created` is false if the folder already had one for that page."""

    bookmark: Bookmark
    created: bool


@dataclass(frozen=True)
class Bookmarks:
    """Bookmarks and folders from top to bottom; `left_out` counts those beyond the limit."""

    entries: list[Bookmark]
    left_out: int


@dataclass(frozen=True)
class DeletedData:
    """The kinds of data deleted and the number of cookies; or `tab`, the open dialog."""

    kinds: list[Kind]
    cookies: int
    tab: Optional[Tab]


@dataclass(frozen=True)
class Preference:
    """A setting of the browser, under its name in the profile."""

    name: str
    value: Any


FOLDER = """
const folder = async path => {
    const tops = (await chrome.bookmarks.getTree())[0].children;
    const parts = (path ?? '').split('/').map(part => part.trim()).filter(part => part);
    const same = (a, b) => a.toLowerCase() === b.toLowerCase();
    const top = parts.length && tops.find(node => same(node.title, parts[0]));
    let here = top || tops.find(node => node.folderType === 'bookmarks-bar') || tops[0];
    const names = [here.title];
    let created = false;
    for (const part of top ? parts.slice(1) : parts) {
        const inside = await chrome.bookmarks.getChildren(here.id);
        let next = inside.find(node => !node.url && node.title === part)
            ?? inside.find(node => !node.url && same(node.title, part));
        if (!next) {
            next = await chrome.bookmarks.create({parentId: here.id, title: part});
            created = true;
        }
        here = next;
        names.push(here.title);
    }
    return {id: here.id, names, created};
};
"""
ADD = f"""async (path, title, url) => {{ {FOLDER}
    const where = await folder(path);
    const inside = await chrome.bookmarks.getChildren(where.id);
    const existing = inside.find(node => node.url === url);
    const id = existing ? existing.id
        : (await chrome.bookmarks.create(
            {{parentId: where.id, title: title.given ?? title.page, url}})).id;
    if (existing && title.given) await chrome.bookmarks.update(id, {{title: title.given}});
    const [stored] = await chrome.bookmarks.get(id);
    return {{title: stored.title, url: stored.url, folder: where.names.join('/'),
        created: !existing}};
}}"""
ADD_FOLDER = f"""async path => {{ {FOLDER}
    const {{names, created}} = await folder(path);
    return {{title: names.at(-1), url: null, folder: names.slice(0, -1).join('/'), created}};
}}"""
LIST = """async () => {
    const entries = [];
    const walk = (nodes, path) => {
        for (const node of nodes) {
            entries.push({title: node.title, url: node.url ?? null, folder: path.join('/')});
            walk(node.children ?? [], [...path, node.title]);
        }
    };
    walk((await chrome.bookmarks.getTree())[0].children, []);
    return entries;
}"""


def to_result(answer: dict[str, Any]) -> BookmarkResult:
    """Convert the answer of a bookmark script."""
    return BookmarkResult(
        Bookmark(answer["title"], answer["url"], answer["folder"]), answer["created"]
    )


@app.tool(timeout=WITH_START)
def bookmark_page(
    name: Annotated[
        Optional[str],
        Field(min_length=1, description="default: the page's title"),
    ] = None,
    folder: Folder = None,
    tab: TabName = None,
) -> BookmarkResult:
    """Bookmark a web page to find it again: add the current tab or another to the bookmarks
    (favourites) bar or a folder, created if missing. No dialog and no duplicates; an existing
    bookmark gets the given name.
    """
    with connected(starting=True) as browser:
        target = find_tab(browser, tab)
        title = {"given": name, "page": target.title}
        with browser_page(browser, BOOKMARKS) as session:
            return to_result(evaluate(browser, session, ADD, folder, title, target.url))


@app.tool(timeout=WITH_START)
def create_bookmark_folder(
    path: Annotated[
        str,
        Field(
            min_length=1,
            description='such as "Favorites" on the bookmarks bar, or "Other bookmarks/A/B"',
        ),
    ],
) -> BookmarkResult:
    """Create a new folder for bookmarks (favourites), with missing parents, on the bookmarks bar
    unless the path starts with another top folder. No error if it exists.
    """
    with connected(starting=True) as browser, browser_page(browser, BOOKMARKS) as session:
        return to_result(evaluate(browser, session, ADD_FOLDER, path))


@app.tool(reads_only=True, timeout=60)
def list_bookmarks() -> Bookmarks:
    """List all bookmarks (favourites, saved sites) and their folders; at most 500."""
    with connected() as browser, browser_page(browser, BOOKMARKS) as session:
        nodes = evaluate(browser, session, LIST)
    entries = [Bookmark(node["title"], node["url"], node["folder"]) for node in nodes[:ENTRIES]]
    return Bookmarks(entries, len(nodes) - len(entries))


@app.tool(timeout=WITH_START)
def delete_browsing_data(
    kinds: Annotated[
        Optional[list[Kind]],
        Field(min_length=1, description="what to delete at once; default: opens the dialog"),
    ] = None,
    site: Annotated[
        Optional[str],
        Field(
            min_length=1,
            description="only this site's cookies, with subdomains; kinds: cookies or omitted",
        ),
    ] = None,
) -> DeletedData:
    """Clear browsing data: delete the history, cookies or cache. Without arguments opens the
    dialog, which has all kinds and periods; with `kinds` deletes all cookies or empties the whole
    cache at once, with `site` one site's cookies.
    """
    if site is None and kinds is None:
        return DeletedData([], 0, show_page(DIALOG))
    selected: list[Kind] = list(dict.fromkeys(kinds or ["cookies"]))
    if site is not None and selected != ["cookies"]:
        hint = "To empty the cache, which holds pages of all sites, leave out `site`."
        raise ToolError("With `site` only cookies can be deleted.", code="bad_arguments", hint=hint)
    with connected(starting=True) as browser:
        count = delete_cookies(browser, site) if "cookies" in selected else 0
        if "cache" in selected:
            session = attach_to_page(browser, find_tab(browser, None).id)
            browser.call("Network.clearBrowserCache", session, DELETES_WITHIN)
    return DeletedData(selected, count, None)


def host_of(site: str) -> str:
    """Host name of a site given by name or URL, without www."""
    host = site.rpartition("://")[2].partition("/")[0].partition(":")[0]
    return host.strip(" .").removeprefix("www.").lower()


def domain_matches(domain: str, host: str) -> bool:
    """Whether a cookie's domain is the host or one of its subdomains."""
    return bool(host) and f".{domain.lstrip('.').lower()}".endswith(f".{host}")


def delete_cookies(browser: Browser, site: Optional[str]) -> int:
    """Delete all cookies, or those of a site and its subdomains; return their number."""

    def matching() -> list[dict[str, Any]]:
        cookies = browser.call("Storage.getCookies")["cookies"]
        return [
            cookie
            for cookie in cookies
            if site is None or domain_matches(cookie["domain"], host_of(site))
        ]

    to_delete = matching()
    if site is None:
        browser.call("Storage.clearCookies")
    elif not to_delete:
        raise ToolError(f"There are no cookies for {host_of(site)}.", code="nothing")
    else:
        session = attach_to_page(browser, find_tab(browser, None).id)
        for cookie in to_delete:
            names = ("name", "domain", "path", "partitionKey")
            parameters = {name: cookie[name] for name in names if name in cookie}
            browser.call("Network.deleteCookies", session, **parameters)
    if matching():
        raise ToolError("Some cookies could not be deleted.", code="refused")
    return len(to_delete)


PREFERENCES = """async part => {
    const all = await chrome.settingsPrivate.getAllPrefs();
    return all.filter(pref => pref.key.toLowerCase().includes(part.toLowerCase()))
        .map(pref => ({name: pref.key, value: pref.value ?? null}));
}"""
SET_PREFERENCE = """async (name, value) => {
    const old = await chrome.settingsPrivate.getPref(name);
    const done = await chrome.settingsPrivate.setPref(name, value);
    const now = await chrome.settingsPrivate.getPref(name);
    return {done, old: old.value ?? null, type: old.type, value: now.value ?? null};
}"""


@app.tool(reads_only=True, timeout=60)
def get_settings(
    name: Annotated[
        str,
        Field(
            min_length=2, description="a part of the setting's name, such as homepage or font_size"
        ),
    ],
) -> list[Preference]:
    """Look up how the browser is configured: read its settings (preferences) by part of their name,
    such as home page (homepage), startup, safe browsing, font size. At most 200.
    """
    with connected() as browser, browser_page(browser, SETTINGS) as session:
        matches = evaluate(browser, session, PREFERENCES, name)
    if not matches:
        hint = "Try a shorter part of the name."
        raise ToolError(f"No setting has {name!r} in its name.", code="no_setting", hint=hint)
    return [Preference(preference["name"], preference["value"]) for preference in matches[:200]]


@app.tool(timeout=WITH_START)
def set_setting(
    name: Annotated[str, Field(min_length=2, description="exact name from chrome_get_settings")],
    value: Annotated[Any, Field(description='true, 24, "text", ["https://example.org"]')],
) -> Preference:
    """Change one setting (preference) of the browser, as its settings pages do: home page
    (homepage), start page, what opens at startup, Do Not Track. Returns the stored value. Find its
    name with chrome_get_settings.
    """
    with connected(starting=True) as browser, browser_page(browser, SETTINGS) as session:
        candidates = evaluate(browser, session, PREFERENCES, name)
        if not any(candidate["name"] == name for candidate in candidates):
            names = ", ".join(candidate["name"] for candidate in candidates[:20])
            hint = f"Similar names: {names or 'none'}."
            raise ToolError(f"Unknown setting: {name!r}.", code="no_setting", hint=hint)
        result = evaluate(browser, session, SET_PREFERENCE, name, value)
    if result["value"] != value:
        message = (
            f"{name} is still {json.dumps(result['value'])}; its type is {result['type'].lower()}."
        )
        raise ToolError(message, code="bad_value")
    return Preference(name, result["value"])
