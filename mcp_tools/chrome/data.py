"""What Chromium keeps: bookmarks, browsing data, settings; by the browser's own pages for them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.chrome import app
from ambidex.mcp_tools.chrome.browser import shown
from ambidex.mcp_tools.chrome.devtools import Browser, browser_page, connected, evaluate, page_of
from ambidex.mcp_tools.chrome.tabs import Tab, TabName, find

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
    """A bookmark, or a folder of them if it has no `url`. `folder` is the path it lies in."""

    title: str
    url: Optional[str]
    folder: str


@dataclass(frozen=True)
class Bookmarked:
    """The bookmark as it is stored; `created` is false if that page was there in that folder."""

    bookmark: Bookmark
    created: bool


@dataclass(frozen=True)
class Bookmarks:
    """Bookmarks and folders from top to bottom; `left_out` were too many."""

    entries: list[Bookmark]
    left_out: int


@dataclass(frozen=True)
class Deleted:
    """What was deleted, and how many cookies; or `tab`, where the dialog waits for an answer."""

    kinds: list[Kind]
    cookies: int
    tab: Optional[Tab]


@dataclass(frozen=True)
class Preference:
    """A setting of the browser, by the name under which the profile stores it."""

    name: str
    value: Any


FOLDER = """
const folder = async path => {
    const tops = (await chrome.bookmarks.getTree())[0].children;
    const parts = (path ?? '').split('/').map(part => part.trim()).filter(part => part);
    const alike = (a, b) => a.toLowerCase() === b.toLowerCase();
    const top = parts.length && tops.find(each => alike(each.title, parts[0]));
    let here = top || tops.find(each => each.folderType === 'bookmarks-bar') || tops[0];
    const names = [here.title];
    let made = false;
    for (const part of top ? parts.slice(1) : parts) {
        const inside = await chrome.bookmarks.getChildren(here.id);
        let next = inside.find(each => !each.url && each.title === part)
            ?? inside.find(each => !each.url && alike(each.title, part));
        if (!next) {
            next = await chrome.bookmarks.create({parentId: here.id, title: part});
            made = true;
        }
        here = next;
        names.push(here.title);
    }
    return {id: here.id, names, made};
};
"""
ADD = f"""async (path, title, url) => {{ {FOLDER}
    const where = await folder(path);
    const inside = await chrome.bookmarks.getChildren(where.id);
    const found = inside.find(each => each.url === url);
    const id = found ? found.id
        : (await chrome.bookmarks.create(
            {{parentId: where.id, title: title.given ?? title.page, url}})).id;
    if (found && title.given) await chrome.bookmarks.update(id, {{title: title.given}});
    const [now] = await chrome.bookmarks.get(id);
    return {{title: now.title, url: now.url, folder: where.names.join('/'), created: !found}};
}}"""
ADD_FOLDER = f"""async path => {{ {FOLDER}
    const {{names, made}} = await folder(path);
    return {{title: names.at(-1), url: null, folder: names.slice(0, -1).join('/'), created: made}};
}}"""
LIST = """async () => {
    const found = [];
    const walk = (nodes, path) => {
        for (const each of nodes) {
            found.push({title: each.title, url: each.url ?? null, folder: path.join('/')});
            walk(each.children ?? [], [...path, each.title]);
        }
    };
    walk((await chrome.bookmarks.getTree())[0].children, []);
    return found;
}"""


def stored(said: dict[str, Any]) -> Bookmarked:
    """What a bookmark script answered."""
    return Bookmarked(Bookmark(said["title"], said["url"], said["folder"]), said["created"])


@app.tool(timeout=90)
def bookmark_page(
    name: Annotated[
        Optional[str],
        Field(min_length=1, description="default: the page's title"),
    ] = None,
    folder: Folder = None,
    tab: TabName = None,
) -> Bookmarked:
    """Bookmark a web page to find it again: add the current tab or another to the bookmarks
    (favourites) bar or a folder, created if missing. No dialog and no duplicates; an existing
    bookmark gets the given name.
    """
    with connected(starting=True) as browser:
        chosen = find(browser, tab)
        title = {"given": name, "page": chosen.title}
        with browser_page(browser, BOOKMARKS) as session:
            return stored(evaluate(browser, session, ADD, folder, title, chosen.url))


@app.tool(timeout=90)
def create_bookmark_folder(
    path: Annotated[
        str,
        Field(
            min_length=1,
            description='such as "Favorites" on the bookmarks bar, or "Other bookmarks/A/B"',
        ),
    ],
) -> Bookmarked:
    """Create a new folder for bookmarks (favourites), with missing parents, on the bookmarks bar
    unless the path starts with another top folder. No error if it exists.
    """
    with connected(starting=True) as browser, browser_page(browser, BOOKMARKS) as session:
        return stored(evaluate(browser, session, ADD_FOLDER, path))


@app.tool(reads_only=True, timeout=60)
def list_bookmarks() -> Bookmarks:
    """List all bookmarks (favourites, saved sites) and their folders; at most 500."""
    with connected() as browser, browser_page(browser, BOOKMARKS) as session:
        found = evaluate(browser, session, LIST)
    entries = [Bookmark(each["title"], each["url"], each["folder"]) for each in found[:ENTRIES]]
    return Bookmarks(entries, len(found) - len(entries))


@app.tool(timeout=120)
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
) -> Deleted:
    """Clear browsing data: delete the history, cookies or cache. Without arguments opens the
    dialog, which has all kinds and periods; with `kinds` deletes all cookies or empties the whole
    cache at once, with `site` one site's cookies.
    """
    if site is None and kinds is None:
        return Deleted([], 0, shown(DIALOG))
    chosen: list[Kind] = list(dict.fromkeys(kinds or ["cookies"]))
    if site is not None and chosen != ["cookies"]:
        hint = "Leave out site to empty the cache, which holds pages of all sites."
        raise ToolError("Of one site only cookies are deleted.", code="bad_arguments", hint=hint)
    with connected(starting=True) as browser:
        count = delete_cookies(browser, site) if "cookies" in chosen else 0
        if "cache" in chosen:
            session = page_of(browser, find(browser, None).id)
            browser.call("Network.clearBrowserCache", session, DELETES_WITHIN)
    return Deleted(chosen, count, None)


def host_of(site: str) -> str:
    """The host that a site's name or URL means, without www."""
    host = site.rpartition("://")[2].partition("/")[0].partition(":")[0]
    return host.strip(" .").removeprefix("www.").lower()


def belongs(domain: str, host: str) -> bool:
    """Whether a cookie's domain is the host or lies below it."""
    return bool(host) and f".{domain.lstrip('.').lower()}".endswith(f".{host}")


def delete_cookies(browser: Browser, site: Optional[str]) -> int:
    """Delete all cookies, or those of a host and of those below it; how many there were."""

    def there() -> list[dict[str, Any]]:
        found = browser.call("Storage.getCookies")["cookies"]
        return [each for each in found if site is None or belongs(each["domain"], host_of(site))]

    doomed = there()
    if site is None:
        browser.call("Storage.clearCookies")
    elif not doomed:
        raise ToolError(f"There are no cookies of {host_of(site)}.", code="nothing")
    else:
        session = page_of(browser, find(browser, None).id)
        for each in doomed:
            names = ("name", "domain", "path", "partitionKey")
            given = {name: each[name] for name in names if name in each}
            browser.call("Network.deleteCookies", session, **given)
    if there():
        raise ToolError("Some cookies are still there.", code="refused")
    return len(doomed)


PREFERENCES = """async wanted => {
    const all = await chrome.settingsPrivate.getAllPrefs();
    return all.filter(each => each.key.toLowerCase().includes(wanted.toLowerCase()))
        .map(each => ({name: each.key, value: each.value ?? null}));
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
        found = evaluate(browser, session, PREFERENCES, name)
    if not found:
        hint = "Give a shorter part of its name."
        raise ToolError(f"No setting's name contains {name!r}.", code="no_setting", hint=hint)
    return [Preference(each["name"], each["value"]) for each in found[:200]]


@app.tool(timeout=60)
def set_setting(
    name: Annotated[str, Field(min_length=2, description="exact name from chrome_get_settings")],
    value: Annotated[Any, Field(description='true, 24, "text", ["https://example.org"]')],
) -> Preference:
    """Change one setting (preference) of the browser, as its settings pages do: home page
    (homepage), start page, what opens at startup, Do Not Track. Returns the stored value. Find its
    name with chrome_get_settings.
    """
    with connected(starting=True) as browser, browser_page(browser, SETTINGS) as session:
        known = evaluate(browser, session, PREFERENCES, name)
        if not any(each["name"] == name for each in known):
            hint = f"Alike: {', '.join(each['name'] for each in known[:20]) or 'none'}."
            raise ToolError(f"There is no setting {name!r}.", code="no_setting", hint=hint)
        said = evaluate(browser, session, SET_PREFERENCE, name, value)
    if said["value"] != value:
        message = f"{name} stays {json.dumps(said['value'])}; it takes a {said['type'].lower()}."
        raise ToolError(message, code="bad_value")
    return Preference(name, said["value"])
